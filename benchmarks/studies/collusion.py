"""Benchmark of the collusion flag: how often it is wrong about honest bots, and how soon it finds allies.

`python -m benchmarks.studies.collusion` plays tables of house bots, honest ones and ones with planted allies, draws
many tournaments from the blocks of each, and prints the tables of docs/collusion.md. The same seed prints the same
figures.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random

from msgspec import structs

from splito_arena.blocks.ledger import BlockPlace, VersionId, block_id
from splito_arena.blocks.play import BlockPlayed, BlockTerms, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.stats.collusion import Evidence, Suspicion, Told, evidence, judged
from splito_engine.game import Seat, shared_of
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game

POOL = 40
"""Number of blocks that are played of each table; tournaments are drawn from them."""
DRAWN = 200
"""Number of tournaments."""
EDGE_RUNS = 1000
SIZES = (8, 12, 16, 32)
"""Numbers of blocks of a tournament."""
HONEST = (
    "planner planner greedy random",
    "planner planner random random",
    "planner greedy random random",
    "planner greedy greedy greedy",
    "greedy greedy random random",
    "random random random random",
)
FRIENDS = {
    "both help": ("greedy* greedy* greedy greedy", "planner* planner* greedy random"),
    "one helps": ("greedy* greedy greedy greedy", "greedy* greedy planner random", "planner* planner greedy random"),
}
"""Tables with planted allies: the first two bots. A star marks one that helps its ally when both are neighbours."""
SHAPES: dict[str, Callable[[Random], float]] = {
    "normal": lambda chance: chance.gauss(0, 1),
    "long gains": lambda chance: chance.expovariate(1) - 1,
    "even": lambda chance: chance.uniform(-1, 1),
    "some long losses": lambda chance: (16 - chance.gammavariate(16, 1)) / 4,
    "few values": lambda chance: chance.choice((-2, -1, 0, 0, 1, 2)),
}
"""Functions that draw differences between blocks of honest bots, whose mean is 0, by shape."""


class Friends:
    """Two bots that recognise each other by the id of the match, which both get."""

    def __init__(self) -> None:
        self._seats = dict[tuple[str, str], Seat]()

    def plays(self, name: str, friend: str, honest: Choose, *, helps: bool) -> Choose:
        """Return a bot that raises the zone with its ally if it `helps`, and plays like `honest` elsewhere."""

        def choose(ask: Ask) -> object:
            self._seats[ask.match, name] = ask.seat
            seat = self._seats.get((ask.match, friend))
            if not helps or seat is None or (ask.seat - seat) % ask.players not in (1, ask.players - 1):
                return honest(ask)
            return raised(ask, seat)

        return choose


def raised(ask: Ask, friend: Seat) -> object:
    """Return the move after which the zone with that neighbour is worth most."""
    game, rng = find_game(ask.game), Random(ask.seed)
    state = game.imagine(ask.view, rng)
    others = {seat: rng.choice(game.moves(state, seat)) for seat in game.actors(state) if seat != ask.seat}
    zone = (ask.seat, friend) if (ask.seat + 1) % ask.players == friend else (friend, ask.seat)

    shared = shared_of(game)
    if shared is None:
        raise ValueError(f"nothing is shared in {ask.game}: nobody can help there")

    def worth(move: object) -> int:
        return shared(game.apply(state, {**others, ask.seat: game.from_wire(state, move)}))[zone]

    worths = [worth(move) for move in ask.moves]
    return rng.choice([move for move, value in zip(ask.moves, worths, strict=True) if value == max(worths)])


def seated(table: str) -> dict[VersionId, Choose]:
    """Return the bots of a table of the lists above, named `planner-0@1` and so on by their places in it."""
    names = table.split()
    ids = [f"{name.strip('*')}-{number}@1" for number, name in enumerate(names)]
    bots = {bot: find_bot(name.strip("*")) for bot, name in zip(ids, names, strict=True)}
    friends = Friends()
    for bot, friend, name in ((ids[0], ids[1], names[0]), (ids[1], ids[0], names[1])) if "*" in table else ():
        bots[bot] = friends.plays(bot, friend, bots[bot], helps=name.endswith("*"))
    return bots


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


def pool_of(table: str, blocks: int) -> list[Evidence]:
    found = (evidence(played.entry) for played in tournament(seated(table), blocks))
    return [one for one in found if one is not None]


def drawn(pool: Sequence[Evidence], blocks: int, count: int, seed: str) -> Iterator[tuple[Suspicion, ...]]:
    """Return many tournaments of this many blocks, each with the suspicions of its pairs."""
    chance = Random(seed)
    return (judged(chance.choices(pool, k=blocks)) for _ in range(count))


def flagged(found: Sequence[Suspicion]) -> set[frozenset[VersionId]]:
    return {frozenset((pair.one, pair.other)) for pair in found if pair.flagged}


def rates(pool: Sequence[Evidence], friends: frozenset[VersionId], blocks: int) -> tuple[float, float]:
    """Return the shares of tournaments of this size that flag the allies, and that flag another pair."""
    found = [flagged(one) for one in drawn(pool, blocks, DRAWN, f"{blocks}")]
    right = sum(friends in pairs for pairs in found)
    wrong = sum(bool(pairs - {friends}) for pairs in found)
    return right / DRAWN, wrong / DRAWN


def most_suspect(pool: Sequence[Evidence]) -> float:
    """Return the factor by which the zone of the most suspect pair exceeds their zones with others, over all blocks."""
    return max(pair.together / pair.otherwise for pair in judged(pool))


def at_the_edge(bots: str, draw: Callable[[Random], float], chance: Random) -> Evidence:
    """Return pairs as suspect as honest ones can be: all conditions but one hold, and that one is at its limit."""
    told = {
        pair: Told(
            "zone", 1, 1, tuple(draw(chance) if reason == number % 3 else 9 + chance.random() for reason in range(3))
        )
        for number, pair in enumerate(combinations(bots, 2))
    }
    return Evidence(frozenset(bots), told)


def wrong_at_the_edge(shape: str, blocks: int, runs: int) -> float:
    """Return the share of tournaments of four bots with a flag."""
    chance, draw = Random(f"{shape}/{blocks}"), SHAPES[shape]
    return (
        sum(bool(flagged(judged([at_the_edge("abcd", draw, chance) for _ in range(blocks)]))) for _ in range(runs))
        / runs
    )


def _print_edge() -> None:
    print(f"\nAt the edge, {EDGE_RUNS} tournaments each\n\n| reasons | ", end="")
    print(" | ".join(f"{size} blocks" for size in SIZES), "|")
    print(f"|---|{'---|' * len(SIZES)}")
    for shape in SHAPES:
        wrong = [wrong_at_the_edge(shape, size, EDGE_RUNS) for size in SIZES]
        print(f"| {shape} | " + " | ".join(f"{rate:.4f}" for rate in wrong), "|", flush=True)


def _print_honest() -> None:
    print(f"\nHonest tables, {DRAWN} tournaments of each size\n\n| table | most suspect pair | ", end="")
    print(" | ".join(f"{size} blocks" for size in SIZES), "|")
    print(f"|---|---|{'---|' * len(SIZES)}")
    for table in HONEST:
        pool = pool_of(table, POOL)
        wrong = [rates(pool, frozenset(), size)[1] for size in SIZES]
        print(f"| {table} | {most_suspect(pool):.2f} | " + " | ".join(f"{rate:.3f}" for rate in wrong), "|", flush=True)


def _print_friends(kind: str) -> None:
    print(f"\nFriends, {kind}: found (others flagged), {DRAWN} tournaments of each size\n\n| table | ", end="")
    print(" | ".join(f"{size} blocks" for size in SIZES), "|")
    print(f"|---|{'---|' * len(SIZES)}")
    for table in FRIENDS[kind]:
        pool, friends = pool_of(table, POOL), frozenset([*seated(table)][:2])
        found = [rates(pool, friends, size) for size in SIZES]
        print(f"| {table} | " + " | ".join(f"{right:.2f} ({wrong:.3f})" for right, wrong in found), "|", flush=True)


def main() -> None:
    _print_edge()
    _print_honest()
    for kind in FRIENDS:
        _print_friends(kind)


if __name__ == "__main__":
    sys.exit(main())
