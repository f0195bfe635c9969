"""The check of a tournament's dump: every game is replayed, and the table is computed again.

Only the parts that the table needs are kept in memory, so that large dumps take time but little memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.blocks.ledger import Entry, block_place, slim
from splito_arena.experiments.anytime import anytime
from splito_arena.experiments.blocks import NEW, OLD, Measure, differences
from splito_arena.experiments.evidence import read_ledger
from splito_arena.experiments.tally import Tally, add
from splito_arena.formats import Experiment, design_of
from splito_arena.reports.dump import Reading
from splito_arena.reports.dump_head import Head, Signature, key_id
from splito_arena.stats.intervals import Interval
from splito_arena.stats.standings import StandingLine, lines_of
from splito_bot import ranked
from splito_cli.extras import is_installed
from splito_cli.matches.experiment_page import Compared, estimate_text, evidence, verdict_text
from splito_cli.terminal.screen import counted, headline, printable, progress_bar
from splito_cli.tournament.page import standings_page
from splito_cli.tournament.trust import Trust
from splito_engine.errors import BadOption
from splito_engine.registry import find_game

ASIDE = "on trust: why a bot got a default move or a block was skipped, and which program answered for each bot"
NO_SECRET = "deals, match ids and the numbers of the bots: the arena publishes the secret when the tournament is over"  # noqa: S105 (no secret)
NO_COUNT = "whether blocks are missing: the head does not say how many there are"
ALONE = "ratings: bots that play alone cannot be compared"
NO_RATINGS = "table: its ratings need the extra `report`: pip install 'splito-arena[report]'"


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """The estimate of an experiment whose question is not in the dump."""

    names: tuple[str, ...]
    """NEW, OLD and the field."""
    measure: Measure
    estimate: Interval


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON that `--json` prints."""

    tournament: str
    name: str
    kind: str
    game: str
    version: str
    """The version of the rules."""
    players: int
    blocks: int
    skipped: int
    """The number of skipped blocks among them."""
    games: int
    missing: int
    """The number of blocks that are missing before later blocks of their tables: removed, or not finished."""
    commitment: str | None
    """The commitment that must have been published before the first deal, if the dump has the secret."""
    key: str
    """The public key of the signature."""
    key_id: str
    signed: datetime
    """The time of the signature."""
    verified: tuple[str, ...]
    unchecked: tuple[str, ...]
    """Facts that could not be checked, with the reasons."""
    lines: list[StandingLine]
    """The table, as the service publishes it."""
    to_compare: tuple[str, ...]
    """Values that the reader must compare with those that the arena published."""
    experiment: Compared | Estimated | None = None


def check(file: Path, trust: Trust) -> Checked:
    """Return what the dump proves. Raise an error that says what is wrong with it."""
    try:
        head, ledger, signature = _read(file)
    except OSError as error:
        raise BadOption(f"{file} cannot be read: {error.strerror}", field="file") from None
    trusted = trust.check(head, signature)
    games = sum(len(entry.games) for entry in ledger)
    return Checked(
        tournament=head.tournament,
        name=head.name,
        kind=head.kind,
        game=head.game,
        version=head.version,
        players=head.players,
        blocks=len(ledger),
        skipped=sum(entry.skipped is not None for entry in ledger),
        games=games,
        missing=missing(ledger),
        commitment=None if head.secret is None else head.commitment,
        key=signature.key,
        key_id=key_id(signature.key),
        signed=datetime.fromtimestamp(signature.signed, UTC),
        verified=(*_verified(head, len(ledger), games), *trusted.verified),
        unchecked=(*_unchecked(head), *trusted.unchecked),
        to_compare=trusted.to_compare,
        lines=_table(head, ledger),
        experiment=_experiment(head, ledger) if head.kind == "experiment" and ledger else None,
    )


def _standings(found: Checked, columns: int) -> RenderableType:
    if found.games and not found.lines:
        return Text("There is no table; the reason is above.", "dim")
    return standings_page(_shown(found.lines), columns)


def _shown(lines: Sequence[StandingLine]) -> list[ranked.StandingLine]:
    """Return the lines as the SDK has them, which the page shows."""
    return msgspec.convert(lines, list[ranked.StandingLine], from_attributes=True)


