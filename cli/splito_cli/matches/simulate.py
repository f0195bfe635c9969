"""`splito simulate`: many matches between bots, with a table of results and intervals."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
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
from splito_cli.arguments import INTERRUPTED, NO_BLOCK, GameName, Json, Pairs, RecordFolder, Seed, read_bots, read_pairs
from splito_cli.matches.faults import FaultFolder, FaultReports
from splito_cli.record_files import write_records
from splito_cli.terminal.screen import counted, headline, plain_table, progress_bar, screen
from splito_engine.chance import new_seed
from splito_engine.registry import find_game

EXAMPLES = (
    "splito simulate splito --bots planner,greedy,random --deals 1200",
    "splito simulate splito --players 5 --bots planner,greedy --jobs 4",
    "splito simulate splitter --bots my_bots:choose,planner --seed 7 --json",
)

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


def simulate(  # noqa: PLR0913 (one parameter per option)
    game: GameName,
    /,
    *,
    bots: str = "planner,greedy,random",
    players: int | None = None,
    deals: int = 600,
    seed: Seed = None,
    option: Pairs = (),
    jobs: int = 1,
    json: Json = False,
    records: RecordFolder = None,
    save_faults: FaultFolder = None,
    limit: float = LIMIT,
) -> int:
    """Let bots play many matches, each with its own deal, and show their results with intervals.

    Matches are played in blocks, in which each bot has every seat equally often, and every neighbour as equally as
    possible. There is no clock: a bot that fails ends the simulation, and its traceback is shown. Ctrl-C stops and
    shows the results so far.

    Parameters
    ----------
    bots
        The bots, separated by commas; if there are fewer than seats, they are repeated in turn.
    players
        Seats at the table; without it one for each bot.
    deals
        The number of deals, one per match. Rounded up to whole blocks: 2 matches for two bots, 6 for three, 12 for four
        (see docs/blocks.md).
    jobs
        The number of processes that play at the same time.
    limit
        Seconds that a function may think about a move.
    """
    info = find_game(game).INFO
    seats = players or max(info.min_players, len(split_words(bots)))
    words = read_bots(bots, seats)
    faults = FaultReports(save_faults)
    infos = asyncio.run(function_infos(words, game))
    plan = Plan(
        game,
        words,
        seed or new_seed(),
        deals,
        read_pairs(option),
        records is not None,
        table_names(words, infos),
        limit,
    )
    faults.seat(plan.labels, words)
    blocks, stopped = _played(plan, jobs, records, faults)
    if not blocks:
        screen().print(NO_BLOCK)
        return INTERRUPTED
    report = Report(
        game=game,
        version=info.version,
        players=seats,
        options=plan.options,
        seed=plan.seed,
        blocks=len(blocks),
        matches=sum(len(block.results) for block in blocks),
        confidence=CONFIDENCE,
        bots=summary(plan.labels, blocks),
        infos=infos,
        stopped=stopped,
    )
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
