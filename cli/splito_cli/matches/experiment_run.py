"""A run of `splito experiment`: blocks are played, saved and shown until a verdict, Ctrl-C or SIGTERM."""

import asyncio
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from time import monotonic

import msgspec
from msgspec.structs import replace
from rich.live import Live

from splito_arena.blocks.play import BlockPlayed
from splito_arena.bots.lineup import Company, seated
from splito_arena.experiments.run import Account, Step, compare
from splito_arena.experiments.sequential_test import begin, reading
from splito_arena.experiments.tables import Comparison, opening
from splito_cli.ask_files import AskFiles
from splito_cli.event_loop import loop_factory
from splito_cli.matches.experiment_file import ExperimentFile
from splito_cli.matches.experiment_page import ExperimentReport, Stop, live_page, progress_line
from splito_cli.matches.faults import FaultReports, Logs
from splito_cli.matches.folders import Folders
from splito_cli.record_files import write_record
from splito_cli.terminal.screen import side_screen
from splito_engine.registry import find_game

REFRESH = 8
"""How often the screen is drawn, per second."""
FIRST_LINES, EVERY = (1, 2, 5), 10
"""Numbers of blocks after which a line of progress is printed without a terminal: these, and every tenth."""


class Session:
    """The state of a running experiment: players, games and evidence."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.reading = reading(begin(comparison.design))
        self.company: Company | None = None
        self.games = 0
        self.stopped: Stop | None = None
        self.notes: list[str] = []
        """Notes about the faults that were kept."""
        self._accounts: list[Account] = []
        self._begun = monotonic()

    def seat(self, company: Company) -> None:
        self.company = company
        self._accounts = [Account(player.name, number) for number, player in enumerate(company.players)]
        self._begun = monotonic()

    def add(self, step: Step) -> None:
        """Add a block. Accounts come first, because another thread draws the screen meanwhile."""
        for account in self._accounts:
            account.add(step.played)
        self.reading = step.reading
        self.games += len(step.played.entry.games)

    def report(self) -> ExperimentReport:
        comparison, company = self.comparison, self.company
        return ExperimentReport(
            game=comparison.game,
            version=find_game(comparison.game).INFO.version,
            players=comparison.players,
            options=comparison.options,
            seed=comparison.seed,
            named=comparison.bots,
            names=tuple(player.name for player in company.players) if company else comparison.bots,
            design=comparison.design,
            measure=comparison.measure,
            reading=self.reading,
            games=self.games,
            bots=tuple(account.fared() for account in self._accounts if account.games),
            infos=company.infos if company else {},
            stand_in=company.stand_in.name if company else "",
            clock=comparison.play.clock,
            strikes=comparison.play.strikes,
            seconds=round(monotonic() - self._begun, 3),
            stopped=self.stopped is not None,
            stopped_by=self.stopped,
        )


class Run(msgspec.Struct, frozen=True):
    """How an experiment is run: processes, secrets of the bots, folders and files."""

    jobs: int
    secrets: Mapping[str, str]
    folders: Folders
    saved: ExperimentFile | None
    json: bool

    def play(self, session: Session) -> None:
        """Play blocks until there is a verdict, Ctrl-C or SIGTERM."""
        self.folders.create()
        faults, runner = FaultReports(self.folders.save_faults), asyncio.Runner(loop_factory=loop_factory())
        with AskFiles(self.folders.log, session.comparison.game) as asks, runner:
            try:
                runner.run(self._play(session, Logs(asks, faults)))
            except KeyboardInterrupt:
                session.stopped = "Ctrl-C"
            except asyncio.CancelledError:
                session.stopped = "SIGTERM"
            finally:
                if self.saved is not None:
                    self.saved.close()
        session.notes = faults.notes()

    async def _play(self, session: Session, logs: Logs) -> None:
        cancel_on_sigterm()
        comparison = session.comparison
        async with seated(comparison.bots, opening(comparison), self.secrets, log=logs.asks.wanted) as company:
            session.seat(company)
            before = self._begin(session)
            with logs.opened(comparison.game, company, comparison.bots) as write, _screen(session):
                logged = replace(comparison, play=replace(comparison.play, log=write))
                steps = compare(logged, company, jobs=self.jobs, finished=before, on_fault=write and logs.faults.take)
                async with aclosing(steps):
                    async for step in steps:
                        self._add(session, step, played_now=session.reading.blocks >= len(before))

    def _begin(self, session: Session) -> list[BlockPlayed]:
        """Return the blocks that the file has already."""
        if self.saved is None:
            return []
        self.saved.begin(session.comparison)
        return self.saved.finished

    def _add(self, session: Session, step: Step, *, played_now: bool) -> None:
        session.add(step)
        if played_now:
            if self.saved is not None:
                self.saved.add(step.played)
            _write_records(self.folders.records, session.comparison.game, step)
            _tell(session, self.json)


def cancel_on_sigterm() -> None:
    """Let SIGTERM cancel the running task, as Ctrl-C does. Signals reach the main thread only."""
    task = asyncio.current_task()
    if task is not None and threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def _tell(session: Session, json: bool) -> None:
    """Print a line of progress to standard error, unless it is a terminal, which shows the live page."""
    console, blocks = side_screen(), session.reading.blocks
    if not console.is_terminal and (blocks in FIRST_LINES or blocks % EVERY == 0):
        sys.stderr.write(progress_line(session.report(), json=json) + "\n")
        sys.stderr.flush()


def _screen(session: Session) -> Live:
    """Show the live page on a terminal; elsewhere show no page."""
    console = side_screen()
    return Live(
        console=console,
        get_renderable=lambda: live_page(session.report()) if console.is_terminal else "",
        refresh_per_second=REFRESH,
        auto_refresh=console.is_terminal,
        transient=True,
    )


def _write_records(folder: Path | None, game: str, step: Step) -> None:
    if folder is not None:
        entry = step.played.entry
        for number, one in enumerate(entry.games):
            write_record(folder / f"{game}-{entry.block}-{number}.json", one.record)
