"""How long bots take to answer, counted in buckets: however many answers there are, a bot has a few dozen numbers.

Twenty buckets for each power of ten, from a microsecond on: a quantile is known to some 6 %. Counts of several blocks
are added, in any order.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from math import sqrt
from typing import TypeAlias

PER_DECADE = 20
LEAST = 0.001
"""Milliseconds, below which all is one bucket: nothing is measured more finely."""
DECADES = 10
"""What takes longer than four months is in the last bucket too."""

BOUNDS = (0.0, *(LEAST * 10 ** (step / PER_DECADE) for step in range(PER_DECADE * DECADES + 1)))
"""Where each bucket begins, in milliseconds, and where the last one ends."""

Times: TypeAlias = dict[int, int]
"""How many answers there are in each bucket that has any."""


def bucket(ms: float) -> int:
    return min(max(bisect_right(BOUNDS, ms) - 1, 0), len(BOUNDS) - 2)


def bounds(bucket: int) -> tuple[float, float]:
    """Milliseconds: the least that is in it, and the least that is in the next."""
    return BOUNDS[bucket], BOUNDS[bucket + 1]


def counted(milliseconds: Iterable[float]) -> Times:
    return dict(Counter(map(bucket, milliseconds)))


def added(counts: Iterable[Mapping[int, int]]) -> Times:
    total = Counter[int]()
    for times in counts:
        total.update(times)
    return dict(total)


def quantile(times: Mapping[int, int], share: float) -> float:
    """The milliseconds that this share of the answers did not exceed, as near as buckets tell; 0 without answers."""
    ordered = sorted(times.items())
    wanted = share * sum(times.values())
    reached = accumulate(count for _, count in ordered)
    found = [number for (number, _), sofar in zip(ordered, reached, strict=True) if sofar >= wanted]
    return _middle(found[0]) if found else 0.0


def _middle(bucket: int) -> float:
    low, high = bounds(bucket)
    return sqrt(low * high) if low else high
