"""`splito tune`: searches for the best parameters of a bot."""

import asyncio
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter

from splito_arena.bots.functions.path import is_path
from splito_arena.bots.subprocess import BotProcesses
from splito_arena.line_file import write_whole
from splito_arena.tuning.report import TuneReport, report_of
from splito_arena.tuning.run import PairPlayed, Search, check_tuning, tune
from splito_cli.arguments import INTERRUPTED, Json
from splito_cli.event_loop import loop_factory
from splito_cli.extras import require
from splito_cli.matches.experiment_run import cancel_on_sigterm
from splito_cli.record_files import check_place
from splito_cli.terminal.progress import Shown
from splito_cli.terminal.screen import wide_screen
from splito_cli.tuning.file import SearchFile, open_file, settings_of
from splito_cli.tuning.page import page, progress_text
from splito_cli.tuning.settings import TuneSettings
from splito_engine.errors import BadBot, BadOption

EXAMPLES = (
    "splito tune my_bot:make --param a=0..1 --param b=1..10 --int b",
    "splito tune my_bot:make --param a=0..1 --start a=0.2 --field planner --save search.jsonl --plot search.html",
    "splito tune my_bot:make --param a=0..1 --races 2 --candidates 8 --blocks 8 --check 50 --json",
)
EXIT_CODES = {"Ctrl-C": INTERRUPTED, "SIGTERM": 143}
Jobs: TypeAlias = Annotated[
    int | None,
    Parameter(
        help="The number of processes that play blocks, by default one per core; the result is the same for any number."
    ),
]
SaveFile: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help="A file for the finished blocks. If a search with the same settings was interrupted, the same command "
        "goes on from its file, to the same result."
    ),
]
PlotFile: TypeAlias = Annotated[
    Path | None,
    Parameter(help="A file for a page with a plot of each parameter. This needs the extra `report`."),
]


def tune_bot(  # noqa: PLR0913 (one parameter per option or group)
    maker: str,
    /,
    *,
    settings: TuneSettings,
    jobs: Jobs = None,
    save: SaveFile = None,
    plot: PlotFile = None,
    json: Json = False,
) -> int:
    """Search for the best parameters of a bot, and measure on fresh deals how much better they are.

    `maker` is a function that takes the parameters and returns a bot. The search is a series of races: points that fill
    a box play the same deals with the same dice, and the better half of them plays on until one is left. The next race
    has fresh deals and a smaller box around that winner. At the end the best point is compared with the start on deals
    that the search has not used. Ctrl-C stops and shows what is known so far.

    Parameters
    ----------
    maker
        module:function; the function is called as make(a=0.5, b=3).
    """
    _check(maker, jobs, plot)
    bots = settings.seated(maker)
    saved = open_file(save) if save else None
    tuning = settings.tuning(bots, saved.head.seed if saved and saved.head else None)
    check_tuning(tuning)
    report = Run(Search(tuning), jobs or os.cpu_count() or 1, saved).play()
    if plot is not None:
        from splito_arena.reports.tuning_page import tuning_page  # noqa: PLC0415 (it is in an extra)

        write_whole(plot, tuning_page(report).encode())
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        wide_screen().print(page(report, save, plot))
    return EXIT_CODES[report.stopped_by] if report.stopped_by else 0


def _check(maker: str, jobs: int | None, plot: Path | None) -> None:
    """Raise an error for a maker, a number of processes or a place for the plot that is not possible."""
    if plot is not None:
        require("report", "splito tune --plot")
        check_place(plot, "plot")
    if jobs is not None and jobs < 1:
        raise BadOption(f"jobs must be at least 1, not {jobs}", field="jobs")
    if not is_path(maker) or "(" in maker:
        raise BadBot(f"{maker!r} is no maker: name a function as module:function", field="maker")


class Run:
    """A run of a search, from the blocks in its file to the end, Ctrl-C or SIGTERM."""

    def __init__(self, search: Search, jobs: int, saved: SearchFile | None) -> None:
        self._search, self._jobs, self._saved = search, jobs, saved
        self._begun = monotonic()

    def play(self) -> TuneReport:
        stopped: str | None = None
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            try:
                runner.run(self._play())
            except KeyboardInterrupt:
                stopped = "Ctrl-C"
            except asyncio.CancelledError:
                stopped = "SIGTERM"
            finally:
                if self._saved is not None:
                    self._saved.close()
        return self._report(stopped)

    async def _play(self) -> None:
        cancel_on_sigterm()
        search, tuning = self._search, self._search.tuning
        if self._saved is not None:
            self._saved.begin(settings_of(tuning))
            for pair in self._saved.lines:
                search.add(pair)
        if search.is_over:
            return
        async with BotProcesses(1, anywhere=True) as house:
            await house.load(tuning.word(tuning.start), tuning.table.game)
        with Shown("blocks", search.total, search.blocks, lambda: progress_text(self._report(None))) as shown:

            def keep(pair: PairPlayed) -> None:
                if self._saved is not None:
                    self._saved.add(pair)
                shown.advance()

            await tune(search, self._jobs, keep)

    def _report(self, stopped: str | None) -> TuneReport:
        return report_of(self._search, monotonic() - self._begun, stopped)
