"""`splito league`: a folder of bots as a local ladder, without a server."""

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter

from splito_arena.bots.find import check_bot
from splito_arena.leagues.entrants import Broken, Entrant, find_entrants
from splito_arena.leagues.ledger import LeagueSettings, Ledger
from splito_arena.leagues.pages import html, markdown
from splito_arena.leagues.report import LeagueReport, Ran, report_of
from splito_arena.leagues.run import League
from splito_arena.leagues.squad import Squad, gathered
from splito_arena.line_file import write_whole
from splito_cli.arguments import INTERRUPTED, GameOption, Json, read_clock, usual_players
from splito_cli.event_loop import loop_factory
from splito_cli.league.page import page
from splito_cli.matches.experiment_run import cancel_on_sigterm
from splito_cli.options import USUAL_PLAY, PlayOptions
from splito_cli.terminal.progress import Shown
from splito_cli.terminal.screen import counted, wide_screen
from splito_engine.chance import check_seed
from splito_engine.errors import BadOption, WrongPlayers
from splito_engine.game import check_players, read_options
from splito_engine.registry import find_game

EXAMPLES = (
    "splito league bots",
    "splito league bots --game splitter --players 2 --blocks 40 --house random",
    "splito league bots --seed course-2026 --json",
)
MARKDOWN, HTML = "league.md", "league.html"
MOST_BLOCKS = 10_000
EXIT_CODES = {"Ctrl-C": INTERRUPTED, "SIGTERM": 143}


Jobs: TypeAlias = Annotated[
    int | None,
    Parameter(
        help="The number of bots that think at the same time, by default one per core; the result is the same for any "
        "number."
    ),
]


@Parameter(name="*")
@dataclass(frozen=True)
class LeagueOptions:
    """The options that settle a league: its tables, its built-in bots, and how its matches are played."""

    game: GameOption = "splito"
    players: Annotated[
        int | None,
        Parameter(help="Seats at a table; without it 3, or the closest number that the game allows, but at least 2."),
    ] = None
    blocks: Annotated[int, Parameter(help="The number of blocks that every version plays at least.")] = 20
    house: Annotated[
        str, Parameter(help='The built-in bots that take part, separated by commas; empty ("") for none.')
    ] = "planner,greedy,random"
    play: PlayOptions = USUAL_PLAY

    def anchors(self) -> list[str]:
        """Return the built-in bots that take part. Raise `BadBot` for one that cannot play the game."""
        anchors = [name.strip() for name in self.house.split(",")] if self.house else []
        for anchor in anchors:
            check_bot(anchor, self.game)
        return anchors

    def settings(self, saved_seed: str | None) -> LeagueSettings:
        terms, game = self.play, find_game(self.game)
        return LeagueSettings(
            game=self.game,
            rules=game.INFO.version,
            players=self.players or max(2, usual_players(game)),
            seed=terms.seed_or(saved_seed),
            options=terms.pairs(),
            clock=read_clock(terms.clock),
            strikes=terms.strikes,
        )


USUAL_LEAGUE = LeagueOptions()


def league(
    folder: Path,
    /,
    *,
    given: LeagueOptions = USUAL_LEAGUE,
    jobs: Jobs = None,
    json: Json = False,
) -> int:
    """Let all bots of a folder play a ladder on this machine, and write its table.

    Each file `ada.py` and each folder with a `bot.py` is a bot with the function `choose`. Every bot runs in a process
    of its own. Results are kept in `league.jsonl` in the folder, so that the same command plays only what is missing: a
    new version of a bot plays until it has enough blocks. The version is that of INFO, or the hash of the code. The
    table is printed and written to `league.md` and `league.html`. Bots that cannot play are listed with the reason.

    Parameters
    ----------
    folder
        The folder with the bots.
    """
    anchors = given.anchors()
    entrants, unreadable = find_entrants(folder)
    ledger = Ledger(folder)
    settings = given.settings(ledger.settings.seed if ledger.settings else None)
    check_settings(settings, given.blocks, jobs)
    run = Run(folder, ledger, settings, given.blocks)
    report = run.play(entrants, anchors, unreadable, jobs or os.cpu_count() or 1)
    if report is None:
        wide_screen().print("Stopped before the bots were loaded; nothing has changed.")
        return EXIT_CODES.get(run.stopped_by or "", 1)
    write_whole(folder / MARKDOWN, markdown(report).encode("utf-8", "replace"))
    write_whole(folder / HTML, html(report).encode("utf-8", "replace"))
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        wide_screen().print(page(report))
    return EXIT_CODES[report.stopped_by] if report.stopped_by else 0


