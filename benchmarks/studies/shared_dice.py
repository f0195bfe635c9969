"""Blocks that an experiment needs with and without shared dice, for versions that differ in few of their moves.

`python -m benchmarks.studies.shared_dice` compares a bot with a version of itself that plays a random move in 1 %, 5 %
or 25 % of its turns. Each comparison is played twice on the same deals: with the dice of each seat shared by both games
of a pair, as experiments play it, and with dice of its own for every game, as they were played before. From the blocks
it draws 2,000 experiments between equal versions that differ in as many moves, and prints how often one is called
better; and experiments with a lead of 0.05 places, and prints how many blocks they take. The same seed prints the same
figures.
"""

import asyncio
import hashlib
import sys
from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, pvariance

import msgspec
from msgspec.structs import replace

from benchmarks.studies.equals import outcome
from benchmarks.studies.sequential import RUNS, Outcome, fixed_blocks, most_by_chance
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import duels, results
from splito_arena.experiments.sequential_test import Design
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game

GAME, PLAYERS = "splito", 3
VERSION, AMONG = "greedy", "random"
SHARES = (0.01, 0.05, 0.25)
"""Shares of the moves in which the versions differ."""
BLOCKS = 400
"""Number of blocks that are played for each comparison; experiments are drawn from them."""
LEAD = 0.05
"""Lead in places that the experiments must find."""
FOUND = 500
"""Number of experiments with this lead."""


class Compared(msgspec.Struct, frozen=True):
    """The blocks of one comparison."""

    deviation: float
    """Standard deviation of the difference in places."""
    variance_ratio: float
    same: float
    """Share of the blocks with a difference of exactly 0."""
    fixed: int
    """Number of blocks after which a test of fixed size finds the lead."""
    found: Outcome
    """Verdicts of experiments with the lead."""
    wrong: float
    """Share of wrong verdicts `better` between equal versions that differ in as many moves."""


def varied(choose: Choose, share: float, name: str = "old") -> Choose:
    """Return the bot with a random move in this share of its turns, which follows from the seed of its dice."""

    def chosen(ask: Ask) -> object:
        chance = Random(f"{name}/{ask.seed}")
        return chance.choice(ask.moves) if chance.random() < share else choose(ask)

    return chosen


def with_own_dice(choose: Choose) -> Choose:
    """Return the bot with other dice in every match, as in experiments before the dice were shared."""

    def chosen(ask: Ask) -> object:
        own = hashlib.sha256(f"{ask.match}/{ask.seed}".encode()).hexdigest()
        return choose(replace(ask, seed=own))

    return chosen


def played(new: Choose, old: Choose, blocks: int, *, shared: bool) -> list[tuple[float, float]]:
    """Return the results of NEW and OLD in places, block by block."""
    return asyncio.run(_play([new, old, find_bot(AMONG)], blocks, shared))


async def _play(choosers: Sequence[Choose], blocks: int, shared: bool) -> list[tuple[float, float]]:
    names = ("new@1", "old@1", "field@1")
    players = [
        Plugin(name, choose if shared else with_own_dice(choose)) for name, choose in zip(names, choosers, strict=True)
    ]
    found = list[tuple[float, float]]()
    for number in range(blocks):
        terms = BlockTerms(
            game=find_game(GAME),
            block=f"{number:05}",
            secret="dice",  # noqa: S106 (of nothing)
            seatings=duels(PLAYERS, 1),
            paired=True,
        )
        found.append(results((await play_block(terms, names, players, lambda _: players[0], at_once=1)).entry))
    return found


def compared(share: float, *, shared: bool, blocks: int = BLOCKS, runs: int = RUNS) -> Compared:
    """Return the comparison of the bot with its varied version."""
    bot = find_bot(VERSION)
    found = played(bot, varied(bot, share), blocks, shared=shared)
    differences = [new - old for new, old in found]
    paired, unpaired = pvariance(differences), sum(pvariance(column) for column in zip(*found, strict=True))
    effect, usual = LEAD / sqrt(paired), Design()
    return Compared(
        deviation=sqrt(paired),
        variance_ratio=unpaired / paired,
        same=sum(one == 0 for one in differences) / blocks,
        fixed=fixed_blocks(effect, usual.alpha, 1 - usual.beta),
        found=leading(differences, Design(high=effect, cap=100 * blocks)),
        wrong=outcome(differences, usual, runs).better,
    )


def leading(differences: Sequence[float], design: Design) -> Outcome:
    """Return the verdicts of experiments whose blocks are drawn from these, shifted so that NEW has the lead."""
    mean = fmean(differences)
    return outcome([one - mean + LEAD for one in differences], design, FOUND, signs=(1,))


def main(blocks: int = BLOCKS) -> None:
    design = Design()
    print(f"{GAME}, {PLAYERS} players: {VERSION} against itself with random moves, among {AMONG}; {blocks} blocks each")
    print(f"blocks, found: experiments with a lead of {LEAD} places")
    print(f"equal versions: by chance up to {most_by_chance(RUNS, design.alpha):.3f} are called better\n")
    print("| moves | dice | deviation | variance ratio | same | fixed size | blocks | found | wrong |")
    print("|---|---|---|---|---|---|---|---|---|")
    for share in SHARES:
        for shared in (False, True):
            got = compared(share, shared=shared, blocks=blocks)
            dice = "shared" if shared else "own"
            print(
                f"| {share:.0%} | {dice} | {got.deviation:.3f} | {got.variance_ratio:.2f} | {got.same:.0%} |"
                f" {got.fixed:,} | {got.found.blocks:.0f} | {got.found.better:.3f} | {got.wrong:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
