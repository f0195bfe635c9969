"""`splito experiment`: compares two versions of a bot, with a sequential test."""

import os
import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from splito_arena.blocks.series import AT_ONCE
from splito_arena.bots.functions.words import split_words
from splito_arena.experiments.blocks import Measure
from splito_arena.experiments.processes import can_be_spread
from splito_arena.experiments.sequential_test import Design
from splito_arena.experiments.tables import Comparison
from splito_arena.match.terms import STRIKES, PlayTerms
from splito_cli.arguments import (
    INTERRUPTED,
    AskFolder,
    AtOnce,
    ClockText,
    Json,
    Pairs,
    RecordFolder,
    Seed,
    Strikes,
    read_clock,
    read_pairs,
    seat_bots,
)
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.matches.experiment_file import ExperimentFile
from splito_cli.matches.experiment_page import Stop, page
from splito_cli.matches.experiment_run import Run, Session
from splito_cli.matches.faults import FaultFolder
from splito_cli.terminal.screen import wide_screen
from splito_engine.chance import new_seed
from splito_engine.errors import BadOption
from splito_engine.registry import find_game

EXAMPLES = (
    "splito experiment my_bot:new my_bot:old --field greedy,planner",
    "splito experiment http://localhost:8001 http://localhost:8002 --players 3 --high 0.1 --cap 4000",
    "splito experiment planner greedy --game splitter --field random --json",
    "splito experiment my_bot:new my_bot:old --jobs 4 --save experiment.jsonl",
)
EXIT_CODES: dict[Stop, int] = {"Ctrl-C": INTERRUPTED, "SIGTERM": 143}
USUAL = Design()


def experiment(  # noqa: PLR0913 (one parameter per option)
    new: str,
    old: str,
    /,
    *,
    field: str = "greedy,planner",
    game: Annotated[str, Parameter(help="As `splito games` lists it.")] = "splito",
    players: int | None = None,
    measure: Measure = "places",
    low: float = USUAL.low,
    high: float = USUAL.high,
    alpha: float = USUAL.alpha,
    beta: float = USUAL.beta,
    least: int = USUAL.least,
    cap: int = USUAL.cap,
    seed: Seed = None,
    option: Pairs = (),
    clock: ClockText = "1000,5000",
    strikes: Strikes = STRIKES,
    at_once: AtOnce = AT_ONCE,
    jobs: int | None = None,
    save: Path | None = None,
    secret: Secrets = (),
    records: RecordFolder = None,
    log: AskFolder = None,
    save_faults: FaultFolder = None,
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
    field
        The other bots at the table, separated by commas; empty ("") lets NEW play against OLD alone.
    players
        Seats at the table; without it one for each of the field and one for NEW or OLD.
    measure
        The measure of a difference: the mean place, points, or shares of a win.
    low
        An effect that is too small to matter.
    high
        An effect that the test must not miss. Half of it takes four times as many blocks.
    alpha
        The share of experiments in which `better` may be wrong.
    beta
        The share of experiments in which `not better` may be wrong.
    least
        The number of blocks before the first decision.
    cap
        The number of blocks after which the experiment ends without a decision.
    jobs
        The number of processes that play blocks; the result is the same for any number. Without it one per core, or one
        if a bot has a URL or asks are logged.
    save
        A file for the finished blocks. If an experiment with the same settings was interrupted, the same command goes
        on from its file, to the same result.
    """
    names = split_words(field) if field else []
    new, old, *others = seat_bots([new, old, *names], 2 + len(names))
    saved = ExperimentFile(save) if save else None
    comparison = Comparison(
        game=game,
        new=new,
        old=old,
        field=tuple(others),
        players=players or _usual_players(game, len(others)),
        seed=seed or (saved and saved.seed) or new_seed(),
        design=Design(low=low, high=high, alpha=alpha, beta=beta, least=least, cap=cap),
        measure=measure,
        options=read_pairs(option),
        play=PlayTerms(clock=read_clock(clock), strikes=strikes),
        at_once=at_once,
    )
    session = Session(comparison)
    how = Run(
        jobs=_jobs(jobs, comparison, log),
        secrets=read_secrets(secret, comparison.bots),
        records=records,
        log=log,
        faults=save_faults,
        saved=saved,
        json=json,
    )
    how.play(session)
    report = session.report()
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        wide_screen().print(page(report, records, log, save, session.notes))
    return EXIT_CODES[session.stopped] if session.stopped else 0


def _usual_players(game: str, field: int) -> int:
    """NEW and OLD sit at one table if there is no field."""
    return max(find_game(game).INFO.min_players, field + 1 if field else 2)


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
