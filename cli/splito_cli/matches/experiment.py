"""`splito experiment`: compares two versions of a bot, with a sequential test."""

import os
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter

from splito_arena.experiments.processes import can_be_spread
from splito_arena.experiments.tables import Comparison
from splito_cli.arguments import INTERRUPTED, Json
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.matches.experiment_file import ExperimentFile
from splito_cli.matches.experiment_page import Stop, page
from splito_cli.matches.experiment_run import Run, Session
from splito_cli.matches.experiment_settings import USUAL_SETTINGS, ExperimentSettings
from splito_cli.matches.folders import NO_FOLDERS, Folders
from splito_cli.terminal.screen import wide_screen
from splito_engine.errors import BadOption

EXAMPLES = (
    "splito experiment my_bot:new my_bot:old --field greedy,planner",
    "splito experiment http://localhost:8001 http://localhost:8002 --players 3 --high 0.1 --cap 4000",
    "splito experiment planner greedy --game splitter --field random --json",
    "splito experiment my_bot:new my_bot:old --jobs 4 --save experiment.jsonl",
)
EXIT_CODES: dict[Stop, int] = {"Ctrl-C": INTERRUPTED, "SIGTERM": 143}
Jobs: TypeAlias = Annotated[
    int | None,
    Parameter(
        help="The number of processes that play blocks; the result is the same for any number. Without it one per "
        "core, or one if a bot has a URL or asks are logged."
    ),
]
SaveFile: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help="A file for the finished blocks. If an experiment with the same settings was interrupted, the same "
        "command goes on from its file, to the same result."
    ),
]


def experiment(  # noqa: PLR0913 (one parameter per option or group)
    new: str,
    old: str,
    /,
    *,
    settings: ExperimentSettings = USUAL_SETTINGS,
    jobs: Jobs = None,
    save: SaveFile = None,
    secret: Secrets = (),
    folders: Folders = NO_FOLDERS,
    json: Json = False,
) -> int:
    """Test whether the bot NEW is better than OLD, and stop as soon as the result is clear.

    They play pairs of games: NEW in a seat, and OLD in the same seat of the same deal, with the same others around, and
    the same seed for the dice of each seat. A block is one pair for each seat, each pair with its own deal. After every
    block the difference between them is tested. An effect is the mean difference over its standard deviation from block
    to block: with an effect of 0.2, NEW is ahead in some 58 of 100 blocks. Ctrl-C stops and shows the evidence so far.
    Without a terminal, lines of progress are printed to standard error; with --json they are JSON.

    Parameters
    ----------
    new
        A URL (http://localhost:8001), module:function, or a name as `splito bots` lists them.
    old
        The bot that NEW is compared with.
    """
    bots = settings.seated(new, old)
    saved = ExperimentFile(save) if save else None
    session = Session(settings.comparison(bots, saved.seed if saved else None))
    processes = _jobs(jobs, session.comparison, folders.log)
    Run(processes, read_secrets(secret, bots), folders, saved, json).play(session)
    report = session.report()
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        wide_screen().print(page(report, folders.records, folders.log, save, session.notes))
    return EXIT_CODES[session.stopped] if session.stopped else 0


def _jobs(wanted: int | None, comparison: Comparison, log: Path | None) -> int:
    """Return the number of processes that play blocks. Raise `BadOption` if it is not possible."""
    possible = log is None and can_be_spread(comparison)
    if wanted is None:
        return min(os.cpu_count() or 1, comparison.design.cap) if possible else 1
    if wanted < 1:
        raise BadOption(f"jobs must be at least 1, not {wanted}", field="jobs")
    if wanted > 1 and not possible:
        raise BadOption("with a bot that has a URL, or with --log, one process plays all blocks", field="jobs")
    return wanted
