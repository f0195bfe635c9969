"""The Plackett-Luce model of games: its likelihood, its fit, and its profile likelihood.

Every bot has a strength s. The first of a game is drawn from its bots with chances in proportion to exp(s), the second
from the bots that are left, and so on. Between two bots the one with strength s finishes ahead of one with strength r
with the chance 1 / (1 + exp(r - s)), at tables of every size.

A game with ties counts as several orders, each in equal part (`splito_arena.stats.orders`).

The log-likelihood is concave, and its curvature grows at most by the factor exp(r) along a step that moves no two
strengths of one game further apart than r. A step of Newton's method that is held to r = 1 therefore always climbs.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from splito_arena.stats.orders import orders

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

RIDGE = 1e-6
"""Curvature that is added for each bot, so that a bot that always wins gets a large strength instead of none.

A bot whose games tell anything has a curvature of 1 or more; its strength changes by less than 0.01 rating points.
"""
TOLERANCE = 1e-9
"""Greatest change of a strength at which a fit ends."""
PRECISION = 1e-4
"""Greatest error of the end of an interval, in strength: a fiftieth of a rating point."""
FAR = 100.0
"""Difference of strengths up to which exp() of them can be computed with and squared."""
REACH = 3.0
"""Greatest step in the search for the end of an interval."""


class Orders(msgspec.Struct, frozen=True):
    """Orders in which bots finished, the first first. Rows with fewer bots than columns end in `bots`."""

    bots: int
    """Number of bots; a place of a row without a bot has this number."""
    rows: Indices
    """Number of the bot, by row and place."""
    weight: Floats
    """Weight of each row."""
    block: Indices
    """Number of the block, by row."""


class _At(msgspec.Struct, frozen=True):
    """The orders seen from a set of strengths."""

    pull: Floats
    """exp(strength), up to a factor for each row, by row and place; 0 where there is no bot."""
    inverse: Floats
    """1 / sum of the pulls of all bots from this place on, by row and place; 0 for the last bot of a row."""
    value: float
    """Log-likelihood, the rest included."""


def orders_of(blocks: Sequence[tuple[Sequence[int], Sequence[tuple[float, ...]]]], bots: int) -> Orders:
    """Return the orders of games, given block by block: the numbers of its bots, and their places in each game."""
    known = dict[tuple[float, ...], int]()
    kinds = np.array([known.setdefault(places, len(known)) for _, games in blocks for places in games], np.intp)
    block = np.repeat(np.arange(len(blocks)), [len(games) for _, games in blocks])
    width = max(len(numbers) for numbers, _ in blocks)
    seats = np.array([[*numbers, *[bots] * (width - len(numbers))] for numbers, _ in blocks], np.intp)
    sorted_games = np.argsort(kinds, kind="stable")
    parts = np.split(sorted_games, np.searchsorted(kinds[sorted_games], np.arange(1, len(known))))
    rows, weights, places_blocks = list[Indices](), list[Floats](), list[Indices]()
    for places, games in zip(known, parts, strict=True):
        found = orders(places)
        rest = range(len(places), width)
        for order in found:
            rows.append(seats[block[games]][:, [*order, *rest]])
            weights.append(np.full(len(games), 1 / len(found)))
            places_blocks.append(block[games])
    return Orders(bots, np.concatenate(rows), np.concatenate(weights), np.concatenate(places_blocks))


def merged(found: Orders) -> Orders:
    """Return the orders with equal rows added up, for a faster fit; their blocks are lost."""
    if (found.bots + 1) ** found.rows.shape[1] >= 2**63:
        return found
    codes = np.zeros(len(found.rows), np.int64)
    for place in range(found.rows.shape[1]):
        codes = codes * (found.bots + 1) + found.rows[:, place]
    _, first, where = np.unique(codes, return_index=True, return_inverse=True)
    weight = np.asarray(np.bincount(where, found.weight), np.float64)
    return Orders(found.bots, found.rows[first], weight, np.zeros(len(first), np.intp))


class Rest(msgspec.Struct, frozen=True):
    """A parabola that stands for all orders that a likelihood does not have: by default the ridge alone."""

    centre: Floats
    slope: Floats
    """Slope at the centre."""
    curvature: Floats

    def value(self, strengths: Floats) -> float:
        step = strengths - self.centre
        return float(self.slope @ step - step @ self.curvature @ step / 2)

    def slope_at(self, strengths: Floats) -> Floats:
        return np.asarray(self.slope - self.curvature @ (strengths - self.centre), np.float64)


class Likelihood:
    """The log-likelihood of a set of orders, with its slope and curvature."""

    def __init__(self, found: Orders, rest: Rest | None = None) -> None:
        self.orders = found
        self._rest = rest or Rest(np.zeros(found.bots), np.zeros(found.bots), RIDGE * np.eye(found.bots))
        rows = found.rows
        is_there = rows < found.bots
        self._is_drawn = is_there.copy()  # the last bot of a row is not drawn, because nobody else is left
        self._is_drawn[np.arange(len(rows)), is_there.sum(axis=1) - 1] = False
        self._times_drawn = self._by_bot(self._is_drawn.astype(np.float64))
        slots = range(rows.shape[1])
        self._pairs = [
            (one, other, rows[:, one] * (found.bots + 1) + rows[:, other]) for one, other in combinations(slots, 2)
        ]

    def at(self, strengths: Floats) -> _At:
        """Return the orders seen from these strengths."""
        above = np.append(strengths - strengths.max(), -np.inf)
        pull, shift = np.exp(above)[self.orders.rows], 0.0
        if above[:-1].min() < -FAR:  # the pulls of weak bots would be too small to compute with
            found = above[self.orders.rows]
            top = found.max(axis=1)
            pull = np.exp(found - top[:, None])
            shift = float(self.orders.weight @ (top * self._is_drawn.sum(axis=1)))
        left = np.where(self._is_drawn, np.cumsum(pull[:, ::-1], axis=1)[:, ::-1], 1.0)
        drawn = float(self._times_drawn @ above[:-1]) - shift - float(self.orders.weight @ np.log(left).sum(axis=1))
        return _At(pull, self._is_drawn / left, drawn + self._rest.value(strengths))

    def surprise(self, at: _At) -> Floats:
        """Return how much more often each bot was drawn than expected, by row and place."""
        return self.orders.weight[:, None] * (self._is_drawn - at.pull * np.cumsum(at.inverse, axis=1))

    def slope(self, at: _At, strengths: Floats) -> Floats:
        """Return the slope of the log-likelihood for each bot."""
        bots = self.orders.bots
        summed = np.bincount(self.orders.rows.ravel(), self.surprise(at).ravel(), bots + 1)[:bots]
        return np.asarray(summed + self._rest.slope_at(strengths), np.float64)

    def curvature(self, at: _At) -> Floats:
        """Return the matrix of the curvature, with positive diagonal."""
        width = self.orders.bots + 1
        squares = np.cumsum(at.inverse**2, axis=1) * self.orders.weight[:, None]
        total = np.zeros(width * width)
        for one, other, cells in self._pairs:
            total += np.bincount(cells, at.pull[:, one] * at.pull[:, other] * squares[:, one], width * width)
        half = total.reshape(width, width)
        both = (half + half.T)[:-1, :-1]
        return np.asarray(np.diag(both.sum(axis=1)) - both + self._rest.curvature, np.float64)

    def skewness(self, at: _At) -> Floats:
        """Return the skewness of the likelihood of each bot, were the other strengths known."""
        once, twice, thrice = (at.pull**power * np.cumsum(at.inverse**power, axis=1) for power in (1, 2, 3))
        spread = self._by_bot(once - twice) + RIDGE
        return self._by_bot(once - 3 * twice + 2 * thrice) / spread**1.5

    def scatter(self, at: _At) -> Floats:
        """Return the sum over blocks of the products of the surprises of each two bots."""
        width = self.orders.bots + 1
        keys, where = np.unique(self.orders.block[:, None] * width + self.orders.rows, return_inverse=True)
        sums = np.bincount(where.ravel(), self.surprise(at).ravel())
        block, bot = np.divmod(keys, width)
        _, first, size = np.unique(block, return_index=True, return_counts=True)
        slot = np.arange(len(keys)) - np.repeat(first, size)
        row = np.repeat(np.arange(len(first)), size)
        bots, sizes = np.full((len(first), size.max()), self.orders.bots), np.zeros((len(first), size.max()))
        bots[row, slot], sizes[row, slot] = bot, sums
        total = np.zeros(width * width)
        for one in range(size.max()):
            for other in range(size.max()):
                cells = bots[:, one] * width + bots[:, other]
                total += np.bincount(cells, sizes[:, one] * sizes[:, other], width * width)
        return total.reshape(width, width)[:-1, :-1]

    def reach(self, step: Floats) -> float:
        """Return the greatest change of the difference of two strengths of one game."""
        most, least = (np.append(step, -side * np.inf)[self.orders.rows] for side in (1, -1))
        return float((most.max(axis=1) - least.min(axis=1)).max())

    def ahead(self) -> Floats:
        """Return how often the first bot finished ahead of the second, by bot and bot; a tie counts half."""
        width = self.orders.bots + 1
        total = np.zeros(width * width)
        for _, _, cells in self._pairs:
            total += np.bincount(cells, self.orders.weight, width * width)
        return total.reshape(width, width)[:-1, :-1]

    def _by_bot(self, values: Floats) -> Floats:
        bots = self.orders.bots
        weighted = (self.orders.weight[:, None] * values).ravel()
        return np.asarray(np.bincount(self.orders.rows.ravel(), weighted, bots + 1)[:bots], np.float64)


def fitted(likelihood: Likelihood, start: Floats | None = None) -> Floats:
    """Return the most likely strengths, with mean about 0."""
    strengths = np.zeros(likelihood.orders.bots) if start is None else start
    while True:
        at = likelihood.at(strengths)
        step = np.asarray(np.linalg.solve(likelihood.curvature(at), likelihood.slope(at, strengths)), np.float64)
        strengths = strengths + step / max(1.0, likelihood.reach(step))
        if not float(np.ptp(step)) > TOLERANCE:
            return strengths


class _Held(msgspec.Struct, frozen=True):
    """The most likely strengths among those with a given value of a contrast."""

    strengths: Floats
    drop: float
    """Log-likelihood lost against the best strengths."""
    steepness: float
    """Change of the drop per change of the contrast."""
    path: Floats
    """Change of the strengths per change of the contrast."""


def profile_end(likelihood: Likelihood, best: Floats, contrast: Floats, begin: float, drop: float) -> float:
    """Return the value of a contrast at which its profile likelihood is `drop` below its maximum.

    `begin` is a guess, on the side of the maximum on which the end is searched.
    """
    top, start = likelihood.at(best).value, best

    def lost(value: float) -> tuple[float, float]:
        nonlocal start
        held = _held(likelihood, top, start, contrast, value)
        start = held.strengths
        return held.drop, held.steepness

    return where_lost(lost, float(contrast @ best), begin, drop)


def where_lost(lost: Callable[[float], tuple[float, float]], best: float, begin: float, drop: float) -> float:
    """Return the value at which `drop` is lost against the best value. `lost` gives the loss and its steepness.

    The root of the loss is nearly a straight line, along which the search steps from `begin`; it halves the interval
    where a step leads out of it.
    """
    inner, outer, value = best, float("nan"), begin
    side = 1.0 if begin > inner else -1.0
    while True:
        here, steepness = lost(value)
        if here < drop:
            inner = value
        else:
            outer = value
        root = max(here, 1e-300) ** 0.5
        step = (drop**0.5 - root) * 2 * root / steepness if steepness * side > 0 else side
        following = value + float(np.clip(step, -REACH, REACH))
        if not min(inner, outer) <= following <= max(inner, outer) and not np.isnan(outer):
            following = (inner + outer) / 2
        if abs(following - value) < PRECISION:
            return following
        value = following


def _held(likelihood: Likelihood, top: float, start: Floats, contrast: Floats, value: float) -> _Held:
    strengths, first = start, True
    while True:
        at = likelihood.at(strengths)
        slope = likelihood.slope(at, strengths)
        both = np.linalg.solve(likelihood.curvature(at), np.column_stack((slope, contrast)))
        path = np.asarray(both[:, 1] / float(contrast @ both[:, 1]), np.float64)
        pull = float(contrast @ both[:, 0])
        step = both[:, 0] + path * (value - float(contrast @ strengths) - pull)
        if not float(np.ptp(step)) > PRECISION and not first:
            return _Held(strengths, top - at.value, -float(slope @ path), path)
        strengths, first = strengths + step / max(1.0, likelihood.reach(step)), False
