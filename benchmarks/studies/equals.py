"""Equal bots in experiments, played: how often the test calls one of them better.

`python -m benchmarks.studies.equals` plays blocks in which NEW and OLD are the same bot, but OLD makes other dice of
each seed, because with the same dice all differences are 0. Then it draws 2,000 experiments from the blocks. Equal bots
may change places, so every block counts as often with NEW and OLD exchanged. The same seed prints the same figures.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from msgspec.structs import replace
from rich.progress import track

from benchmarks.studies.sequential import RUNS, Outcome, most_by_chance
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import difference, duels
from splito_arena.experiments.sequential_test import Design, after
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game

GAME, PLAYERS = "splito", 3
EQUALS, AMONG = "random", "greedy"
BLOCKS = 3000
"""Number of blocks that are played; experiments are drawn from them."""


def pool(blocks: int = BLOCKS) -> list[float]:
    """Return the difference of each block, in places."""
    return asyncio.run(_play(blocks))


def with_other_dice(choose: Choose) -> Choose:
    """Return the same bot with dice of its own: equal in strength, but not in its moves."""
    return lambda ask: choose(_with_other_seed(ask))


def _with_other_seed(ask: Ask) -> Ask:
    return replace(ask, seed=f"other dice {ask.seed}")


async def _play(blocks: int) -> list[float]:
    names, equal = ("new@1", "old@1", "field@1"), find_bot(EQUALS)
    choosers = (equal, with_other_dice(equal), find_bot(AMONG))
    players = [Plugin(name, choose) for name, choose in zip(names, choosers, strict=True)]
    found = list[float]()
    for number in track(range(blocks), description="blocks"):
        terms = BlockTerms(
            game=find_game(GAME),
            block=f"{number:05}",
            secret="equals",  # noqa: S106 (of nothing)
            seatings=duels(PLAYERS, 1),
            paired=True,
        )
        played = await play_block(terms, names, players, lambda _: players[0], at_once=1)
        found.append(difference(played.entry))
    return found


def outcome(
    differences: Sequence[float],
    design: Design,
    runs: int = RUNS,
    seed: str = "equals",
    signs: tuple[int, ...] = (1, -1),
) -> Outcome:
    """Return the rates over this many experiments, whose blocks are drawn from these and count with one of the signs.

    With the sign -1, NEW and OLD are exchanged.
    """
    chance = Random(seed)
    ends = [after(design, _drawn(differences, signs, chance)) for _ in range(runs)]
    verdicts = Counter(end.verdict for end in ends)
    return Outcome(
        better=verdicts["better"] / runs,
        not_better=verdicts["not better"] / runs,
        cap=verdicts["cap"] / runs,
        blocks=sum(end.tally.blocks for end in ends) / runs,
    )


def _drawn(differences: Sequence[float], signs: tuple[int, ...], chance: Random) -> Iterator[float]:
    while True:
        yield chance.choice(differences) * chance.choice(signs)


def main() -> None:
    design, played = Design(), pool()
    found = outcome(played, design)
    ties = sum(one == 0 for one in played) / len(played)
    print(
        f"{len(played):,} blocks of {GAME}, {PLAYERS} players, {EQUALS} against itself among {AMONG}: {ties:.1%} ties"
    )
    print(
        f"better, wrongly {found.better:.3f} (alpha {design.alpha}, by chance up to {most_by_chance(RUNS, 0.05):.3f})"
    )
    print(f"not better {found.not_better:.3f}, cap {found.cap:.3f}; mean blocks {found.blocks:.0f}")


if __name__ == "__main__":
    sys.exit(main())
