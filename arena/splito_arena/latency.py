"""Histogram of bots' answer times: a few dozen numbers per bot, however many answers there are.

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
"""Milliseconds below which all times are in one bucket, because clocks measure no finer."""
DECADES = 10
"""Powers of ten that the buckets cover; times above four months are in the last bucket too."""

BOUNDS = (0.0, *(LEAST * 10 ** (step / PER_DECADE) for step in range(PER_DECADE * DECADES + 1)))
"""Milliseconds at which each bucket begins, and at which the last one ends."""

Times: TypeAlias = dict[int, int]
"""Number of answers in each bucket that is not empty."""


def bucket(ms: float) -> int:
    return min(max(bisect_right(BOUNDS, ms) - 1, 0), len(BOUNDS) - 2)


def bounds(bucket: int) -> tuple[float, float]:
    """Return the least time of a bucket and of the next one, in milliseconds."""
    return BOUNDS[bucket], BOUNDS[bucket + 1]


def counted(milliseconds: Iterable[float]) -> Times:
    return dict(Counter(map(bucket, milliseconds)))


def added(counts: Iterable[Mapping[int, int]]) -> Times:
    total = Counter[int]()
    for times in counts:
        total.update(times)
    return dict(total)


def quantile(times: Mapping[int, int], share: float) -> float:
    """Return the milliseconds that this share of the answers did not exceed, to the accuracy of buckets; 0 without
    answers.
    """
    ordered = sorted(times.items())
    wanted = share * sum(times.values())
    reached = accumulate(count for _, count in ordered)
    found = [number for (number, _), sofar in zip(ordered, reached, strict=True) if sofar >= wanted]
    return _middle(found[0]) if found else 0.0


def _middle(bucket: int) -> float:
    low, high = bounds(bucket)
    return sqrt(low * high) if low else high
