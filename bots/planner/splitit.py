"""A plan for *Split it!*: what every zone is worth to everybody, and who will bet where.

The worth of cards is what they change in the points to be expected at the end, the own less those of the rivals. A
column scores with the chance that nobody's is longer once the pile has been shared out. Bets are guessed by quantal
response: everybody leans towards what pays, first against bets at random, then against that guess. A split or a removal
is worth what the bets after it are.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp, prod
from random import Random
from typing import TypeAlias

from engine.errors import BadBot
from engine.game import Seat
from engine.games.splitit import Card, SplititMove, SplititPlayer, SplititView
from engine.games.splitit.cards import JOKER, NUMBERS, ZONES, Cards, cards_in, cut
from engine.games.splitit.columns import length, open_columns
from engine.games.splitit.move import SplititBet, SplititPlace, SplititRemove, SplititSplit
from engine.player import Ask

SHARE = 0.15
"""Of the cards in the pile, what one seat wins of a number."""
JOKER_SHARE = 0.02
"""Of the jokers in the pile, what one seat puts on one column."""
STAY = 0.35
"""What is left of the worth of a zone when nobody wins it at once."""
WAITING = 0.7
"""What a joker without a column is worth, in points."""
RIVALS = 0.1
"""How much more a rival counts for each point it is ahead of another."""
GUESS, BET, REMOVAL = 1.5, 0.3, 0.5
"""How many points make a choice e times as likely: of others in betting, of the planner, of who removes a zone."""
LEVELS = 2
DAMP = 0.7
BLEND = 0.0
"""How often everybody thinks about the bets of everybody."""

Worth: TypeAlias = list[float]
"""One number per seat."""
Stakes: TypeAlias = list[dict[Seat, Worth]]
"""Per zone and winner, the worth of that to every seat."""
Mix: TypeAlias = list[float]
"""How likely a bet on each of the zones is."""


def choose(ask: Ask) -> SplititMove:
    if len(ask.moves) == 1:
        return ask.moves[0]
    view: SplititView = ask.view
    rng = Random(ask.seed)
    outlook = Outlook(view)
    if view.phase == "bet":
        zones = [cards_in(view.zones, bet.zone) for bet in ask.moves]
        return rng.choices(ask.moves, _lean(_bets(outlook, zones, ask.seat), BET))[0]
    worth = [_WORTH[view.phase](outlook, move, ask.seat) for move in ask.moves]
    best = max(worth)
    return rng.choice([move for move, value in zip(ask.moves, worth, strict=True) if value > best - 1e-9])


class Outlook:
    def __init__(self, view: SplititView) -> None:
        self.view = view
        self.lengths = [tuple(length(player, number) for player in view.table) for number in NUMBERS]
        kinds: list[Card] = list(view.unseen)
        self.rates = [round(view.unseen[kind] * SHARE * 20) for kind in kinds[:-1]]
        self.joker_rate = round(view.unseen[JOKER] * JOKER_SHARE * 20)
        self.now = [self._points(number, self.lengths[number - 1]) for number in NUMBERS]
        points = [sum(column) for column in zip(*self.now, strict=True)]
        self.weights = [_weights(points, seat) for seat in range(view.players)]
        self._longer: dict[tuple[Seat, int, int], Worth] = {}
        self._won: dict[tuple[Seat, Cards], Worth] = {}

    def _points(self, number: int, lengths: tuple[int, ...]) -> Worth:
        rate = self.rates[number - 1]
        return [
            number * _chance(mine, tuple(sorted(lengths[:seat] + lengths[seat + 1 :])), rate, self.joker_rate)
            for seat, mine in enumerate(lengths)
        ]

    def longer(self, seat: Seat, number: int, more: int) -> Worth:
        """That this column of this seat gets so many more cards."""
        key = (seat, number, more)
        if key not in self._longer:
            now = self.lengths[number - 1]
            then = (*now[:seat], now[seat] + more, *now[seat + 1 :])
            gain = [b - a for a, b in zip(self.now[number - 1], self._points(number, then), strict=True)]
            self._longer[key] = [sum(map(float.__mul__, weights, gain)) for weights in self.weights]
        return self._longer[key]

    def won(self, seat: Seat, cards: Cards) -> Worth:
        """That the seat wins these cards."""
        key = (seat, cards)
        if key not in self._won:
            more, loose = self._laid(seat, cards)
            worth = [0.0] * self.view.players
            for number, count in more.items():
                worth = list(map(float.__add__, worth, self.longer(seat, number, count)))
            worth[seat] += WAITING * loose
            self._won[key] = worth
        return self._won[key]

    def _laid(self, seat: Seat, cards: Cards) -> tuple[dict[int, int], int]:
        """How much longer which columns get, jokers where they are worth most, and how many jokers have no column."""
        player = self.view.table[seat]
        more: dict[int, int] = {}
        for card in cards:
            if card != JOKER:
                more[int(card)] = more.get(int(card), 0) + 1
        loose = player.waiting + cards.count(JOKER)
        columns = {*more, *open_columns(player)}
        while loose and columns:
            best = max(columns, key=lambda n: self.longer(seat, n, more.get(n, 0) + 1)[seat] - (self.longer(seat, n, more[n])[seat] if n in more else 0))
            more[best] = more.get(best, 0) + 1
            loose -= 1
        return more, loose


def _weights(points: Worth, seat: Seat) -> Worth:
    """What a point of each seat is worth to this one."""
    best = max(points)
    rivals = [0.0 if other == seat else exp(RIVALS * (value - best)) for other, value in enumerate(points)]
    return [1.0 if other == seat else -weight / sum(rivals) for other, weight in enumerate(rivals)]


def _place(outlook: Outlook, move: SplititPlace, seat: Seat) -> float:
    return outlook.longer(seat, move.column, 1)[seat]


def _remove(outlook: Outlook, move: SplititRemove, seat: Seat) -> float:
    zones = outlook.view.zones
    return _value(outlook, [cards_in(zones, zone) for zone in ZONES if zone != move.zone], seat)


def _split(outlook: Outlook, move: SplititSplit, seat: Seat) -> float:
    view = outlook.view
    zones = cut(view.row, move.left, move.right)
    parts = [cards for zone in ZONES if (cards := cards_in(zones, zone))]
    if view.players == 2 and (view.splits == 0 or view.options.remove_at_every_split):
        worth = [_value(outlook, [other for other in parts if other is not part], seat) for part in parts]
        return sum(map(float.__mul__, worth, _lean([-value for value in worth], REMOVAL)))
    return _value(outlook, parts, seat)


_WORTH = {"split": _split, "remove": _remove, "place": _place}


def _value(outlook: Outlook, zones: list[Cards], seat: Seat) -> float:
    """What bets on these zones are worth to the seat."""
    stakes = _stakes(outlook, [z for z in zones if z])
    mixes = {other: _lean(_naive(stakes, other), GUESS) for other in outlook.view.inside}
    pays = _pays(stakes, mixes, seat)
    if seat not in mixes:
        return pays[0]
    return sum(map(float.__mul__, pays, _lean(pays, BET)))


def _bets(outlook: Outlook, zones: list[Cards], seat: Seat) -> Worth:
    stakes = _stakes(outlook, zones)
    inside = outlook.view.inside
    mixes = {other: _lean(_naive(stakes, other), GUESS) for other in inside}
    naive = mixes
    for k in range(1, LEVELS):
        new = {other: _lean(_pays(stakes, mixes, other), GUESS) for other in inside}
        mixes = {o: [a + (b - a) / (k + 1) ** DAMP for a, b in zip(mixes[o], new[o])] for o in inside}
    mixes = {o: [a * BLEND + b * (1 - BLEND) for a, b in zip(naive[o], mixes[o])] for o in inside}
    return _pays(stakes, mixes, seat)


def _stakes(outlook: Outlook, zones: list[Cards]) -> Stakes:
    return [{seat: outlook.won(seat, cards) for seat in outlook.view.inside} for cards in zones]


def _naive(stakes: Stakes, seat: Seat) -> Worth:
    """What a bet on each zone pays, but for a constant, when all others bet at random."""
    chance = 1 / len(stakes)
    others = len(stakes[0]) - 1
    none = (1 - chance) ** others
    pays: Worth = []
    for zone in stakes:
        mine = zone[seat][seat]
        theirs = (sum([worth[seat] for worth in zone.values()]) - mine) / others if others else 0
        blocked = others * chance * (1 - chance) ** (others - 1) if others else 0
        pays.append(none * mine + (1 - none) * STAY * (mine + theirs) - blocked * theirs)
    return pays


def _pays(stakes: Stakes, mixes: Mapping[Seat, Mix], seat: Seat) -> Worth:
    """What a bet on each zone pays; the same for all to a seat that does not bet."""
    others = [other for other in mixes if other != seat]
    pays: Worth = []
    lost: Worth = []
    for zone, worth in enumerate(stakes):
        away = [1 - mixes[other][zone] for other in others]
        lone = sum(
            (1 - a) * prod(away[:i] + away[i + 1 :]) * worth[other][seat] for i, (other, a) in enumerate(zip(others, away))
        )
        lost.append(lone)
        if seat in mixes:
            mine = worth[seat][seat]
            theirs = sum([worth[other][seat] for other in others]) / max(1, len(others))
            none = prod(away)
            pays.append(none * mine + (1 - none) * STAY * (mine + theirs) - lone)
        else:
            pays.append(0.0)
    total = sum(lost)
    return [pay + total for pay in pays]


def _lean(worth: Worth, points: float) -> Mix:
    """Choices by quantal response: the better, the likelier."""
    best = max(worth)
    weights = [exp((value - best) / points) for value in worth]
    total = sum(weights)
    return [weight / total for weight in weights]


@cache
def _poisson(rate: int) -> tuple[Worth, Worth]:
    pmf = [exp(-rate / 20)]
    while len(pmf) < 16:
        pmf.append(pmf[-1] * rate / 20 / len(pmf))
    return pmf, [sum(pmf[: k + 1]) for k in range(16)]


@cache
def _chance(mine: int, others: tuple[int, ...], rate: int, jokers: int) -> float:
    fresh, grown = _poisson(rate), _poisson(rate + jokers)
    chance = 0.0
    for more, p in enumerate((grown if mine else fresh)[0][:8]):
        now = mine + more
        if not now or now < others[-1]:
            continue
        for other in others:
            p *= (grown if other else fresh)[1][min(now - other, 15)]
        chance += p
    return chance
