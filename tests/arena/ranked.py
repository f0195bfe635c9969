"""Tournaments between bots whose strengths are known, for the tests of ratings."""

from collections.abc import Sequence

import numpy as np

from splito_arena.blocks.placings import Placings


def placed(block: str, bots: str, *games: Sequence[float]) -> Placings:
    """Bots are named by letters: `placed("1", "ab", (1, 2))`."""
    return Placings(block, tuple(bots), tuple(tuple(game) for game in games))


def tournament(strengths: Sequence[float], blocks: int, seats: int, rng: np.random.Generator) -> list[Placings]:
    """One game a block, by the model of Plackett and Luce. The bots are called `a`, `b` and so on."""
    return [_block(f"{number:06}", strengths, seats, rng) for number in range(blocks)]


def _block(block: str, strengths: Sequence[float], seats: int, rng: np.random.Generator) -> Placings:
    """Return a ranking by the sum of strength and Gumbel noise, which is exactly the model of the ratings."""
    bots = [int(bot) for bot in rng.permutation(len(strengths))[:seats]]
    shown = [strengths[bot] + float(rng.gumbel()) for bot in bots]
    places = [1 + sum(other > mine for other in shown) for mine in shown]
    return placed(block, "".join(chr(ord("a") + bot) for bot in bots), places)
