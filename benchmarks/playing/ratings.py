"""Time to compute ratings: online ratings, which change with every block, and the fit to all blocks at once.

Blocks have four players and twelve games, as in tournaments; the order of the bots is drawn by their strengths.
"""

from time import perf_counter

import numpy as np
from msgspec import Struct

from benchmarks.report import Report, Row, at_least, at_most, plain
from splito_arena.blocks.placings import Placings
from splito_arena.stats.fitted_rating import refit
from splito_arena.stats.online_rating import replayed

SEATS, GAMES = 4, 12


class Scale(Struct, frozen=True):
    """Size of a run."""

    updates: int = 4000
    blocks: int = 100_000
    bots: int = 200


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    ledger = drawn(scale.blocks, scale.bots)
    return Report([_updates(ledger[: scale.updates]), *_refit(ledger, scale)], _note(scale))


def drawn(blocks: int, bots: int) -> list[Placings]:
    """Return a ranking by the sum of strength and Gumbel noise, because that is the fitted model."""
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 1, bots)
    return [_block(f"{number:06}", strengths, rng) for number in range(blocks)]


def _block(block: str, strengths: "np.ndarray[tuple[int], np.dtype[np.float64]]", rng: np.random.Generator) -> Placings:
    chosen = rng.choice(len(strengths), SEATS, replace=False)
    shown = strengths[chosen] + rng.gumbel(size=(GAMES, SEATS))
    places = (-shown).argsort(1).argsort(1) + 1.0
    games: list[list[float]] = places.tolist()
    return Placings(block, tuple(f"bot{bot:03}@1" for bot in chosen), tuple(map(tuple, games)))


def _updates(ledger: list[Placings]) -> Row:
    begin = perf_counter()
    replayed(ledger)
    return at_least("blocks rated online, per second", len(ledger) / (perf_counter() - begin), 2000)


def _refit(ledger: list[Placings], scale: Scale) -> list[Row]:
    begin = perf_counter()
    table = refit(ledger)
    seconds = perf_counter() - begin
    margins = [row.rating.margin or 0.0 for row in table]
    return [
        at_most(f"fit of {scale.blocks:,} blocks of {scale.bots} bots, seconds", seconds, 30),
        plain("interval of a rating in it, on average", f"± {sum(margins) / len(margins):.1f} points"),
    ]


def _note(scale: Scale) -> str:
    return f"Ratings: blocks of {SEATS} bots and {GAMES} games; online over {scale.updates:,} of them, one core."
