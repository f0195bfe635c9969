"""Tournaments between bots whose strengths are known, for the tests of ratings."""

from collections.abc import Sequence

import numpy as np

from splito_arena.blocks.placings import Placings


def placed(block: str, bots: str, *games: Sequence[float]) -> Placings:
    """Return the placings of a block. Bots are named by letters: `placed("1", "ab", (1, 2))`."""
    return Placings(block, tuple(bots), tuple(tuple(game) for game in games))


def tournament(
    strengths: Sequence[float], blocks: int, seats: int, rng: np.random.Generator, games: int = 1
) -> list[Placings]:
    """Return blocks of so many games by the model of Plackett and Luce. The bots are called `a`, `b` and so on."""
    return [_block(f"{number:06}", strengths, seats, rng, games) for number in range(blocks)]


def _block(block: str, strengths: Sequence[float], seats: int, rng: np.random.Generator, games: int) -> Placings:
    """Return rankings by the sum of strength and Gumbel noise, which is exactly the model of the ratings."""
    bots = [int(bot) for bot in rng.permutation(len(strengths))[:seats]]
    played = [_places([strengths[bot] + float(rng.gumbel()) for bot in bots]) for _ in range(games)]
    return placed(block, "".join(chr(ord("a") + bot) for bot in bots), *played)


def _places(shown: Sequence[float]) -> list[float]:
    return [1.0 + sum(other > mine for other in shown) for mine in shown]
