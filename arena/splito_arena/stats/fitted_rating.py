"""Fitted ratings of the published table: one Plackett-Luce fit to all blocks at once, so that their order cannot
matter.

Every bot has a strength s. The first of a block is drawn from its bots with chances in proportion to exp(s), the second
from the bots that are left, and so on: each draw is a stage. Tied bots stand for all the orders that they could have
come in, each counted in equal part; between two bots that is half a win for each. A weak prior (normal, around the mean
of the group) keeps the strength of a bot that always wins finite.

The most likely strengths are found by Newton's method. The fitted function is concave, and its curvature grows at most
by the factor exp(r) along a step that moves no two strengths further apart than r: a step held to r = 1 always climbs.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, log

import msgspec
import numpy as np
from numpy.typing import NDArray

from splito_arena.blocks.placings import Placings, in_order, order
from splito_arena.errors import BadPlacings
from splito_arena.stats.intervals import Interval, Z

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

CENTRE = 1500
"""Rating of an average bot of the group."""
POINTS = 400 / log(10)
"""Rating points per 1 of strength: 100 points more are ahead in 64 % of blocks, 400 in 91 %."""
PRIOR = 3.0
"""Standard deviation of strengths in the prior: about 500 points."""
EXACT = 5
"""Number of tied bots up to which each of their orders is enumerated."""
TOLERANCE = 1e-9
"""Greatest change of a strength, in strength units, at which the fit ends."""


class Strength(msgspec.Struct, frozen=True):
    """A line of the published table."""

    bot: str
    rating: Interval
    """Rating relative to the mean of its group, which is `CENTRE` by definition."""
    games: int
    blocks: int
    group: int
    """Number of the group, from 1, the largest first.

    Bots of two groups never met, not even through other bots, so that they cannot be compared.
    """


class _Stages(msgspec.Struct, frozen=True):
    """All draws of all blocks. Slots that a block does not have are filled with the number of bots."""

    bots: Indices
    """Number of the bot, by block and slot."""
    wins: Floats
    """Number of stages in which the bot was drawn, by block and slot."""
    left: Indices
    """Bots of the block, by stage and slot."""
    share: Floats
    """Share by stage and slot: 1 if the bot could be drawn, 0 if not, something between for many tied bots."""
    weight: Floats
    """Weight by stage: below one if the stage belongs to some orders of tied bots only."""
    first: Indices
    """First stage, by block."""


def refit(ledger: Iterable[Placings]) -> tuple[Strength, ...]:
    """Return the table group by group, the best first.

    The same blocks in any order give the same table to the last digit.
    """
    ordered = in_order(ledger)
    if not ordered:
        raise BadPlacings("there are no blocks to rate", field="block")
    names = sorted({bot for placings in ordered for bot in placings.bots})
    stages = _stages(ordered, {name: index for index, name in enumerate(names)})
    group = _groups(ordered)
    strengths = _fitted(stages, len(names))
    errors = _errors(strengths, stages, np.array([group[name] for name in names]))
    games, blocks = _counts(ordered)
    rows = [
        Strength(
            bot=name,
            rating=Interval(CENTRE + POINTS * float(strength), Z * POINTS * float(error)),
            games=games[name],
            blocks=blocks[name],
            group=group[name],
        )
        for name, strength, error in zip(names, strengths, errors, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (row.group, -row.rating.mean, row.bot)))


def _fitted(stages: _Stages, bots: int) -> Floats:
    """Return the strengths, with mean 0 in each group, because stages tell only bots apart and the prior fixes the
    mean.
    """
    strengths = np.zeros(bots)
    while True:
        chances = _chances(strengths, stages)
        slope = _summed(stages.bots, _surprise(chances, stages), bots) - strengths / PRIOR**2
        step = np.linalg.solve(_curvature(chances, stages, bots), slope)
        reach = float(np.ptp(step))
        strengths = strengths + step / max(1.0, reach)
        if not reach > TOLERANCE:
            return strengths


def _errors(strengths: Floats, stages: _Stages, group: Indices) -> Floats:
    """Return the standard errors relative to the mean of the group.

    The larger of two is used. The curvature is right if the model is, and wide where a bot only ever won. The real
    scatter of blocks (the sandwich estimator, to first order the bootstrap over blocks) is right if the model is not.
    """
    chances, blocks = _chances(strengths, stages), len(stages.bots)
    surprise = _surprise(chances, stages)
    curvature = _curvature(chances, stages, len(strengths))
    seen = _products(stages.bots, surprise, surprise, len(strengths)) * blocks / max(1, blocks - 1)
    together = group[:, None] == group[None, :]
    centred = (np.eye(len(group)) - together / together.sum(axis=1)) @ np.linalg.inv(curvature)
    # the mean of a group, which the prior holds only loosely, is projected out on both sides: no rating depends on it
    by_model = ((centred @ curvature) * centred).sum(axis=1)
    by_blocks = ((centred @ seen) * centred).sum(axis=1)
    return np.sqrt(np.maximum(by_model, by_blocks))


def _chances(strengths: Floats, stages: _Stages) -> Floats:
    """Return the chance of being drawn, by stage and slot."""
    weights: Floats = stages.share * np.exp(np.append(strengths, 0))[stages.left]
    return weights / weights.sum(axis=1, keepdims=True)


def _surprise(chances: Floats, stages: _Stages) -> Floats:
    """Return how much more often each bot was drawn than expected, by block and slot."""
    return stages.wins - np.add.reduceat(stages.weight[:, None] * chances, stages.first)


def _curvature(chances: Floats, stages: _Stages, bots: int) -> Floats:
    """Return the observed information: the curvature of the fitted function at its maximum."""
    expected = stages.weight[:, None] * chances
    alone = np.diag(_summed(stages.left, expected, bots) + 1 / PRIOR**2)
    return alone - _products(stages.left, expected, chances, bots)


def _summed(index: Indices, values: Floats, bots: int) -> Floats:
    return np.asarray(np.bincount(index.ravel(), values.ravel(), bots + 1)[:bots], np.float64)


def _products(index: Indices, left: Floats, right: Floats, bots: int) -> Floats:
    """Return the matrix, bots by bots, of the products of left and right values, summed over the rows."""
    total, width = np.zeros((bots + 1) ** 2), bots + 1
    slots = range(index.shape[1])
    for one in slots:
        for other in slots:
            cell = index[:, one] * width + index[:, other]
            total += np.bincount(cell, left[:, one] * right[:, other], width**2)
    return total.reshape(width, width)[:bots, :bots]


def _stages(ledger: Sequence[Placings], number: dict[str, int]) -> _Stages:
    slots, nobody = max(len(placings.bots) for placings in ledger), len(number)
    draws = [_draws(order(placings), slots) for placings in ledger]
    counts = np.array([len(weight) for _, weight, _ in draws])
    bots = np.array([_filled([number[bot] for bot in placings.bots], slots, nobody) for placings in ledger])
    return _Stages(
        bots=bots,
        wins=np.array([wins for _, _, wins in draws]),
        left=np.repeat(bots, counts, axis=0),
        share=np.concatenate([share for share, _, _ in draws]),
        weight=np.concatenate([weight for _, weight, _ in draws]),
        first=np.cumsum(counts) - counts,
    )


@lru_cache(maxsize=2**12)
def _draws(levels: tuple[int, ...], slots: int) -> tuple[Floats, Floats, Floats]:
    """Return the stages of one order: the bots left in each, the weight of each, and how often each slot is drawn."""
    shares, weights, wins = list[Floats](), list[float](), np.zeros(slots)
    for level in sorted({*levels}):
        tied = [slot for slot, at in enumerate(levels) if at == level]
        behind = [slot for slot, at in enumerate(levels) if at > level]
        for gone in range(len(tied) if behind else len(tied) - 1):
            for kept, weight in _kept(len(tied), gone):
                share = np.zeros(slots)
                share[behind], share[tied] = 1, kept
                shares.append(share)
                weights.append(weight)
                wins[tied] += weight * np.array(kept) / (len(tied) - gone)
    return np.array(shares), np.array(weights), wins


def _kept(tied: int, gone: int) -> Iterator[tuple[list[float], float]]:
    """Yield the ways in which `gone` of the tied bots may be gone: the share of each bot that is left, and the weight.

    Many tied bots have too many ways; then each of them is left in part (Efron's rule).
    """
    if tied > EXACT:
        yield [1 - gone / tied] * tied, 1.0
        return
    for out in combinations(range(tied), gone):
        yield [float(slot not in out) for slot in range(tied)], 1 / comb(tied, gone)


def _filled(row: list[int], slots: int, filler: int) -> list[int]:
    return row + [filler] * (slots - len(row))


def _groups(ledger: Sequence[Placings]) -> dict[str, int]:
    """Return the group of each bot: bots that met, directly or through other bots, are in one group."""
    together = {bot: frozenset({bot}) for placings in ledger for bot in placings.bots}
    for placings in ledger:
        if not together[placings.bots[0]].issuperset(placings.bots):
            merged = frozenset[str]().union(*(together[bot] for bot in placings.bots))
            together |= dict.fromkeys(merged, merged)
    ordered = sorted({*together.values()}, key=lambda group: (-len(group), min(group)))
    return {bot: number for number, group in enumerate(ordered, 1) for bot in group}


def _counts(ledger: Sequence[Placings]) -> tuple[dict[str, int], dict[str, int]]:
    games, blocks = dict[str, int](), dict[str, int]()
    for placings in ledger:
        for bot in placings.bots:
            games[bot] = games.get(bot, 0) + len(placings.games)
            blocks[bot] = blocks.get(bot, 0) + 1
    return games, blocks
