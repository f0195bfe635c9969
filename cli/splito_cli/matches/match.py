"""`splito match`: bots of any kind play each other on this machine, by the rules of the arena."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import msgspec
from cyclopts import Parameter
from msgspec.structs import replace
from rich.progress import Progress, ProgressColumn, Task
from rich.text import Text

from splito_arena.blocks.results import Block
from splito_arena.blocks.series import AT_ONCE, Series, opening, play_series
from splito_arena.bots.lineup import Company, seated
from splito_arena.stats.intervals import CONFIDENCE
from splito_arena.stats.series_table import summary
from splito_cli.arguments import INTERRUPTED, NO_BLOCK, AtOnce, Deals, Flag, GameName, Json, Seats, seat_bots
from splito_cli.ask_files import AskFiles
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.event_loop import loop_factory
from splito_cli.matches.faults import FaultReports, Logs
from splito_cli.matches.folders import NO_FOLDERS, Folders
from splito_cli.matches.match_page import MatchReport, page
from splito_cli.options import USUAL_PLAY, PlayOptions, seats_for
from splito_cli.record_files import write_records
from splito_cli.terminal.desk import Desk, show_result, show_table, show_turn
from splito_cli.terminal.screen import progress_bar, screen, wide_screen
from splito_cli.terminal.show import find_show
from splito_engine.errors import BadOption
from splito_engine.match import play, start
from splito_engine.record import Record
from splito_engine.record import replay as replay_record
from splito_engine.registry import find_game

EXAMPLES = (
    "splito match splito http://localhost:8001 planner greedy --deals 300",
    "splito match splito my_bots:old my_bots:new --players 4",
    "splito match splitter http://localhost:8001 random --clock 200,1000 --log asks",
    "splito match splitit planner random --deals 2 --replay",
)


class Session:
    """The state of a running series: players, blocks and the last record."""

    def __init__(self) -> None:
        self.company: Company | None = None
        self.blocks: list[Block] = []
        self.last: Record | None = None
        self.stopped = False
        self.notes: list[str] = []
        """Notes about the faults that were kept."""


@Parameter(name="*")
@dataclass(frozen=True)
class SeriesOptions:
    """The options that settle a series: its seats, its deals, and how its matches are played."""

    players: Seats = None
    deals: Deals = 120
    play: PlayOptions = USUAL_PLAY
    at_once: AtOnce = AT_ONCE

    def series(self, game: str, bots: Sequence[str]) -> Series:
        """Return the series of these bots. Raise `GameError` for an option that is wrong."""
        return Series(
            game=game,
            bots=seat_bots(bots, seats_for(game, self.players, bots)),
            seed=self.play.seed_or(None),
            deals=self.deals,
            options=self.play.pairs(),
            play=self.play.terms(),
            at_once=self.at_once,
        )


USUAL_SERIES = SeriesOptions()


def match(  # noqa: PLR0913 (one parameter per option or group)
    game: GameName,
    bot: str,
    /,
    *more: str,
    given: SeriesOptions = USUAL_SERIES,
    secret: Secrets = (),
    folders: Folders = NO_FOLDERS,
    replay: Flag = False,
    json: Json = False,
) -> int:
    """Let bots play each other on this machine, without a server.

    Each match has its own deal. Matches are played in blocks, in which each bot has every seat equally often, and every
    neighbour as equally as possible. A bot that fails gets the default move and a fault; after too many faults the best
    built-in bot replaces it, and the match counts as lost. Ctrl-C stops and shows the results so far.

    Parameters
    ----------
    bot
        A URL (http://localhost:8001), module:function, or a name as `splito bots` lists them.
    more
        More bots; if there are fewer than seats, they are repeated in turn.
    replay
        Show the last match turn by turn.
    """
    if json and replay:
        raise BadOption("--json prints JSON only: leave out --replay", field="replay")
    words = (bot, *more)
    series = given.series(game, words)
    session = _run(series, read_secrets(secret, words), folders)
    _tell(_report(series, session), folders, session.notes, json)
    if replay and session.last is not None:
        show_replay(session.last)
    return INTERRUPTED if session.stopped else 0


def _tell(report: MatchReport | None, folders: Folders, notes: Sequence[str], json: bool) -> None:
    """Print the report; instead of a missing one, null or that no block was played to its end."""
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    elif report is None:
        wide_screen().print(NO_BLOCK)
    else:
        wide_screen().print(page(report, folders.records, folders.log, notes))


def show_replay(record: Record) -> None:
    """Show a match turn by turn, as its first seat sees it."""
    game = find_game(record.game)
    desk = Desk(screen(), find_show(record.game), 0, record.names, "en")
    desk.console.print(f"\nThe last match, as {record.names[0]} in seat 0 sees it:")
    shown = start(game, record.players, record.seed, record.options)
    for turn in replay_record(record, game).turns:
        show_table(desk, shown)
        shown = play(shown, turn.moves, turn.talk)
        show_turn(desk, shown)
    show_result(desk, shown)


def _run(series: Series, secrets: Mapping[str, str], folders: Folders) -> Session:
    """Play all blocks, or until Ctrl-C."""
    session, bar, faults = Session(), progress_bar("matches", _Rate()), FaultReports(folders.save_faults)
    folders.create()
    runner = asyncio.Runner(loop_factory=loop_factory())
    with AskFiles(folders.log, series.game) as asks, runner, bar as progress:
        keep = _keeper(session, series, folders.records, progress)
        try:
            runner.run(_play(series, secrets, session, keep, Logs(asks, faults)))
        except KeyboardInterrupt:
            session.stopped = True
    session.notes = faults.notes()
    return session


async def _play(
    series: Series, secrets: Mapping[str, str], session: Session, keep: Callable[[Block], None], logs: Logs
) -> None:
    async with seated(series.bots, opening(series), secrets, log=logs.asks.wanted) as company:
        session.company = company
        with logs.opened(series.game, company, series.bots) as write:
            wanted = replace(series, play=replace(series.play, log=write))
            async with aclosing(play_series(wanted, company)) as blocks:
                async for block in blocks:
                    keep(block)


def _keeper(session: Session, series: Series, records: Path | None, progress: Progress) -> Callable[[Block], None]:
    shown = progress.add_task("", total=series.blocks * series.games)

    def keep(block: Block) -> None:
        session.last = block.results[-1].record
        session.blocks.append(write_records(records, series.game, block))
        progress.advance(shown, len(block.results))

    return keep


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:.0f} matches/s", "dim")


def _report(series: Series, session: Session) -> MatchReport | None:
    """Return the report; None if no block was finished."""
    company, blocks = session.company, session.blocks
    if company is None or not blocks:
        return None
    return MatchReport(
        game=series.game,
        version=find_game(series.game).INFO.version,
        players=len(series.bots),
        options=series.options,
        seed=series.seed,
        blocks=len(blocks),
        matches=len(blocks) * series.games,
        confidence=CONFIDENCE,
        bots=summary([player.name for player in company.players], blocks),
        named=series.bots,
        infos=company.infos,
        stand_in=company.stand_in.name,
        clock=series.play.clock,
        strikes=series.play.strikes,
        stopped=session.stopped,
    )
