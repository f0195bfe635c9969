"""How much luck a block takes out: the same number of games as a block and as single games, compared by variance.

Take G games, each of another deal and in a seating drawn from the block's: their mean has the variance of one game,
divided by G. The mean of a block of G games has less if luck of the seat or of the hand cancels out in it. The factor
between the two says how many single games one game of a block is worth.

    python -m arena.variance GAME BOTS DEALS SEED
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from math import exp, inf, log, sqrt
from statistics import fmean, pstdev
from typing import NamedTuple, TypeAlias

from arena.bots import find_bot
from arena.intervals import student_t
from arena.seatings import Seating, seatings
from arena.simulate import Plan, check_plan, deal_seed, with_own_dice
from arena.standings import share_of_win
from arena.table import Bot, play_match
from engine.game import Scores, Seat
from engine.player import Choose
from engine.registry import find_game

NOTHING = 1e-12
"""What rounding may leave of a variance that is none."""
ARGUMENTS = (
    ("game", str, "splito, splitit, splitter"),
    ("bots", str, "one per seat, with commas between them"),
    ("deals", int, "how many blocks are played, three at least"),
    ("seed", str, "the same one gives the same figures"),
)

Values: TypeAlias = tuple[float, ...]
"""What each bot got out of a game, in the order of the bots."""
Games: TypeAlias = Sequence[Values]
"""Of one block."""


class Factor(NamedTuple):
    """With its 95 % interval."""

    factor: float
    low: float
    high: float


class _Parts(NamedTuple):
    """What a block adds to the estimate: how far its means are from those of all blocks, and its games from its own."""

    between: float
    within: float


def removed(blocks: Sequence[Games]) -> Factor:
    """The factor, all bots taken together, and its interval by the jackknife on a logarithmic scale.

    All blocks have the same number of games, more than one, and there are at least three blocks; for the interval to be
    right it takes many.
    """
    games, parts = len(blocks[0]), _parts(blocks)
    count, between, within = len(parts), *map(sum, zip(*parts, strict=True))
    factor = _factor(games, count, between, within)
    if factor == inf:
        return Factor(inf, inf, inf)
    without = [
        _factor(games, count - 1, between - part.between * count / (count - 1), within - part.within) for part in parts
    ]
    if inf in without:
        return Factor(factor, 0, inf)
    margin = student_t(count - 1) * sqrt(count - 1) * pstdev([log(value) for value in without])
    return Factor(factor, factor / exp(margin), factor * exp(margin))


def play_blocks(plan: Plan) -> Iterator[tuple[Scores, ...]]:
    """For each deal the scores of all games of its block, in the order of the bots."""
    check_plan(plan)
    return ((*_block(plan, deal_seed(plan.seed, deal)),) for deal in range(plan.deals))


def lead(scores: Scores, bot: Seat) -> float:
    """The points beyond the mean of the table: what a rich deal gives to all is no luck of anybody's."""
    return scores[bot][0] - fmean(points for points, *_ in scores)


MEASURES: dict[str, Callable[[Scores, Seat], float]] = {"share of wins": share_of_win, "lead in points": lead}


def measured(blocks: Sequence[Sequence[Scores]]) -> dict[str, Factor]:
    return {
        name: removed([[tuple(of(scores, bot) for bot in range(len(scores))) for scores in block] for block in blocks])
        for name, of in MEASURES.items()
    }


def _parts(blocks: Sequence[Games]) -> list[_Parts]:
    means = [[fmean(values) for values in zip(*games, strict=True)] for games in blocks]
    mean = [fmean(values) for values in zip(*means, strict=True)]
    return [
        _Parts(_square(own, mean), fmean(_square(values, own) for values in games))
        for own, games in zip(means, blocks, strict=True)
    ]


def _square(values: Sequence[float], mean: Sequence[float]) -> float:
    """Of the distance; what all bots have is added."""
    return sum((value - middle) ** 2 for value, middle in zip(values, mean, strict=True))


def _factor(games: int, count: int, between: float, within: float) -> float:
    """One game of a random block varies as its block's mean does, and around it; the sums are over all blocks."""
    block = between / (count - 1)
    return (block + within / count) / games / block if block > NOTHING else inf


def _block(plan: Plan, seed: str) -> Iterator[Scores]:
    game, choices = find_game(plan.game), [find_bot(name) for name in plan.bots]
    for number, seating in enumerate(seatings(len(choices))):
        bots = [Bot(plan.bots[bot], _in_game(choices[bot], number)) for bot in seating]
        yield _by_bot(play_match(game, bots, seed, plan.options).scores, seating)


def _in_game(choose: Choose, number: int) -> Choose:
    return lambda ask: choose(with_own_dice(ask, number))


def _by_bot(scores: Scores, seating: Seating) -> Scores:
    return tuple(score for _, score in sorted(zip(seating, scores, strict=True)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m arena.variance", description="How much variance blocks remove.")
    for name, kind, words in ARGUMENTS:
        parser.add_argument(name, type=kind, help=words)
    asked = parser.parse_args(arguments)
    blocks = [*play_blocks(Plan(asked.game, tuple(asked.bots.split(",")), asked.seed, asked.deals))]
    sys.stdout.write(f"{len(blocks)} blocks of {len(blocks[0])} games\n")
    for name, found in measured(blocks).items():
        sys.stdout.write(f"{name}: {found.factor:.2f} ({found.low:.2f} to {found.high:.2f})\n")


if __name__ == "__main__":
    main()
