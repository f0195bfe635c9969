"""Time to compute ratings: online ratings, which change with every game, and the fit to all games at once.

Blocks have four players and twelve games, as in tournaments; the order of the bots is drawn by their strengths.
"""

from statistics import fmean
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
    blocks: tuple[int, ...] = (8_334, 100_000)
    """Numbers of blocks of the fits, of twelve games each."""
    limits: tuple[float, ...] = (10.0, 60.0)
    """Seconds that the fits may take."""
    bots: int = 200


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    ledger = drawn(max(scale.blocks), scale.bots)
    fits = [
        row for blocks, limit in zip(scale.blocks, scale.limits, strict=True) for row in _refit(ledger[:blocks], limit)
    ]
    return Report([_updates(ledger[: scale.updates]), *fits], _note(scale))


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
    return at_least("games rated online, per second", len(ledger) * GAMES / (perf_counter() - begin), 20_000)


def _refit(ledger: list[Placings], limit: float) -> list[Row]:
    begin = perf_counter()
    table = refit(ledger)
    seconds = perf_counter() - begin
    widths = [row.rating.high - row.rating.low for row in table if row.rating.high and row.rating.low]
    games = f"{len(ledger) * GAMES:,} games of {len(table)} bots"
    return [
        at_most(f"fit of {games} with intervals, seconds", seconds, limit),
        plain(f"width of the interval of a rating after {games}, on average", f"{fmean(widths):.1f} points"),
    ]


def _note(scale: Scale) -> str:
    return f"Ratings: blocks of {SEATS} bots and {GAMES} games; online over {scale.updates * GAMES:,} games, one core."
