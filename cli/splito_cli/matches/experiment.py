"""`splito experiment`: compares two versions of a bot, with a sequential test."""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from time import monotonic
from typing import Annotated

import msgspec
from cyclopts import Parameter
from msgspec.structs import replace
from rich.live import Live

from splito_arena.blocks.series import AT_ONCE
from splito_arena.bots.lineup import Company, seated
from splito_arena.experiments.blocks import Measure
from splito_arena.experiments.run import Account, Comparison, Step, compare, opening
from splito_arena.experiments.sequential_test import Design, begin, reading
from splito_arena.match.terms import STRIKES, PlayTerms
from splito_cli.arguments import (
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
from splito_cli.ask_files import AskFiles
from splito_cli.bot_secrets import SecretFile, SecretPairs, read_secrets
from splito_cli.event_loop import loop_factory
from splito_cli.matches.experiment_page import ExperimentReport, live_page, page
from splito_cli.matches.match import INTERRUPTED
from splito_cli.record_files import write_record
from splito_cli.terminal.screen import side_screen, wide_screen
from splito_engine.chance import new_seed
from splito_engine.registry import find_game

EXAMPLES = (
    "splito experiment my_bot:new my_bot:old --field greedy,planner",
    "splito experiment http://localhost:8001 http://localhost:8002 --players 3 --high 0.1 --cap 4000",
    "splito experiment planner greedy --game splitter --field random --json",
)
REFRESH = 8
"""How often the screen is drawn, per second."""
USUAL = Design()


class Session:
    """The state of a running experiment: players, games and evidence."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.reading = reading(begin(comparison.design))
        self.company: Company | None = None
        self.games = 0
        self.stopped = False
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
            stopped=self.stopped,
        )


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
    secret: SecretPairs = (),
    secrets: SecretFile = None,
    records: RecordFolder = None,
    log: AskFolder = None,
    json: Json = False,
) -> int:
    """Test whether the bot NEW is better than OLD, and stop as soon as the result is clear.

    They play pairs of games: NEW in a seat, and OLD in the same seat of the same deal, with the same others around, and
    the same seed for the dice of each seat. A block is one pair for each seat, each pair with its own deal. After every
    block the difference between them is tested. An effect is the mean difference over its standard deviation from block
    to block: with an effect of 0.2, NEW is ahead in some 58 of 100 blocks. Ctrl-C stops and shows the evidence so far.

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
    """
    names = [one.strip() for one in field.split(",")] if field else []
    new, old, *others = seat_bots([new, old, *names], 2 + len(names))
    comparison = Comparison(
        game=game,
        new=new,
        old=old,
        field=tuple(others),
        players=players or _usual_players(game, len(others)),
        seed=seed or new_seed(),
        design=Design(low=low, high=high, alpha=alpha, beta=beta, least=least, cap=cap),
        measure=measure,
        options=read_pairs(option),
        play=PlayTerms(clock=read_clock(clock), strikes=strikes),
        at_once=at_once,
    )
    session = Session(comparison)
    _run(session, read_secrets(secret, secrets, comparison.bots), records, log)
    report = session.report()
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        wide_screen().print(page(report, records, log))
    return INTERRUPTED if session.stopped else 0


def _usual_players(game: str, field: int) -> int:
    """NEW and OLD sit at one table if there is no field."""
    return max(find_game(game).INFO.min_players, field + 1 if field else 2)


def _run(session: Session, secrets: Mapping[str, str], records: Path | None, log: Path | None) -> None:
    """Play blocks until there is a verdict, or until Ctrl-C."""
    for folder in (records, log):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    with AskFiles(log, session.comparison.game) as asks, asyncio.Runner(loop_factory=loop_factory()) as runner:
        try:
            runner.run(_play(session, secrets, records, asks))
        except KeyboardInterrupt:
            session.stopped = True


async def _play(session: Session, secrets: Mapping[str, str], records: Path | None, asks: AskFiles) -> None:
    comparison = session.comparison
    async with seated(comparison.bots, opening(comparison), secrets, log=asks.wanted) as company:
        session.seat(company)
        with _screen(session):
            logged = replace(comparison.play, log=asks.write if asks.wanted else None)
            async with aclosing(compare(replace(comparison, play=logged), company)) as steps:
                async for step in steps:
                    session.add(step)
                    _write_records(records, comparison.game, step)


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
