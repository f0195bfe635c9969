"""Calibration of the published ratings: tournaments between bots whose strengths are known.

`python -m benchmarks calibration` prints, for each kind of tournament, how often the 95 % intervals contain the true
rating of the best bot, of the second, of the others and of the last one, how far the ratings are off on average, and
how often the table has the best of four close bots first. The same seed prints the same figures.

Games are drawn from the Plackett-Luce model. With luck, every bot is better or worse for a whole block by a normal
amount, so that the games of a block depend on each other and the model does not quite hold; the truth is then what a
fit to very many blocks gives.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import product
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.report import Report, Row
from splito_arena.blocks.placings import Placings, order
from splito_arena.blocks.seatings import seatings
from splito_arena.stats.fitted_rating import Strength, refit
from splito_arena.stats.scale import CENTRE, POINTS

Floats = NDArray[np.float64]

LEADS = (0, 100, 400, 1200, 2000)
"""Points by which the best bot is ahead of the second."""
APART = 20
"""Points between each two following bots."""
BLOCKS_EACH = 24
"""Blocks of each bot in a tournament."""
LUCK = 0.5
"""Standard deviation of the luck of a bot in a block, in strength: 87 points."""
GOAL = (0.93, 0.97)
CLOSE = 30
"""Points between each two following bots of the four close ones."""
PRIOR = 1 / 18
"""Penalty of the former method: a normal prior with standard deviation 3."""


class Scale(Struct, frozen=True):
    """Size of a run."""

    tables: tuple[tuple[int, int, int], ...] = (
        (4, 2, 400),
        (4, 4, 400),
        (12, 2, 120),
        (12, 4, 120),
        (12, 8, 60),
        (50, 4, 20),
        (50, 8, 10),
    )
    """Numbers of bots, of players at a table and of tournaments."""
    large: int = 4000
    """Blocks of each bot in the fit that gives the truth where there is luck."""
    races: int = 400
    """Tournaments of four close bots."""


class Cell(Struct, frozen=True):
    """One kind of tournament."""

    bots: int
    players: int
    lead: int
    luck: float

    @property
    def text(self) -> str:
        luck = "with luck" if self.luck else "no luck"
        return f"{self.bots} bots, tables of {self.players}, best +{self.lead}, {luck}"

    @property
    def strengths(self) -> Floats:
        points = -APART * np.arange(self.bots) * 1.0
        points[0] += self.lead
        return np.asarray(points / POINTS, np.float64)


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    rows = list[Row]()
    for (bots, players, runs), lead, luck in product(scale.tables, LEADS, (0.0, LUCK)):
        rows.append(_covered(Cell(bots, players, lead, luck), runs, scale.large))
        print(*rows[-1], flush=True)
    rows += [_race(blocks, scale.races) for blocks in (6, 12, 24)]
    return Report(rows, "Calibration: coverage of 95 % intervals by rank; bias of the ratings in points.")


def _covered(cell: Cell, runs: int, large: int) -> Row:
    rng = np.random.default_rng([cell.bots, cell.players, cell.lead, int(10 * cell.luck)])
    truth = _truth(cell, large, rng)
    hits: dict[str, list[bool]] = {"best": [], "second": [], "others": [], "last": []}
    bias, one_sided = list[float](), 0
    for _ in range(runs):
        table = refit([*drawn(cell, BLOCKS_EACH, rng)])
        for row, true in _with_truth(table, truth):
            rating, rank = row.rating, int(row.bot)
            if rating.mean is None or rating.low is None or rating.high is None:
                one_sided += rank == 0
                continue
            name = {0: "best", 1: "second", cell.bots - 1: "last"}.get(rank, "others")
            hits[name].append(rating.low <= true <= rating.high)
            if rank:
                bias.append(rating.mean - true)
    every = [hit for found in hits.values() for hit in found]
    share = fmean(every)
    doubt = sqrt(share * (1 - share) / len(every))
    shown = ", ".join(f"{name} {_share(found, runs)}" for name, found in hits.items())
    figure = f"{share:.1%} ± {2 * doubt:.1%} ({shown}), bias {fmean(bias):+.1f}, best unbeaten {one_sided / runs:.0%}"
    is_met = GOAL[0] - 2 * doubt <= share <= GOAL[1] + 2 * doubt
    return cell.text, figure, "93 to 97 %", "✓" if is_met else "✗"


def _share(hits: list[bool], runs: int) -> str:
    """Return the share of intervals that hold the truth; nothing if a bot had one in few tournaments only."""
    return f"{fmean(hits):.1%}" if len(hits) > runs / 4 else "–"


def _with_truth(table: tuple[Strength, ...], truth: Floats) -> Iterator[tuple[Strength, float]]:
    """Yield each line with the true rating on its scale, whose 1500 is a mean of its bots."""
    mean = sum(row.weight * float(truth[int(row.bot)]) for row in table)
    for row in table:
        yield row, CENTRE + POINTS * (float(truth[int(row.bot)]) - mean)


def _truth(cell: Cell, large: int, rng: np.random.Generator) -> Floats:
    """Return the strengths, or with luck the strengths that a fit to very many blocks finds."""
    if not cell.luck:
        return cell.strengths
    found = refit([*drawn(cell, large, rng)])
    means = [row.rating.mean for row in sorted(found, key=lambda row: int(row.bot))]
    return np.array([(np.nan if mean is None else mean - CENTRE) / POINTS for mean in means])


def drawn(cell: Cell, each: int, rng: np.random.Generator) -> Iterator[Placings]:
    """Yield the blocks of a tournament in which every bot plays about `each` blocks."""
    games, strengths = len(seatings(cell.players)), cell.strengths
    for number in range(each * cell.bots // cell.players):
        at = rng.permutation(cell.bots)[: cell.players]
        shown = strengths[at] + cell.luck * rng.normal(size=cell.players) + rng.gumbel(size=(games, cell.players))
        places: list[list[float]] = ((-shown).argsort(axis=1).argsort(axis=1) + 1.0).tolist()
        yield Placings(f"{number:06}", tuple(str(bot) for bot in at.tolist()), tuple(map(tuple, places)))


def _race(blocks: int, races: int) -> Row:
    """Return how often each method has the best of four close bots first."""
    rng = np.random.default_rng(blocks)
    cell = Cell(4, 4, CLOSE - APART, 0.0)
    first = dict.fromkeys(("this fit", "choix, all games", "former method, blocks"), 0)
    for _ in range(races):
        ledger = [*drawn(cell, blocks, rng)]
        first["this fit"] += refit(ledger)[0].bot == "0"
        first["choix, all games"] += _best(_games(ledger), 1e-6) == 0
        first["former method, blocks"] += _best(_blocks(ledger, rng), PRIOR) == 0
    shares: Mapping[str, float] = {name: count / races for name, count in first.items()}
    doubt = 2 * sqrt(0.25 / races)
    figure = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    is_met = shares["this fit"] >= shares["choix, all games"] - doubt / 4
    return f"best of four close bots is first, {blocks} blocks", figure, "not below choix", "✓" if is_met else "✗"


def _best(rankings: list[tuple[int, ...]], penalty: float) -> int:
    choix: Any = import_module("choix")  # it has no types, and only `make bench` installs it
    return int(np.argmax(choix.opt_rankings(4, rankings, alpha=penalty)))


def _games(ledger: list[Placings]) -> list[tuple[int, ...]]:
    return [_ranking(one, places) for one in ledger for places in one.games]


def _blocks(ledger: list[Placings], rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return the order of the bots over each block by their mean places, ties broken by lot."""
    return [_ranking(one, [place + rng.random() / 2 for place in order(one)]) for one in ledger]


def _ranking(one: Placings, places: "tuple[float, ...] | list[float]") -> tuple[int, ...]:
    return tuple(int(bot) for _, bot in sorted(zip(places, one.bots, strict=True)))