def check_settings(settings: LeagueSettings, blocks: int, jobs: int | None) -> None:
    """Raise an error for settings that cannot be played, before any bot is called."""
    game = find_game(settings.game)
    check_seed(settings.seed)
    check_players(game.INFO, settings.players)
    read_options(game, settings.options)
    if settings.players < 2:
        raise WrongPlayers("a league has at least 2 players at a table", field="players")
    least = {"blocks": blocks, "jobs": 1 if jobs is None else jobs, "strikes": settings.strikes}
    for name, value in (least | {"clock": settings.clock.turn_ms}).items():
        if value < 1:
            raise BadOption(f"{name} must be at least 1, not {value}", field=name)
    if blocks > MOST_BLOCKS:
        raise BadOption(f"blocks must be at most {MOST_BLOCKS}, not {blocks}", field="blocks")


class Run:
    """A run of a league, to its end, Ctrl-C or SIGTERM."""

    def __init__(self, folder: Path, ledger: Ledger, settings: LeagueSettings, enough: int) -> None:
        self.stopped_by: str | None = None
        self._folder, self._ledger, self._settings, self._enough = folder, ledger, settings, enough
        self._squad: Squad | None = None
        self._league: League | None = None
        self._new, self._begun = 0, monotonic()

    def play(
        self, entrants: Sequence[Entrant], anchors: Sequence[str], unreadable: Sequence[Broken], jobs: int
    ) -> LeagueReport | None:
        """Play all missing blocks, and return the report; None if the run ended before the bots were loaded."""
        self._ledger.begin(self._settings)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            try:
                runner.run(self._play(entrants, anchors, jobs))
            except KeyboardInterrupt:
                self.stopped_by = "Ctrl-C"
            except asyncio.CancelledError:
                self.stopped_by = "SIGTERM"
            finally:
                self._ledger.close()
        return self._report(unreadable)

    async def _play(self, entrants: Sequence[Entrant], anchors: Sequence[str], jobs: int) -> None:
        cancel_on_sigterm()
        known = frozenset(self._ledger.codes)
        async with gathered(self._settings, entrants, anchors, known, jobs) as squad:
            if len(squad.members) < self._settings.players:
                found = f"{counted(len(squad.members), 'bot')} can play, {self._settings.players} are needed at a table"
                why = "".join(f"; {one.name}: {one.reason}" for one in squad.broken[:3])
                raise BadOption(f"only {found}{why}", field="folder")
            self._squad, self._league = squad, League(self._ledger, self._settings, squad, self._enough)
            with Shown("blocks", self._league.missing(), 0, self._line) as shown:
                async with aclosing(self._league.play(jobs)) as entries:
                    async for _ in entries:
                        self._new += 1
                        shown.advance()

    def _line(self) -> str:
        return f"{counted(self._new, 'new block')}  ·  {counted(len(self._ledger.entries), 'block')} in the ledger"

    def _report(self, unreadable: Sequence[Broken]) -> LeagueReport | None:
        if self._squad is None or self._league is None:
            return None
        ran = Ran(
            broken=[*unreadable, *self._squad.broken],
            faults=self._league.faults,
            enough=self._enough,
            new=self._new,
            seconds=monotonic() - self._begun,
            stopped_by=self.stopped_by,
        )
        return report_of(self._folder, self._ledger, self._settings, self._squad, ran)
