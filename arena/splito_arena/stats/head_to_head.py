"""Head-to-head results of two bots over the blocks in which both played, counted without a model of strength."""

from collections.abc import Iterable
from itertools import combinations
from math import sqrt

import msgspec

from splito_arena.blocks.placings import Placings, in_order, mean_places
from splito_arena.stats.intervals import Interval, Z, interval


class Share(msgspec.Struct, frozen=True):
    """A share of blocks, with a 95 % interval that lies within 0 and 1 and is not empty when all blocks are alike."""

    mean: float
    low: float
    high: float


class Pair(msgspec.Struct, frozen=True):
    """A head-to-head result, from the side of `one`."""

    one: str
    other: str
    blocks: int
    ahead: Share
    """Share of the blocks in which `one` had the better mean place; a tie counts half."""
    places: Interval
    """Places by which `one` was better, in the mean of a block."""


def head_to_head(ledger: Iterable[Placings]) -> tuple[Pair, ...]:
    """Return the results of all pairs that met, each pair once, in the order of the ids."""
    better = dict[tuple[str, str], list[float]]()
    for placings in in_order(ledger):
        by_bot = sorted(zip(placings.bots, mean_places(placings), strict=True))
        for (one, place), (other, its_place) in combinations(by_bot, 2):
            better.setdefault((one, other), []).append(its_place - place)
    return tuple(_pair(one, other, margins) for (one, other), margins in sorted(better.items()))


def share(ahead: float, blocks: int) -> Share:
    """Return a share with Wilson's score interval.

    `ahead` counts ties as halves, which makes it a little wide, never narrow.
    """
    mean, doubt = ahead / blocks, Z**2 / blocks
    middle = (mean + doubt / 2) / (1 + doubt)
    reach = sqrt(doubt * mean * (1 - mean) + doubt**2 / 4) / (1 + doubt)
    return Share(mean, max(0.0, middle - reach), min(1.0, middle + reach))


def _pair(one: str, other: str, margins: list[float]) -> Pair:
    ahead = sum((margin > 0) + (margin == 0) / 2 for margin in margins)
    return Pair(one, other, len(margins), share(ahead, len(margins)), interval(margins))
