"""Study of the collusion flag: how often it is wrong about honest bots, and how soon it finds allies.

`python -m benchmarks.studies.collusion [zones] [edge] [season] [honest] [points] [friends] [threes]` prints the tables
of docs/collusion.md, by default all. It plays a pool of blocks for each table of bots and draws many tournaments from
it. The same seed prints the same figures.
"""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from random import Random
from typing import NamedTuple

from msgspec import structs

from benchmarks.studies.colluders import seated
from splito_arena.blocks.ledger import BlockPlace, VersionId, block_id
from splito_arena.blocks.play import BlockPlayed, BlockTerms, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.stats.collusion import FALSE_ALARMS, Evidence, Suspicion, evidence, gathered, judged
from splito_arena.stats.pair_reasons import Means, Told, mean_zones, zones_of
from splito_engine.player import Choose
from splito_engine.registry import find_game

POOL = 40
"""Number of blocks that are played of each table; tournaments are drawn from them."""
DRAWN = 500
"""Number of tournaments of each size."""
SIZES = (8, 16, 32)
"""Numbers of blocks of a tournament."""
SEASON = 50
"""Number of tournaments of a season."""
SEASONS = 100
SEASON_SHAPES = ("normal", "some long losses")
"""Shapes of which seasons are drawn: the usual one, and the one with the most flags."""
REASONS = 8
"""Number of reasons that the arena computes for the zone of a pair."""
HONEST = (
    "left right greedy greedy",
    "left right random random",
    "left right left right",
    "greedy-left greedy-right greedy greedy",
    "random random random random",
    "greedy greedy greedy greedy",
    "planner planner planner planner",
    "planner random random random",
)
"""Tables of honest bots of Splito."""
POINTS = (("splitit", "random random random random"), ("splitter", "random random random random"))
"""Games without zones, and tables of honest bots that play them."""
FRIENDS = (
    ("splito", "greedy* greedy* greedy greedy"),
    ("splito", "planner* planner* greedy random"),
    ("splito", "random* random* random random"),
    ("splito", "greedy* greedy greedy greedy"),
    ("splito", "planner* planner greedy random"),
)
"""Tables with planted allies, the first two bots."""
SHOWN = ("left right random random",)
"""Tables whose mean zones are printed."""
THREES = (("splito", "left right random random"), ("splito", "greedy* greedy* random random"))
"""Four bots that play at tables of three, each three of them once in a block."""
SHAPES: dict[str, Callable[[Random], float]] = {
    "normal": lambda chance: chance.gauss(0, 1),
    "long gains": lambda chance: chance.expovariate(1) - 1,
    "even": lambda chance: chance.uniform(-1, 1),
    "some long losses": lambda chance: (16 - chance.gammavariate(16, 1)) / 4,
    "few values": lambda chance: chance.choice((-2, -1, 0, 0, 1, 2)),
}
"""Functions that draw differences between blocks of honest bots, whose mean is 0, by shape."""


class Rates(NamedTuple):
    """The results of tournaments of one table of bots."""

    most: float
    """Mean of the most suspect pair together, as a share of its mean otherwise, over the whole pool."""
    right: list[float]
    """Shares of tournaments in which the allies are flagged, by the number of blocks."""
    wrong: list[float]
    """Shares of tournaments in which another pair is flagged."""


def tournament(
    bots: Mapping[VersionId, Choose], blocks: int, *, game: str = "splito", seed: str = "study"
) -> list[BlockPlayed]:
    """Play this many blocks of one table, with functions of this process."""
    players, house = [Plugin(bot, choose) for bot, choose in bots.items()], Plugin("house", find_bot("random"))
    usual = BlockTerms(game=find_game(game), block="", secret=seed, seatings=seatings(len(players)))

    async def play() -> list[BlockPlayed]:
        terms = [structs.replace(usual, block=block_id(BlockPlace(0, number, 0))) for number in range(blocks)]
        return [await play_block(one, [*bots], players, lambda _: house, at_once=1) for one in terms]

    return asyncio.run(play())


def pool_of(
    table: str, blocks: int, game: str = "splito", *, seats: int | None = None, seed: str = "study"
) -> list[Evidence]:
    """Play this many blocks and return their evidence; with fewer seats than bots, of all tables of so many bots."""
    bots = seated(table)
    tables = [{bot: bots[bot] for bot in chosen} for chosen in combinations(bots, seats or len(bots))]
    played = [tournament(some, blocks, game=game, seed=f"{seed}/{number}") for number, some in enumerate(tables)]
    found = (evidence(block.entry) for blocks_at_once in zip(*played, strict=True) for block in blocks_at_once)
    return [*gathered(one for one in found if one is not None)]


def zones_by_side(table: str) -> Means:
    """Return the mean zones of many blocks, by their left and right bot."""
    return mean_zones(zones_of(block.entry) for block in tournament(seated(table), POOL))


def drawn(pool: Sequence[Evidence], blocks: int, count: int, seed: str) -> Iterator[tuple[Suspicion, ...]]:
    """Return many tournaments of this many blocks, each with the suspicions of its pairs."""
    chance = Random(seed)
    return (judged(chance.choices(pool, k=blocks)) for _ in range(count))


def flagged(found: Sequence[Suspicion]) -> set[frozenset[VersionId]]:
    return {frozenset((pair.one, pair.other)) for pair in found if pair.flagged}


