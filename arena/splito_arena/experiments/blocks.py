"""Blocks of an experiment: pairs of games with one deal, in which NEW and OLD play the same seat in turn.

The bots of such a block are NEW, OLD and then the field. For each seat there is one pair: the same arrangement of the
field around the seat, on the same deal, and with the same seeds for the dice of each seat. Each pair has a deal and
dice of its own. A block gives one number, how much better NEW did.
"""

from collections.abc import Callable, Iterable, Iterator
from statistics import fmean
from typing import Literal, TypeAlias

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_place
from splito_arena.blocks.seatings import Seating
from splito_arena.errors import BadPlacings
from splito_arena.match.places import judged, share_of_win
from splito_engine.errors import WrongPlayers
from splito_engine.game import Seat

NEW, OLD, FIELD = 0, 1, 2
"""Numbers of the bots; the field goes on from 2."""

Measure: TypeAlias = Literal["places", "points", "wins"]


def duels(players: int, field_size: int) -> tuple[Seating, ...]:
    """Return the games of a block, two for each seat: those with numbers 2k and 2k + 1 are a pair.

    A field that is smaller than the rest of the table is repeated in turn; a larger field sends other bots each time.
    Without a field, a table of two is NEW against OLD, and at a table of one each plays the deal alone.
    """
    if field_size == 0 and players == 2:
        return ((NEW, OLD), (OLD, NEW))
    if players < 1 or field_size < 0 or (field_size == 0) != (players == 1):
        raise WrongPlayers(f"no experiment has {players} players and a field of {field_size}", field="field")
    return tuple(
        _turned((contender, *around), seat)
        for seat, around in enumerate(_around(players, field_size))
        for contender in (NEW, OLD)
    )


def difference(entry: Entry, measure: Measure = "places") -> float:
    """Return how much better NEW did than OLD, in the mean of their games: above 0 if NEW is better."""
    new, old = results(entry, measure)
    return new - old


def results(entry: Entry, measure: Measure = "places") -> tuple[float, float]:
    """Return the mean result of NEW and that of OLD in their games of the block: more is better.

    Raise `BadPlacings` if one of them has not played.
    """
    new, old = ([*_results(entry, contender, MEASURES[measure])] for contender in (NEW, OLD))
    if not new or not old:
        raise BadPlacings(f"block {entry.block}: NEW and OLD have not both played", field="games")
    return fmean(new), fmean(old)


def differences(ledger: Iterable[Entry], measure: Measure = "places") -> Iterator[float]:
    """Return the difference of each block that was played, in the order of their numbers."""
    return (difference(entry, measure) for entry in before_a_gap(ledger) if entry.games)


def before_a_gap(ledger: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries up to the first unfinished block, because later blocks count only after it has ended.

    There is one table, and a round begins when all blocks of the round before it are over.
    """
    expected = BlockPlace(0, 0, 0)
    for entry in ledger:
        place = block_place(entry.block)
        if place not in (expected, BlockPlace(expected.round + 1, 0, 0)):
            return
        yield entry
        expected = place._replace(number=place.number + 1)


def _around(players: int, field_size: int) -> Iterator[Seating]:
    """Yield the field to the right of the compared bot, round the table, for each of its seats.

    The field goes on from where it stopped, so that no bot plays two games more than another; a field that divides the
    table evenly would always begin with the same bot, and is turned by one instead.
    """
    others = players - 1
    step = others if field_size and others % field_size else 1
    for seat in range(players):
        yield tuple(FIELD + (seat * step + place) % field_size for place in range(others))


def _turned(circle: Seating, seat: Seat) -> Seating:
    """Return the circle with its first bot in that seat."""
    return tuple(circle[place - seat] for place in range(len(circle)))


def _results(entry: Entry, contender: int, measure: Callable[[Game, Seat], float]) -> Iterator[float]:
    for game in entry.games:
        for seat, bot in enumerate(game.seating):
            if bot == contender:
                yield measure(game, seat)


def _place(game: Game, seat: Seat) -> float:
    return -game.places[seat]


def _points(game: Game, seat: Seat) -> float:
    """Return the points of a seat.

    A replaced bot gets the least of the table and at most 0, because a house bot scored them.
    """
    points = [score[0] for score in game.record.scores]
    return min(0, *points) if game.replaced[seat] else points[seat]


def _win(game: Game, seat: Seat) -> float:
    return share_of_win(judged(game.record.scores, game.replaced), seat)


MEASURES: dict[Measure, Callable[[Game, Seat], float]] = {"places": _place, "points": _points, "wins": _win}
