"""`splito simulate`: many matches between bots, with a table of results and intervals."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.text import Text

from splito_arena.blocks.results import Block
from splito_arena.blocks.simulate import LIMIT, Plan
from splito_arena.blocks.simulate import simulate as play_blocks
from splito_arena.bots.fault_log import BotFailed
from splito_arena.bots.functions.words import split_words
from splito_arena.bots.lineup import function_infos, table_names
from splito_arena.match.messages import BotInfo
from splito_arena.stats.intervals import CONFIDENCE, LEAST_BLOCKS
from splito_arena.stats.series_table import Standing, summary
from splito_arena.stats.texts import shown_mean, shown_share
from splito_cli.arguments import INTERRUPTED, NO_BLOCK, Deals, GameName, Json, RecordFolder, Seats, read_bots
from splito_cli.matches.faults import FaultFolder, FaultReports
from splito_cli.options import USUAL_GAME, GameOptions, seats_for
from splito_cli.record_files import write_records
from splito_cli.terminal.screen import counted, headline, plain_table, progress_bar, screen
from splito_engine.registry import find_game

EXAMPLES = (
    "splito simulate splito --bots planner,greedy,random --deals 1200",
    "splito simulate splito --players 5 --bots planner,greedy --jobs 4",
    "splito simulate splitter --bots my_bots:choose,planner --seed 7 --json",
)

Bots: TypeAlias = Annotated[
    str, Parameter(help="The bots, separated by commas; if there are fewer than seats, they are repeated in turn.")
]
Jobs: TypeAlias = Annotated[int, Parameter(help="The number of processes that play at the same time.")]
Limit: TypeAlias = Annotated[float, Parameter(help="Seconds that a function may think about a move.")]
STOPPED = "Stopped by Ctrl-C: unfinished blocks do not count."


class Report(msgspec.Struct, frozen=True):
    """The JSON that `--json` prints."""

    game: str
    version: str
    players: int
    options: dict[str, object]
    seed: str
    blocks: int
    matches: int
    """The number of matches, each with its own deal."""
    confidence: float
    bots: tuple[Standing, ...]
    infos: dict[str, BotInfo] = {}
    """The infos of bots that have one, by the words of the command line."""
    stopped: bool = False
    """True if Ctrl-C ended it before its last block."""


def simulate(  # noqa: PLR0913 (one parameter per option or group)
    game: GameName,
    /,
    *,
    bots: Bots = "planner,greedy,random",
    players: Seats = None,
    deals: Deals = 600,
    given: GameOptions = USUAL_GAME,
    jobs: Jobs = 1,
    json: Json = False,
    records: RecordFolder = None,
    save_faults: FaultFolder = None,
    limit: Limit = LIMIT,
) -> int:
    """Let bots play many matches, each with its own deal, and show their results with intervals.

    Matches are played in blocks, in which each bot has every seat equally often, and every neighbour as equally as
    possible. There is no clock: a bot that fails ends the simulation, and its traceback is shown. Ctrl-C stops and
    shows the results so far.
    """
    words = read_bots(bots, seats_for(game, players, split_words(bots)))
    faults = FaultReports(save_faults)
    infos = asyncio.run(function_infos(words, game))
    names = table_names(words, infos)
    plan = Plan(game, words, given.seed_or(None), deals, given.pairs(), records is not None, names, limit)
    faults.seat(plan.labels, words)
    blocks, stopped = _played(plan, jobs, records, faults)
    if not blocks:
        screen().print(NO_BLOCK)
        return INTERRUPTED
    report = _report(plan, blocks, infos, stopped=stopped)
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        screen().print(page(report, records))
    return INTERRUPTED if stopped else 0


def _played(plan: Plan, jobs: int, records: Path | None, faults: FaultReports) -> tuple[list[Block], bool]:
    """Return the blocks, and True if Ctrl-C stopped them. A bot that fails is reported before its error is raised."""
    blocks = list[Block]()
    try:
        with closing(play_blocks(plan, jobs)) as playing:
            for block in _with_progress(playing, plan.blocks):
                blocks.append(write_records(records, plan.game, block))
    except BotFailed as failed:
        if failed.fault is not None:
            faults.take(failed.fault)
        raise
    except KeyboardInterrupt:
        return blocks, True
    return blocks, False


def _report(plan: Plan, blocks: Sequence[Block], infos: Mapping[str, BotInfo], *, stopped: bool) -> Report:
    return Report(
        game=plan.game,
        version=find_game(plan.game).INFO.version,
        players=len(plan.bots),
        options=plan.options,
        seed=plan.seed,
        blocks=len(blocks),
        matches=sum(len(block.results) for block in blocks),
        confidence=CONFIDENCE,
        bots=summary(plan.labels, blocks),
        infos=dict(infos),
        stopped=stopped,
    )


def _with_progress(blocks: Iterator[Block], total: int) -> Iterator[Block]:
    with progress_bar("blocks") as progress:
        yield from progress.track(blocks, total=total)


def page(report: Report, records: Path | None) -> RenderableType:
    table = plain_table("bot", "games", "points", "win rate", "mean rank", "ms/move", "p99", "slowest")
    for line in sorted(report.bots, key=lambda line: line.wins.mean, reverse=True):
        table.add_row(
            *result_cells(line),
            f"{line.ms_per_move:.2f}",
            f"{line.ms_p99:.2f}",
            f"{line.ms_slowest:.2f}",
        )
    said = [*notes(report, records), *([STOPPED] if report.stopped else [])]
    head = headline(find_game(report.game).INFO.titles["en"], counted(report.players, "player"))
    return Group(head, Text(), table, Text(), *(Text(note, "dim") for note in said))


def result_cells(line: Standing) -> tuple[Text, ...]:
    """Return the cells bot, games, points, win rate and mean rank."""
    shown = (
        shown_mean(line.points.mean, line.points.margin),
        shown_share(line.wins.mean, line.wins.low, line.wins.high),
        shown_mean(line.rank.mean, line.rank.margin, 2),
    )
    return Text(line.bot, "bold"), Text(str(line.games)), *(Text(str(one)) for one in shown)


def notes(report: Report, records: Path | None) -> list[str]:
    """Return notes on how it was played, and how to repeat it."""
    found = [
        f"{how_many(report)}. Brackets and ± are 95 % intervals, for which {LEAST_BLOCKS} blocks are needed.",
        f"Again: the same command with --seed {report.seed}",
    ]
    if records is not None:
        found.append(f"{report.matches} records in {records}; check them with: splito verify {records}/*.json")
    return found


def how_many(report: Report) -> str:
    """Return how many matches and blocks were played, in words."""
    size = counted(report.matches // report.blocks, "seating")
    return f"{counted(report.matches, 'deal')}, one for each match: {counted(report.blocks, 'block')} of {size}"
