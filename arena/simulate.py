"""Many deals between bots of this machine, with equal luck for all of them.

A block is one deal, played in the seatings of `arena.seatings`: every bot has every seat, and so every hand, equally
often, and every other bot beside it as equally as the number of games allows.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import count
from multiprocessing import get_context
from time import perf_counter
from typing import Any

import msgspec

from arena.bots import find_bot
from arena.seatings import relabelled, seatings, seats_in
from arena.standings import Block, Result
from arena.table import Bot, play_match
from engine.chance import check_seed
from engine.errors import BadBot, BadOption
from engine.game import AnyGame, Seat, check_players, read_options
from engine.match import Match
from engine.player import Ask
from engine.record import record_of
from engine.registry import find_game


class Plan(msgspec.Struct, frozen=True):
    """What is played, in names alone, so that it can be sent to other processes."""

    game: str
    bots: tuple[str, ...]
    """One per seat, as `find_bot` takes them."""
    seed: str
    deals: int
    options: dict[str, Any] = {}
    records: bool = False
    """Whether the results carry the records of their matches."""


class Stopwatch:
    """A bot's `choose` in one game of a block, with its time taken."""

    def __init__(self, bot: Bot, number: int) -> None:
        self.bot, self.number = bot, number
        self.seconds: list[float] = []

    def __call__(self, ask: Ask) -> Any:
        asked = with_own_dice(ask, self.number)
        begin = perf_counter()
        try:
            return self.bot.choose(asked)
        finally:
            self.seconds.append(perf_counter() - begin)


def simulate(plan: Plan, jobs: int = 1) -> Iterator[Block]:
    """The blocks in the order of their deals, each as soon as it is played; the same ones for any number of jobs.

    What is wrong with the plan is said at once, not when the first block is asked for.
    """
    check_plan(plan)
    if jobs < 1:
        raise BadOption(f"jobs must be at least 1, not {jobs}", field="jobs")
    play = partial(_planned_block, plan)
    return map(play, range(plan.deals)) if jobs == 1 else _spread(play, plan.deals, jobs)


def check_plan(plan: Plan) -> None:
    game = find_game(plan.game)
    check_players(game.INFO, len(plan.bots))
    read_options(game, plan.options)
    check_seed(deal_seed(plan.seed, plan.deals))
    if plan.deals < 1:
        raise BadOption(f"deals must be at least 1, not {plan.deals}", field="deals")
    for name in plan.bots:
        find_bot(name)


def labels(names: Sequence[str]) -> tuple[str, ...]:
    """Who is listed twice gets a number: `greedy`, `greedy#2`; the next one, if somebody is called that already."""
    found = list[str]()
    for name in names:
        numbered = (f"{name}#{number}" for number in count(2))
        free = (label for label in numbered if label not in found and label not in names)
        found.append(next(free) if name in found else name)
    return tuple(found)


def deal_seed(seed: str, deal: int) -> str:
    return f"{seed}/{deal}"


def open_salt(seed: str) -> str:
    """Where no commitment is published beforehand, the salt keeps no secret: the same seed gives the same file."""
    return hashlib.sha256(seed.encode()).hexdigest()[:32]


def play_block(
    game: AnyGame,
    bots: Sequence[Bot],
    seed: str,
    options: Mapping[str, object] | msgspec.Struct | None = None,
    *,
    records: bool = False,
) -> tuple[Result, ...]:
    """One deal in all its seatings; who has which number in them depends on the deal."""
    size = len(bots)
    results: list[Result] = []
    for number, seating in enumerate(relabelled(seatings(size), size, seed)):
        at_table = [Stopwatch(bots[bot], number) for bot in seating]
        match = play_match(game, [Bot(watch.bot.name, watch) for watch in at_table], seed, options)
        results.append(_result(match, seats_in(seating), at_table, records))
    return tuple(results)


def with_own_dice(ask: Ask, number: int) -> Ask:
    """As at the arena's tables, where a bot has other dice in each match of a deal."""
    seed = hashlib.sha256(f"{ask.seed}/{number}".encode()).hexdigest()
    return msgspec.structs.replace(ask, seed=seed)


def _result(match: Match, seats: tuple[Seat, ...], at_table: Sequence[Stopwatch], records: bool) -> Result:
    names = tuple(watch.bot.name for watch in at_table)
    return Result(
        seats=seats,
        scores=match.scores,
        seconds=tuple(tuple(watch.seconds) for watch in at_table),
        record=record_of(match, names, open_salt(match.seed)) if records else None,
    )


def _planned_block(plan: Plan, deal: int) -> Block:
    """Runs in whatever process has time."""
    seed = deal_seed(plan.seed, deal)
    bots = [Bot(label, find_bot(name)) for label, name in zip(labels(plan.bots), plan.bots, strict=True)]
    return Block(deal, seed, play_block(find_game(plan.game), bots, seed, plan.options, records=plan.records))


def _spread(play: "partial[Block]", deals: int, jobs: int) -> Iterator[Block]:
    """Over several processes, in chunks that leave each of them several to fetch."""
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        yield from pool.map(play, range(deals), chunksize=max(1, min(4, deals // (4 * jobs))))
    except BrokenProcessPool:
        raise BadBot("a bot ended the process it played in; play with one job to see which", field="bot") from None
    finally:
        pool.shutdown(cancel_futures=True)