def checked_page(found: Checked, columns: int) -> RenderableType:
    title = find_game(found.game).INFO.titles["en"]
    facts = (title, f"rules {found.version}", counted(found.players, "player"), f"tournament {found.tournament}")
    return Group(
        headline(printable(found.name), *map(printable, facts)),
        Text(),
        _marked(found),
        Text(),
        *(_comparison(found) if found.kind == "experiment" else [_standings(found, columns)]),
    )


def missing(ledger: Iterable[Entry]) -> int:
    """Return how many blocks are missing before a later block of the same table; blocks are counted from 0."""
    tables = defaultdict[tuple[int, int], set[int]](set)
    for entry in ledger:
        place = block_place(entry.block)
        tables[place.round, place.table].add(place.number)
    return sum(max(numbers) + 1 - len(numbers) for numbers in tables.values())


def _read(file: Path) -> tuple[Head, list[Entry], Signature]:
    with file.open("rb") as source, progress_bar("blocks") as progress:
        reading = Reading(source)
        entries = [slim(entry) for entry in progress.track(reading, total=reading.head.blocks)]
        return reading.head, entries, reading.signature


def _verified(head: Head, blocks: int, games: int) -> Iterator[str]:
    if head.blocks is not None:
        yield f"{counted(blocks, 'block')}: in the order of play, and as many as the head says"
    yield f"{counted(games, 'game')}: no byte of a record was changed, every move was legal, and the scores are right"
    yield "seats: as the design of a block has them, no game left out, and as the records name the versions in them"
    yield "versions: none that the head does not list"
    yield f"faults: each was answered by the default move; a bot was replaced after {head.strikes}, and not otherwise"
    yield "deals: no two games have the same" + (", but the two of a pair" if head.kind == "experiment" else "")
    if head.secret is not None:
        yield "deals, match ids and the numbers of the bots in the design: those that follow from the secret"
        yield "secret: the one of the commitment in the head"
    yield "signature: of all bytes, by the key beside it"


def _unchecked(head: Head) -> Iterator[str]:
    if head.blocks is None:
        yield NO_COUNT
    if head.secret is None:
        yield NO_SECRET
    yield ASIDE
    if head.players == 1:
        yield ALONE
    elif head.kind != "experiment" and not is_installed("report"):
        yield NO_RATINGS


def _table(head: Head, ledger: Sequence[Entry]) -> list[StandingLine]:
    """Return the table as the service publishes it; empty for one player, and without the packages for ratings."""
    if head.players == 1 or not is_installed("report"):
        return []
    from splito_arena.stats.tournament_table import standings  # noqa: PLC0415 (it imports packages of an extra)

    return lines_of(standings(ledger), head.entrants)


def _marked(found: Checked) -> Table:
    rows = Table.grid(padding=(0, 2, 0, 0))
    for mark, style, words in (
        ("✓ verified", "bold green", found.verified),
        ("– unchecked", "yellow", found.unchecked),
        ("– missing", "yellow", _gaps(found)),
        ("– compare", "yellow", found.to_compare),
    ):
        for one in words:
            rows.add_row(Text(mark, style), Text(one, overflow="fold"))
    return rows


def _gaps(found: Checked) -> Iterator[str]:
    if found.missing:
        yield f"{counted(found.missing, 'block')} between others: taken out, or not played to the end"


def _experiment(head: Head, ledger: Sequence[Entry]) -> Compared | Estimated:
    asked = head.question
    names = tuple(head.entrants.get(bot, bot) for bot in ledger[0].bots)
    measure: Measure = asked.measure if isinstance(asked, Experiment) else "places"
    if isinstance(asked, Experiment):
        design = design_of(asked)
        return Compared(names=names, design=design, measure=measure, reading=read_ledger(design, measure, ledger))
    tally = Tally()
    for one in differences(ledger, measure):
        tally = add(tally, one)
    return Estimated(names=names, measure=measure, estimate=anytime(tally))


def _comparison(found: Checked) -> list[RenderableType]:
    match found.experiment:
        case Compared() as compared:
            named = msgspec.structs.replace(compared, names=tuple(map(printable, compared.names)))
            return [*evidence(named), Text(), Text(verdict_text(named), "bold")]
        case Estimated(names=names, measure=measure, estimate=estimate):
            both = f"{printable(names[NEW])} against {printable(names[OLD])}"
            said = f"{both}: {estimate_text(measure, estimate)}."
            return [
                Text(said, "bold"),
                Text("There is no verdict, because the dump lacks the question.", "dim"),
            ]
        case None:
            return [Text("Nothing was played.")]
