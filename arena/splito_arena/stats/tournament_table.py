"""Tables of a tournament, derived from its ledger alone: the published table and the crosstable.

The order of the blocks changes no figure except the online rating and its trend, for which they are taken in the order
of their ids. The same blocks therefore always give the same table, during the tournament and at its end.
"""

from collections import Counter
from collections.abc import Iterable
from statistics import fmean

import msgspec

from splito_arena.blocks.ledger import Entry, Game, VersionId, placings
from splito_arena.blocks.placings import Placings, mean_places
from splito_arena.match.places import judged, share_of_win
from splito_arena.stats.fitted_rating import refit
from splito_arena.stats.head_to_head import Pair, head_to_head
from splito_arena.stats.intervals import Interval, interval
from splito_arena.stats.online_rating import leaderboard, replayed
from splito_engine.game import Seat


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the published table."""

    bot: VersionId
    rating: Interval
    """Rating by the fit to all blocks at once, relative to the mean of the group, which is 1500."""
    group: int
    """Number of the group, from 1, the largest first.

    Bots of two groups never met, not even through other bots, so that they cannot be compared.
    """
    games: int
    blocks: int
    place: Interval
    """Place, from 1; tied bots share the mean of their places. A replaced bot comes last."""
    points: Interval
    wins: Interval
    """Share of the win of one game; each of k winners has 1/k."""
    faults: dict[str, int]
    """Number of faults by their codes."""
    replaced: int
    """Number of games in which a house bot played on for the bot; the points include its points."""
    online: Interval
    """Online rating, which moves with every block."""
    trend: float
    """Change of the online rating over the last blocks."""


class _Fares(msgspec.Struct, frozen=True):
    """The results of a bot in one block, in the mean of its games."""

    place: float
    points: float
    wins: float


class Seated(msgspec.Struct, frozen=True):
    """The results of a bot in one game."""

    game: Game
    seat: Seat
    place: float

    @property
    def points(self) -> int:
        return self.game.record.scores[self.seat][0]

    @property
    def wins(self) -> float:
        return share_of_win(judged(self.game.record.scores, self.game.replaced), self.seat)


def standings(ledger: Iterable[Entry]) -> tuple[Line, ...]:
    """Return the table group by group, the best first; empty without rated blocks. Experiments are not rated."""
    played = _rated(ledger)
    if not played:
        return ()
    places = [found for _, found in played]
    online = {row.bot: row for row in leaderboard(replayed(places))}
    fares, games = _fares(played), games_of(entry for entry, _ in played)
    return tuple(
        Line(
            bot=row.bot,
            rating=row.rating,
            group=row.group,
            games=row.games,
            blocks=row.blocks,
            place=interval([block.place for block in fares[row.bot]]),
            points=interval([block.points for block in fares[row.bot]]),
            wins=interval([block.wins for block in fares[row.bot]]),
            faults=_faults(games[row.bot]),
            replaced=sum(one.game.replaced[one.seat] for one in games[row.bot]),
            online=online[row.bot].rating,
            trend=online[row.bot].trend,
        )
        for row in refit(places)
    )


def crosstable(ledger: Iterable[Entry]) -> tuple[Pair, ...]:
    """Return the head-to-head results of all pairs that met, each pair once."""
    return head_to_head(rateable(ledger))


def rated_entries(ledger: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries in which all bots of the table played, in the order of play."""
    return tuple(entry for entry, _ in _rated(ledger))


def rateable(ledger: Iterable[Entry]) -> tuple[Placings, ...]:
    return tuple(found for found in map(placings, ledger) if found is not None)


def games_of(ledger: Iterable[Entry]) -> dict[VersionId, list[Seated]]:
    """Return all games of each bot."""
    found = dict[VersionId, list[Seated]]()
    for entry in ledger:
        for bot, games in zip(entry.bots, seated(entry), strict=True):
            found.setdefault(bot, []).extend(games)
    return found


def seated(entry: Entry) -> list[list[Seated]]:
    """Return the games of a block as each of its bots played them, in the order of the bots."""
    by_bot: list[list[Seated]] = [[] for _ in entry.bots]
    for game in entry.games:
        for bot, one in zip(game.seating, by_seat(game), strict=True):
            by_bot[bot].append(one)
    return by_bot


def by_seat(game: Game) -> list[Seated]:
    return [Seated(game, seat, place) for seat, place in enumerate(game.places)]


def _rated(ledger: Iterable[Entry]) -> list[tuple[Entry, Placings]]:
    found = ((entry, placings(entry)) for entry in ledger)
    return sorted(((entry, places) for entry, places in found if places), key=lambda both: both[0].block)


def _fares(played: Iterable[tuple[Entry, Placings]]) -> dict[VersionId, list[_Fares]]:
    """Return the results of each bot, block by block."""
    found = dict[VersionId, list[_Fares]]()
    for entry, places in played:
        for bot, games, place in zip(entry.bots, seated(entry), mean_places(places), strict=True):
            means = _Fares(place, fmean(one.points for one in games), fmean(one.wins for one in games))
            found.setdefault(bot, []).append(means)
    return found


def _faults(games: Iterable[Seated]) -> dict[str, int]:
    counted = Counter(code for one in games for code in one.game.faults[one.seat])
    return dict(sorted(counted.items()))
