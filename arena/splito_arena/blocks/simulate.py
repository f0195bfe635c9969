"""Simulation of many matches between local bots, each with its own deal, in blocks of balanced seatings.

Installed bots play in this process if there is one job. Functions of bot authors play in processes of their own, where
they can neither print to our output nor hang for ever; there they are called directly, as fast as here.

A block plays the seatings of `splito_arena.blocks.seatings`: every bot has every seat equally often, and every other
bot beside it as equally as the number of games allows.
"""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import active_children, get_context
from signal import ITIMER_REAL, SIGALRM, getsignal, setitimer, signal
from time import perf_counter
from typing import Any

import msgspec

from splito_arena.blocks.results import Block, Result
from splito_arena.blocks.seatings import Seating, relabelled, seatings
from splito_arena.bots.child_process import become_child, starting_children
from splito_arena.bots.direct import Bot, play_match
from splito_arena.bots.find import find_bot
from splito_arena.bots.functions.path import check_path, is_path
from splito_arena.bots.lineup import labels
from splito_engine.chance import check_seed
from splito_engine.errors import BadBot, BadOption
from splito_engine.game import AnyGame, check_players, read_options
from splito_engine.match import Match
from splito_engine.player import Ask, Choose
from splito_engine.record import record_of
from splito_engine.registry import find_game

LIMIT = 60.0
"""Seconds that a function may think about a move if the plan says nothing, because a simulation has no clock."""
MOST_LIMIT = 86_400.0
AGAIN = 0.1
"""Seconds after which a function that ignores its interruption is interrupted again."""


class Plan(msgspec.Struct, frozen=True):
    """The plan of a simulation. It holds names only, because it is sent to other processes."""

    game: str
    bots: tuple[str, ...]
    """Bots, one per seat, as names that `find_bot` takes."""
    seed: str
    deals: int
    """Least number of matches; it is rounded up to whole blocks."""
    options: dict[str, Any] = {}
    records: bool = False
    """True if the results contain the records of their matches."""
    names: tuple[str, ...] = ()
    """Names of the bots in results and records; those of `bots` if empty."""
    limit: float = LIMIT
    """Seconds that a function may think about a move."""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.names or labels(self.bots)

    @property
    def blocks(self) -> int:
        return blocks_for(self.deals, len(self.bots))


