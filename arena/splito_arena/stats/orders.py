"""Orders that the places of a game stand for.

A game with ties counts as a balanced set of orders, each in equal part: every tied bot has every place among the tied
ones equally often, and is as often ahead of another as behind it. With two or three tied bots these are all orders.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product


@lru_cache(maxsize=2**12)
def orders(places: tuple[float, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the orders of the bots, by their indices, the first first."""
    levels = [[bot for bot, place in enumerate(places) if place == level] for level in sorted({*places})]
    return tuple(tuple(bot for part in parts for bot in part) for parts in product(*map(_turns, levels)))


def _turns(tied: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the rotations of tied bots and, from three bots on, those of the reversed row."""
    for row in (tied, tied[::-1]) if len(tied) > 2 else (tied,):
        for first in range(len(row)):
            yield (*row[first:], *row[:first])
