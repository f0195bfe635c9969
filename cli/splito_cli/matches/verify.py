"""`splito verify`: replays records and checks that they are unchanged."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.match.places import winners
from splito_cli.arguments import Decks, Json, open_decks
from splito_cli.terminal.screen import counted, headline, plain_table, printable, scores_table, screen, winners_line
from splito_engine.errors import GameError
from splito_engine.game import Scores, Seat
from splito_engine.record import MAX_BYTES
from splito_engine.record import verify as verify_record
from splito_engine.registry import find_game

EXAMPLES = (
    "splito verify match.json",
    "splito verify records/*.json",
    "splito verify match.json --deck my-deck.toml --json",
)
REFUSED, UNREADABLE = 1, 2


class Verified(msgspec.Struct, frozen=True):
    file: str
    game: str
    version: str
    players: int
    names: tuple[str, ...]
    turns: int
    scores: Scores
    winners: tuple[Seat, ...]
    verified: bool = True


class Refused(msgspec.Struct, frozen=True):
    file: str
    code: str
    """The code of docs/errors.md; `unreadable` for a file that cannot be read."""
    reason: str
    field: str | None = None
    seat: Seat | None = None
    verified: bool = False


Verdict: TypeAlias = Verified | Refused


def verify(file: Path, /, *more: Path, deck: Decks = (), json: Json = False) -> int:
    """Check records: replay every move, and refuse records that were changed.

    The exit code is 0 if every record is verified, 1 if one is refused, 2 if a file cannot be read. A deck file that a
    record names is not opened: give the deck of the record with `--deck`.

    Parameters
    ----------
    file
        A record, as `--record` and `--records` write them.
    more
        Any number of others.
    """
    open_decks(deck)
    verdicts = [judge(path) for path in (file, *more)]
    if json:
        sys.stdout.write(msgspec.json.encode(verdicts).decode() + "\n")
    else:
        screen().print(_table(verdicts) if more else _page(verdicts[0]))
    codes = {verdict.code for verdict in verdicts if isinstance(verdict, Refused)}
    return REFUSED if codes - {"unreadable"} else UNREADABLE if codes else 0


def judge(path: Path) -> Verdict:
    name = os.fsencode(path).decode(errors="replace")
    try:
        with path.open("rb") as file:
            record, match = verify_record(file.read(MAX_BYTES + 1))
    except GameError as error:
        return Refused(name, error.code, error.message, error.field, error.seat)
    except OSError as error:
        return Refused(name, "unreadable", error.strerror or str(error))
    best = winners(match.scores)
    return Verified(
        name, record.game, record.version, record.players, record.names, len(record.turns), match.scores, best
    )


def _page(verdict: Verdict) -> RenderableType:
    if isinstance(verdict, Refused):
        return _refusal(verdict)
    title = find_game(verdict.game).INFO.titles["en"]
    checks = (
        "form and digest: not a byte was changed",
        "commitment: seed and salt are those published before the first turn",
        f"{verdict.turns} turns: every move was legal",
        "the match is over, and the scores are right",
    )
    return Group(
        headline(title, f"rules {verdict.version}", counted(verdict.players, "player"), printable(verdict.file)),
        Text(),
        scores_table(verdict.scores, verdict.names),
        Text(winners_line(verdict.scores, verdict.names)),
        Text(),
        *(Text.assemble(("✓ verified  ", "bold green"), check) for check in checks),
    )


def _refusal(verdict: Refused) -> RenderableType:
    lines = {"code": verdict.code, "reason": verdict.reason, "field": verdict.field, "seat": verdict.seat}
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, value in lines.items():
        if value is not None:
            grid.add_row(Text(name, "dim"), Text(printable(str(value)), overflow="fold"))
    return Group(Text.assemble(_mark(verdict), f"  {printable(verdict.file)}"), grid)


def _table(verdicts: Iterable[Verdict]) -> RenderableType:
    table = plain_table("file")
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    for heading in ("verdict", "game", "result"):
        table.add_column(heading)
    for verdict in verdicts:
        match verdict:
            case Verified():
                result = f"{_points(verdict.scores)}  {winners_line(verdict.scores, verdict.names)}"
                cells = (Text("✓ verified", "green"), Text(verdict.game), Text(printable(result)))
            case Refused():
                cells = (_mark(verdict), Text(), Text(printable(f"{verdict.code}: {verdict.reason}")))
        table.add_row(Text(printable(verdict.file)), *cells)
    return table


def _mark(verdict: Refused) -> Text:
    return Text("✗ unreadable" if verdict.code == "unreadable" else "✗ refused", "bold red")


def _points(scores: Scores) -> str:
    return " : ".join(str(points) for points, *_ in scores)
