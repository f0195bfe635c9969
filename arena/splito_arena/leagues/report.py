"""Report of a league: its table by the published ratings, the bots that cannot play, and notes for authors."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from splito_arena.blocks.ledger import VersionId, parts
from splito_arena.leagues.entrants import Broken
from splito_arena.leagues.ledger import LeagueSettings, Ledger
from splito_arena.leagues.plan import HOPELESS, history_of
from splito_arena.leagues.run import FirstFault
from splito_arena.leagues.squad import Squad
from splito_arena.stats.standings import StandingLine, lines_of
from splito_arena.stats.tournament_table import standings


class Note(msgspec.Struct, frozen=True):
    """Something that the author of a bot should know."""

    name: str
    text: str
    traceback: str = ""


class LeagueReport(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON that `splito league --json` prints."""

    title: str
    game: str
    version: str
    players: int
    options: dict[str, object]
    seed: str
    enough: int
    """Number of blocks after which a version plays no more of its own."""
    table: list[StandingLine]
    """The present versions by rating, the best first. Blocks with earlier versions count in the ratings."""
    house: list[str]
    """Names of the built-in bots in the table."""
    waiting: list[str]
    """Names of bots that have played no block yet."""
    broken: list[Broken]
    notes: list[Note]
    blocks: int
    """Number of blocks in the ledger."""
    new: int
    """Number of blocks of this run."""
    seconds: float
    stopped_by: str | None = None


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a run that the ledger does not have."""

    broken: list[Broken]
    faults: Mapping[VersionId, FirstFault]
    enough: int
    new: int
    seconds: float
    stopped_by: str | None


def report_of(folder: Path, ledger: Ledger, settings: LeagueSettings, squad: Squad, ran: Ran) -> LeagueReport:
    names = {member.version: member.name for member in squad.members}
    shown = [line for line in standings(ledger.entries) if line.bot in names]
    played = {line.bot for line in shown}
    where = f"{folder.absolute()}/"
    return LeagueReport(
        title=folder.absolute().name,
        game=settings.game,
        version=settings.rules,
        players=settings.players,
        options=settings.options,
        seed=settings.seed,
        enough=ran.enough,
        table=lines_of(shown, names),
        house=[member.name for member in squad.members if not member.code],
        waiting=[member.name for member in squad.members if member.version not in played],
        broken=[
            replace(one, reason=one.reason.replace(where, ""), traceback=one.traceback.replace(where, ""))
            for one in sorted(ran.broken, key=lambda one: one.name)
        ],
        notes=[
            replace(one, text=one.text.replace(where, ""), traceback=one.traceback.replace(where, ""))
            for one in _notes(ledger, squad, ran.faults)
        ],
        blocks=len(ledger.entries),
        new=ran.new,
        seconds=round(ran.seconds, 3),
        stopped_by=ran.stopped_by,
    )


def version_of(line: StandingLine) -> str:
    return parts(line.bot)[1]


def _notes(ledger: Ledger, squad: Squad, faults: Mapping[VersionId, FirstFault]) -> Iterator[Note]:
    hopeless = history_of(ledger.entries).hopeless
    for member in squad.members:
        version = parts(member.version)[1]
        if member.version in hopeless:
            yield Note(member.name, f"was replaced in all its games, {HOPELESS} blocks or more, and plays no more")
        if member.code and ledger.codes.get(member.version, member.code) != member.code:
            text = f"its code has changed since version {version} entered: raise the version in INFO, or leave INFO out"
            yield Note(member.name, text)
        if fault := faults.get(member.version):
            yield Note(member.name, f"its first fault in this run: {fault.fault}", fault.traceback)