class Stopwatch:
    """A bot's `choose` in one match, which measures the time of each move."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.seconds: list[float] = []

    def __call__(self, ask: Ask) -> Any:
        begin = perf_counter()
        try:
            return self.bot.choose(ask)
        finally:
            self.seconds.append(perf_counter() - begin)


def simulate(plan: Plan, jobs: int = 1) -> Generator[Block]:
    """Yield the blocks in the order of their numbers, each as soon as it is played; the same for any number of jobs.

    Raise an error for a bad plan at once, not when the first block is taken.
    """
    check_plan(plan)
    if jobs < 1:
        raise BadOption(f"jobs must be at least 1, not {jobs}", field="jobs")
    play = partial(_planned_block, plan)
    is_here = jobs == 1 and not any(map(is_path, plan.bots))
    return _play_here(play, plan.blocks) if is_here else _spread(play, plan.blocks, jobs)


def check_plan(plan: Plan) -> None:
    game = find_game(plan.game)
    check_players(game.INFO, len(plan.bots))
    read_options(game, plan.options)
    check_seed(deal_seed(plan.seed, plan.deals, plan.deals))
    if plan.deals < 1:
        raise BadOption(f"deals must be at least 1, not {plan.deals}", field="deals")
    if not 0 < plan.limit <= MOST_LIMIT:
        raise BadOption(f"limit must be more than 0 and at most {MOST_LIMIT:g} seconds", field="limit")
    for name in plan.bots:
        (check_path if is_path(name) else find_bot)(name)


def blocks_for(deals: int, size: int) -> int:
    """Return the number of whole blocks of `size` bots that have at least this number of deals."""
    return -(-deals // len(seatings(size)))


def deal_seed(seed: str, block: int, number: int) -> str:
    """Return the seed of a match of a block."""
    return f"{seed}/{block}/{number}"


def seated(seed: str, block: int, size: int) -> tuple[Seating, ...]:
    """Return the seatings of a block; the number of each bot in them depends on the seed and the block."""
    return relabelled(seatings(size), size, f"{seed}/{block}")


def open_salt(seed: str) -> str:
    """Return the salt of a simulation.

    It follows from the seed, because no commitment is published: same seed, same file.
    """
    return hashlib.sha256(seed.encode()).hexdigest()[:32]


def play_block(  # noqa: PLR0913 (the terms of a block)
    game: AnyGame,
    bots: Sequence[Bot],
    seed: str,
    block: int = 0,
    options: Mapping[str, object] | msgspec.Struct | None = None,
    *,
    records: bool = False,
) -> tuple[Result, ...]:
    """Return the results of all seatings of a block, each with its own deal."""
    results: list[Result] = []
    for number, seating in enumerate(seated(seed, block, len(bots))):
        at_table = [Stopwatch(bots[bot]) for bot in seating]
        players = [Bot(watch.bot.name, watch) for watch in at_table]
        match = play_match(game, players, deal_seed(seed, block, number), options)
        results.append(_result(match, seating, at_table, records))
    return tuple(results)


def _result(match: Match, seating: Seating, at_table: Sequence[Stopwatch], records: bool) -> Result:
    names = tuple(watch.bot.name for watch in at_table)
    return Result(
        seating=seating,
        scores=match.scores,
        seconds=tuple(tuple(watch.seconds) for watch in at_table),
        faults=((),) * len(names),
        replaced=(False,) * len(names),
        record=record_of(match, names, open_salt(match.seed)) if records else None,
    )


def _planned_block(plan: Plan, block: int) -> Block:
    """Play a block of the plan, in any process."""
    bots = [Bot(label, _chooser(name, plan.limit)) for label, name in zip(plan.labels, plan.bots, strict=True)]
    game = find_game(plan.game)
    return Block(block, play_block(game, bots, plan.seed, block, plan.options, records=plan.records))


def _chooser(name: str, limit: float) -> Choose:
    """Return the bot; a function in the main thread of its process is interrupted when its time is over."""
    choose = find_bot(name)
    if not is_path(name) or not _can_interrupt():
        return choose

    def in_time(ask: Ask) -> Any:
        try:
            setitimer(ITIMER_REAL, limit, AGAIN)
            return choose(ask)
        except _Late as late:
            said = TimeoutError(f"no move within {limit:g} s")
            raise said.with_traceback(late.__traceback__) from None
        finally:
            setitimer(ITIMER_REAL, 0)

    return in_time


def _can_interrupt() -> bool:
    """True in a process of `_spread`, whose handler of the timer is ours."""
    return getsignal(SIGALRM) is _interrupt


class _Late(BaseException):
    """The time of a function is over. It is no `Exception`, so that a function that ignores errors ends too."""


def _interrupt(_signal: int, _frame: object) -> None:
    raise _Late


def _begin_process() -> None:
    become_child()
    signal(SIGALRM, _interrupt)


def _play_here(play: "partial[Block]", blocks: int) -> Generator[Block]:
    yield from map(play, range(blocks))


def _spread(play: "partial[Block]", blocks: int, jobs: int) -> Generator[Block]:
    """Play the blocks in several processes and yield them, in chunks small enough for each process to take several.

    The processes are killed when the caller stops, because a function may hang in them.
    """
    others = {*active_children()}
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin_process)
    try:
        with starting_children():
            played = pool.map(play, range(blocks), chunksize=max(1, min(4, blocks // (4 * jobs))))
        yield from played
    except BrokenProcessPool:
        said = "a bot ended the process it played in; `splito match` shows which, and in which turn"
        raise BadBot(said, field="bot") from None
    finally:
        for process in {*active_children()} - others:
            process.kill()
        pool.shutdown(cancel_futures=True)
