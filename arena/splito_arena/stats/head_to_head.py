"""Head-to-head results of two bots over the games in which both played, counted without a model of strength."""

from collections.abc import Iterable
from itertools import combinations
from statistics import fmean

import msgspec

from splito_arena.blocks.placings import Placings, in_order
from splito_arena.stats.intervals import Interval, Share, interval, share


class Pair(msgspec.Struct, frozen=True):
    """A head-to-head result, from the side of `one`."""

    one: str
    other: str
    blocks: int
    games: int
    ahead: Share
    """Share of the games in which `one` had the better place; a tie counts half."""
    places: Interval
    """Places by which `one` was better, in the mean of a game."""


def head_to_head(ledger: Iterable[Placings]) -> tuple[Pair, ...]:
    """Return the results of all pairs that met, each pair once, in the order of the ids."""
    better = dict[tuple[str, str], list[list[float]]]()
    for placings in in_order(ledger):
        slots = sorted(range(len(placings.bots)), key=placings.bots.__getitem__)
        for one, other in combinations(slots, 2):
            places = [game[other] - game[one] for game in placings.games]
            better.setdefault((placings.bots[one], placings.bots[other]), []).append(places)
    return tuple(_pair(one, other, blocks) for (one, other), blocks in sorted(better.items()))


def _pair(one: str, other: str, blocks: list[list[float]]) -> Pair:
    ahead = [[1.0 if places > 0 else 0.5 if places == 0 else 0.0 for places in block] for block in blocks]
    return Pair(
        one=one,
        other=other,
        blocks=len(blocks),
        games=sum(map(len, blocks)),
        ahead=share(ahead),
        places=interval([fmean(block) for block in blocks]),
    )
