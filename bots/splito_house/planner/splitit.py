"""The strategy of `planner` for *Split it!*: the worth of every zone to every seat, and a guess of the bets.

The worth of cards to a seat is the change of its expected final points, less that of its rivals. A column scores with
the chance that no other is longer at the end of the pile. Bets are guessed by quantal response: every seat prefers
zones that pay more, first against random bets, then against that guess, and so on. The worth of a split or a removal is
that of the bets after it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, prod
from operator import add, mul
from random import Random
from typing import Any, TypeAlias

from splito_engine.game import Seat
from splito_engine.games.splitit import (
    SplititMove,
    SplititPlace,
    SplititRemove,
    SplititSplit,
    SplititView,
    SplititZones,
    Zone,
)
from splito_engine.games.splitit.columns import length, open_columns
from splito_engine.games.splitit.deck import JOKER, KINDS, NUMBERS, Cards, cards_in, cut, filled
from splito_engine.player import Ask

SHARE, JOKER_SHARE = 0.15, 0.02
"""Share of the pile that a seat expects to win: of the cards of a number, and of the jokers for one of its columns."""
WAITING = 0.7
"""Worth of a joker without a column, in points."""
STAY = 0.3
"""Share of the worth of a zone that remains if several seats bet on it."""
LEADER = 0.1
"""Additional weight of a rival per point by which it is ahead."""
GUESS, REMOVAL, OWN = 5.0, 0.5, 0.7
"""Points that make a choice e times likelier: bets of others, removals of the other player, bets of the planner."""
LARGEST_ZONE = 4  # cards of the largest zone that the planner considers in a row of nine
LEVELS = 3
"""Number of times that the guess of all bets is refined."""

Worth: TypeAlias = list[float]
"""Points for each seat, or for each zone."""
Mix: TypeAlias = list[float]
"""Chance of a bet on each zone."""
Stakes: TypeAlias = list[dict[Seat, Worth]]
"""Per zone and per seat that may win it: the worth of that to each seat."""


def choose(ask: Ask) -> SplititMove:
    """Return a bet at random by its worth; any other move with the highest worth."""
    if len(ask.moves) == 1:
        return ask.moves[0]
    view: SplititView = ask.view
    rng, outlook = Random(ask.seed), Outlook(view)
    if view.phase == "bet":
        return rng.choices(ask.moves, _own_bets(outlook, ask.seat))[0]
    moves = [move for move in ask.moves if not (isinstance(move, SplititSplit) and _is_lopsided(move, len(view.row)))]
    worth = [_WORTH[view.phase](outlook, move, ask.seat) for move in moves]
    best = max(worth) - 1e-9
    return rng.choice([move for move, value in zip(moves, worth, strict=True) if value >= best])


def _is_lopsided(split: SplititSplit, cards: int) -> bool:
    """Return True for a split with a very large zone of a long row; it is skipped, because there are many others."""
    return cards > 7 and max(split.left, split.right - split.left, cards - split.right) > LARGEST_ZONE


class Outlook:
    """The expected points of all seats, and the changes that more cards would make."""

    def __init__(self, view: SplititView) -> None:
        self.view = view
        self._columns = [tuple(length(player, number) for player in view.table) for number in NUMBERS]
        self._open = [dict.fromkeys(open_columns(player), 0) for player in view.table]
        self._points = [self._expected(number, self._columns[number - 1]) for number in NUMBERS]
        self._weights = _weights([sum(column) for column in zip(*self._points, strict=True)])
        self._longer: dict[tuple[Seat, int, int], Worth] = {}
        self._won: dict[tuple[Seat, Cards], Worth] = {}

    def longer(self, seat: Seat, number: int, cards: int) -> Worth:
        """Return the worth to each seat if a column of this seat gets that many more cards."""
        key = (seat, number, cards)
        if key not in self._longer:
            column = self._columns[number - 1]
            then = self._expected(number, (*column[:seat], column[seat] + cards, *column[seat + 1 :]))
            gains = [after - before for after, before in zip(then, self._points[number - 1], strict=True)]
            self._longer[key] = [sum(map(mul, weights, gains)) for weights in self._weights]
        return self._longer[key]

    def won(self, seat: Seat, cards: Cards) -> Worth:
        """Return the worth to each seat if this seat wins the cards."""
        key = (seat, cards)
        if key not in self._won:
            longer, loose = self._laid(seat, cards)
            worth = [0.0] * self.view.players
            for number, count in longer.items():
                if count:
                    worth = list(map(add, worth, self.longer(seat, number, count)))
            worth[seat] += WAITING * loose
            self._won[key] = worth
        return self._won[key]

    def _laid(self, seat: Seat, cards: Cards) -> tuple[dict[int, int], int]:
        """Return the cards that each column gets, jokers where they are worth most, and the jokers without a column."""
        longer = self._open[seat].copy()
        for card in cards:
            if card != JOKER:
                longer[int(card)] = longer.get(int(card), 0) + 1
        loose = self.view.table[seat].waiting + cards.count(JOKER)
        while loose and longer:
            best = max(longer, key=lambda number: self._one_more(seat, number, longer[number]))
            longer[best] += 1
            loose -= 1
        return longer, loose

    def _one_more(self, seat: Seat, number: int, cards: int) -> float:
        already = self.longer(seat, number, cards)[seat] if cards else 0.0
        return self.longer(seat, number, cards + 1)[seat] - already

    def _expected(self, number: int, column: tuple[int, ...]) -> Worth:
        unseen, jokers = self.view.unseen[KINDS[number - 1]], self.view.unseen[JOKER]
        return [
            number * _chance(mine, tuple(sorted(column[:seat] + column[seat + 1 :])), unseen, jokers)
            for seat, mine in enumerate(column)
        ]


def _weights(points: Worth) -> list[Worth]:
    """Return the worth of a point of each seat to each: 1 to itself, -1 shared among rivals, most for the leader."""
    best = max(points)
    pull = [exp(LEADER * (value - best)) for value in points]
    total = sum(pull)
    return [
        [1.0 if other == seat else -pull[other] / (total - pull[seat]) for other in range(len(points))]
        for seat in range(len(points))
    ]


@lru_cache(2**16)
def _chance(mine: int, others: tuple[int, ...], unseen: int, jokers: int) -> float:
    """Return the chance that the column ends with a card and no shorter than others. Jokers join old columns only."""
    new, old = _growth(unseen * SHARE), _growth(unseen * SHARE + jokers * JOKER_SHARE)
    chance = 0.0
    for more, likely in enumerate((old if mine else new)[0]):
        final = mine + more
        if final >= max(others[-1], 1):
            chance += likely * prod([(old if other else new)[1][final - other] for other in others])
    return chance


@lru_cache(2**10)
def _growth(mean: float) -> tuple[Worth, Worth]:
    """Return the Poisson chances that a column grows by exactly 0, 1, ... and by at most 0, 1, ... cards."""
    exactly = list(accumulate(range(1, 8), lambda likely, count: likely * mean / count, initial=exp(-mean)))
    return exactly, list(accumulate(exactly)) + [1.0] * 25


def _place(outlook: Outlook, move: SplititPlace, seat: Seat) -> float:
    return outlook.longer(seat, move.column, 1)[seat]


def _remove(outlook: Outlook, move: SplititRemove, seat: Seat) -> float:
    return _without(outlook, outlook.view.zones, move.zone, seat)


def _split(outlook: Outlook, move: SplititSplit, seat: Seat) -> float:
    """Return the worth of a split. A player who removes a zone afterwards prefers to hurt the splitter."""
    view = outlook.view
    zones = cut(view.row, move.left, move.right)
    if view.players > 2 or (view.splits and not view.options.remove_at_every_split):
        return _without(outlook, zones, None, seat)
    worth = [_without(outlook, zones, zone, seat) for zone in filled(zones)]
    return sum(map(mul, worth, _lean([-value for value in worth], REMOVAL)))


_WORTH: dict[str, Callable[[Outlook, Any, Seat], float]] = {"split": _split, "remove": _remove, "place": _place}


def _without(outlook: Outlook, zones: SplititZones, removed: Zone | None, seat: Seat) -> float:
    """Return the worth of the bets on the remaining zones to the seat, whether it bets or not."""
    stakes = _stakes(outlook, [cards_in(zones, zone) for zone in filled(zones) if zone != removed])
    mixes = _guess(stakes, 1, seat)
    pays = _pays(stakes, mixes, seat)
    return sum(map(mul, pays, _lean(pays, OWN))) if seat in mixes else max(pays)


def _own_bets(outlook: Outlook, seat: Seat) -> Mix:
    zones = outlook.view.zones
    stakes = _stakes(outlook, [cards_in(zones, zone) for zone in filled(zones)])
    return _lean(_pays(stakes, _guess(stakes, LEVELS, seat), seat), OWN)


def _stakes(outlook: Outlook, zones: list[Cards]) -> Stakes:
    return [{seat: outlook.won(seat, cards) for seat in outlook.view.inside} for cards in zones]


def _guess(stakes: Stakes, levels: int, seat: Seat) -> dict[Seat, Mix]:
    """Return a guess of all bets: the average of the preferred bets over all levels."""
    mixes = {other: [1 / len(stakes)] * len(stakes) for other in stakes[0]}
    for level in range(levels):
        thinking = [other for other in mixes if other != seat or level + 1 < levels]  # the bot's last guess is unused
        leans = {other: _lean(_pays(stakes, mixes, other), GUESS) for other in thinking}
        mixes |= {other: _between(mixes[other], lean, 1 / (level + 1)) for other, lean in leans.items()}
    return mixes


def _between(old: Mix, new: Mix, step: float) -> Mix:
    return [one + step * (other - one) for one, other in zip(old, new, strict=True)]


def _pays(stakes: Stakes, mixes: Mapping[Seat, Mix], seat: Seat) -> Worth:
    """Return the worth of a bet on each zone to the seat; to a seat that does not bet, that of the others' bets."""
    others = [other for other in mixes if other != seat]
    pays: Worth = []
    losses: Worth = []
    for zone, winners in enumerate(stakes):
        away = [max(1 - mixes[other][zone], 1e-9) for other in others]
        alone = prod(away)
        theirs = [winners[other][seat] for other in others]
        losses.append(alone * sum([(1 / out - 1) * worth for out, worth in zip(away, theirs, strict=True)]))
        if seat in mixes:
            mine = winners[seat][seat]
            later = STAY * (mine + sum(theirs) / (len(theirs) or 1))
            pays.append(alone * mine + (1 - alone) * later - losses[-1])
        else:
            pays.append(0.0)
    total = sum(losses)
    return [pay + total for pay in pays]


def _lean(worth: Sequence[float], points: float) -> Mix:
    """Return the quantal response: the chance of each choice grows with its worth."""
    best = max(worth)
    weights = [exp((value - best) / points) for value in worth]
    total = sum(weights)
    return [weight / total for weight in weights]
