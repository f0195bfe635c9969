"""`splito simulate`: many matches between bots, with a table of results and intervals."""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from splito_arena.blocks.results import Block
from splito_arena.blocks.simulate import Plan
from splito_arena.blocks.simulate import simulate as play_blocks
from splito_arena.bots.lineup import labels
from splito_arena.stats.intervals import CONFIDENCE, LEAST_BLOCKS
from splito_arena.stats.series_table import Standing, summary
from splito_arena.stats.texts import shown_mean, shown_share
from splito_cli.arguments import GameName, Json, Pairs, RecordFolder, Seed, read_bots, read_pairs
from splito_cli.record_files import write_records
from splito_cli.terminal.screen import counted, headline, plain_table, progress_bar, screen
from splito_engine.chance import new_seed
from splito_engine.registry import find_game

EXAMPLES = (
    "splito simulate splito --bots planner,greedy,random --deals 1200",
    "splito simulate splito --players 5 --bots planner,greedy --jobs 4",
    "splito simulate splitter --bots my_bots:choose,planner --seed 7 --json",
)


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
) -> None:
    """Let bots play many matches, each with its own deal, and show their results with intervals.

    Matches are played in blocks, in which each bot has every seat equally often, and every neighbour as equally as
    possible.

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
    """
    info = find_game(game).INFO
    seats = players or max(info.min_players, bots.count(",") + 1)
    plan = Plan(game, read_bots(bots, seats), seed or new_seed(), deals, read_pairs(option), records is not None)
    blocks = list(_with_progress(_kept(play_blocks(plan, jobs), game, records), plan.blocks))
    lines = summary(labels(plan.bots), blocks)
    matches = sum(len(block.results) for block in blocks)
    report = Report(game, info.version, seats, plan.options, plan.seed, len(blocks), matches, CONFIDENCE, lines)
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        screen().print(page(report, records))


def _kept(blocks: Iterator[Block], game: str, folder: Path | None) -> Iterator[Block]:
    for block in blocks:
        yield write_records(folder, game, block)


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
    head = headline(find_game(report.game).INFO.titles["en"], counted(report.players, "player"))
    return Group(head, Text(), table, Text(), *(Text(note, "dim") for note in notes(report, records)))


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
