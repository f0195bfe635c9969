"""Placings of a block for ratings: the places of its bots in each of its games.

Ratings count every game: the order of its bots by their places. Intervals compare whole blocks, because only a whole
block has each bot in each seat equally often. Mean places over a block decide placings.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from splito_arena.errors import BadPlacings


class Placings(msgspec.Struct, frozen=True):
    """The placings of one block. Blocks are rated in the order of their ids, compared as texts: `000123`, not `123`."""

    block: str
    bots: tuple[str, ...]
    """Ids of the versions of the bots."""
    games: tuple[tuple[float, ...], ...]
    """Places in each game, in the order of the bots, from 1; tied bots share the mean of their places."""


def in_order(ledger: Iterable[Placings]) -> tuple[Placings, ...]:
    """Return the placings in the order of their blocks. Raise `BadPlacings` for a bad or repeated block."""
    ordered = sorted(ledger, key=lambda placings: placings.block)
    for placings in ordered:
        check(placings)
    for before, after in pairwise(ordered):
        if before.block == after.block:
            raise BadPlacings(f"block {after.block} is there twice", field="block")
    return tuple(ordered)


def check(placings: Placings) -> None:
    block, bots = placings.block, placings.bots
    if len(bots) < 2:
        raise BadPlacings(f"block {block}: it takes two bots to compare, not {len(bots)}", field="bots")
    if len({*bots}) < len(bots):
        raise BadPlacings(f"block {block}: a bot cannot be compared with itself", field="bots")
    if not placings.games:
        raise BadPlacings(f"block {block} has no games", field="games")
    for places in placings.games:
        if len(places) != len(bots) or not _are_places(places):
            raise BadPlacings(f"block {block}: {places} are not the places of {len(bots)} bots", field="games")


def mean_places(placings: Placings) -> tuple[float, ...]:
    """Return the mean places in the order of the bots. Equal means compare equal, because sums of halves are exact."""
    return tuple(sum(places) / len(placings.games) for places in zip(*placings.games, strict=True))


def behind(placings: Placings, gone: Sequence[bool]) -> Placings:
    """Return the placings as if the bots marked in `gone` had come last in every game."""
    games = tuple(_behind(places, gone) for places in placings.games)
    return msgspec.structs.replace(placings, games=games)


def order(placings: Placings) -> tuple[int, ...]:
    """Return the places over the whole block in the order of the bots: 0 for the best, equal for tied bots, no gaps."""
    means = mean_places(placings)
    levels = sorted({*means})
    return tuple(levels.index(mean) for mean in means)


def _behind(places: tuple[float, ...], gone: Sequence[bool]) -> tuple[float, ...]:
    last = len(places) + 1.0
    return _ranked(tuple(last if out else place for place, out in zip(places, gone, strict=True)))


@lru_cache(maxsize=2**16)
def _are_places(places: tuple[float, ...]) -> bool:
    return places == _ranked(places)


def _ranked(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return the places of values, the least first; equal values share the mean of their places."""
    return tuple(sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values)