def rates(game: str, table: str, seats: int = 4) -> Rates:
    """Play a pool of a table, draw tournaments of each size, and count their flags."""
    pool, right, wrong = pool_of(table, POOL, game, seats=seats), list[float](), list[float]()
    friends = frozenset([*seated(table)][:2]) if "*" in table else frozenset[VersionId]()
    for blocks in SIZES:
        found = [flagged(one) for one in drawn(pool, blocks, DRAWN, f"{blocks}")]
        right.append(sum(friends in pairs for pairs in found) / DRAWN)
        wrong.append(sum(bool(pairs - {friends}) for pairs in found) / DRAWN)
    most = judged(pool, false_alarms=0)[0]
    return Rates(most.together / most.otherwise, right, wrong)


def at_the_edge(bots: str, draw: Callable[[Random], float], chance: Random) -> Evidence:
    """Return pairs as suspect as honest ones can be: all conditions but one hold, and that one is at its limit."""

    def reasons(number: int) -> tuple[float, ...]:
        return tuple(draw(chance) if reason == number else 9 + chance.random() for reason in range(REASONS))

    told = {pair: Told("zone", 1, 1, reasons(number % REASONS)) for number, pair in enumerate(combinations(bots, 2))}
    return Evidence(frozenset(bots), told)


def chances_at_the_edge(shape: str, blocks: int, runs: int, seed: str = "") -> list[float]:
    """Return the `tournament_chance` of the most suspect pair of four bots, for each of many tournaments."""
    chance, draw = Random(f"{shape}/{blocks}/{seed}"), SHAPES[shape]
    return [
        judged([at_the_edge("abcd", draw, chance) for _ in range(blocks)])[0].tournament_chance for _ in range(runs)
    ]


def share(chances: Sequence[float], rate: float) -> float:
    """Return the share of tournaments that have a flag if this rate of false alarms is asked for."""
    return sum(chance <= rate for chance in chances) / len(chances)


def seasons(shape: str, blocks: int) -> tuple[float, float]:
    """Return the shares of seasons at the edge with a flag: at the rate of a tournament, and at that of a season."""
    found = [chances_at_the_edge(shape, blocks, SEASON, f"{season}") for season in range(SEASONS)]
    least = [min(chances) for chances in found]
    return share(least, FALSE_ALARMS), share(least, FALSE_ALARMS / SEASON)


def _edge(shape: str) -> list[float]:
    return [share(chances_at_the_edge(shape, blocks, DRAWN), FALSE_ALARMS) for blocks in SIZES]


def _print(title: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> None:
    head = [*columns]
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def _print_zones(processes: ProcessPoolExecutor) -> None:
    for table, zones in zip(SHOWN, processes.map(zones_by_side, SHOWN), strict=True):
        bots = [*seated(table)]
        rows = ((bot, *(f"{zones[bot, other]:.1f}" if bot != other else "" for other in bots)) for bot in bots)
        _print(f"Mean zones of {POOL} blocks, by their left bot (rows) and right bot (columns)", ("", *bots), rows)


def _print_edge(processes: ProcessPoolExecutor) -> None:
    columns = ("conditions", *(f"{blocks} blocks" for blocks in SIZES))
    found = zip(SHAPES, processes.map(_edge, SHAPES), strict=True)
    rows = ((shape, *(f"{rate:.3f}" for rate in wrong)) for shape, wrong in found)
    _print(f"At the edge, {DRAWN} tournaments each: share with a flag", columns, rows)


def _print_season(processes: ProcessPoolExecutor) -> None:
    columns = ("conditions", "each tournament at 1 %", f"each at 1 % / {SEASON}")
    found = zip(SEASON_SHAPES, processes.map(seasons, SEASON_SHAPES, [16, 16]), strict=True)
    rows = ((shape, f"{alone:.3f}", f"{season:.3f}") for shape, (alone, season) in found)
    _print(f"At the edge, {SEASONS} seasons of {SEASON} tournaments of 16 blocks: share with a flag", columns, rows)


def _print_honest(processes: ProcessPoolExecutor) -> None:
    _print_rates("Honest tables of Splito", processes, [("splito", table) for table in HONEST])


def _print_points(processes: ProcessPoolExecutor) -> None:
    _print_rates("Honest tables of games without zones", processes, POINTS)


def _print_friends(processes: ProcessPoolExecutor) -> None:
    _print_rates("Allies", processes, FRIENDS)


def _print_threes(processes: ProcessPoolExecutor) -> None:
    _print_rates("Four bots at tables of three", processes, THREES, 3)


def _print_rates(title: str, processes: ProcessPoolExecutor, tables: Sequence[tuple[str, str]], seats: int = 4) -> None:
    columns = ("game", "bots", "most suspect pair", *(f"{blocks} blocks" for blocks in SIZES))
    games, names = zip(*tables, strict=True)
    found = zip(tables, processes.map(rates, games, names, [seats] * len(tables)), strict=True)
    rows = (
        (*named, f"{of.most:.2f}", *(f"{right:.3f}, {wrong:.3f}" for right, wrong in zip(*of[1:], strict=True)))
        for named, of in found
    )
    _print(f"{title}: shares of {DRAWN} tournaments that flag the allies, and another pair", columns, rows)


PARTS = {
    "zones": _print_zones,
    "edge": _print_edge,
    "season": _print_season,
    "honest": _print_honest,
    "points": _print_points,
    "friends": _print_friends,
    "threes": _print_threes,
}


def main(parts: Sequence[str]) -> None:
    """Print the tables of these parts. Processes play as many tables at once as the machine has cores."""
    with ProcessPoolExecutor() as processes:
        for part in parts or PARTS:
            PARTS[part](processes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
