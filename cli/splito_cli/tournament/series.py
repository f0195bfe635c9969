"""`splito tournament repeat`, `series` and `stop`: series of tournaments, from the table `[series]` of a TOML file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from splito_arena.recurrence import Rule, next_time
from splito_cli.access import MINE, Place, open_remote
from splito_cli.arguments import Json
from splito_cli.terminal.screen import printable, screen, wide_screen
from splito_cli.tournament.sign_up_page import shown_time
from splito_engine.errors import BadOption

REPEAT = ("splito tournament repeat friday.toml",)
SERIES = ("splito tournament series", "splito tournament series --url http://127.0.0.1:8000 --json")
STOP = ("splito tournament stop 06gpr1k08099qgdgdpas627q",)
PATH = "/v1/series"
RULE = ("days", "time", "zone", "hours")
"""Fields of the table `[series]` that are of the rule."""
SHOWN = 3
"""Number of starts that a dry run shows."""

File: TypeAlias = Annotated[Path, Parameter(help="The tournament in TOML with a table `[series]`.")]
Id: TypeAlias = Annotated[str, Parameter(help="The id of the series, which `repeat` prints.")]
Limit: TypeAlias = Annotated[int, Parameter(help="How many at most, up to 100.")]


class Held(msgspec.Struct, frozen=True):
    """A series: the fields that the commands use."""

    id: str
    name: str
    state: str
    done: int
    next: datetime | None
    last: str | None
    problem: str | None


class Page(msgspec.Struct, frozen=True):
    """A page of series."""

    series: list[Held]


def repeat(file: File, /, *, place: Place = MINE, json: Json = False) -> None:
    """Create a series: the tournament of a file, again and again.

    The table `[series]` says when it starts: `days`, `time` and `zone`, or `hours`. The service creates each tournament
    `sign_up_minutes` before its start.
    """
    from splito_cli.tournament.watch import print_json, read_file  # noqa: PLC0415

    tournament, series = split(read_file(file))
    if series is None:
        raise BadOption(f"{file} has no table [series]: `splito tournament run` holds it once", field="file")
    with open_remote(place) as remote:
        made = remote.send("POST", PATH, request(tournament, series), Held)
    if json:
        print_json(made)
    else:
        text = f"Series {made.id} of {made.name} is {made.state}; its next start is {shown_time(made.next)}."
        screen().print(printable(text), markup=False)


def list_series(*, place: Place = MINE, limit: Limit = 20, json: Json = False) -> None:
    """List the series of a service, with their next starts."""
    from splito_cli.tournament.watch import print_json  # noqa: PLC0415

    with open_remote(place, keyless=True) as remote:
        found = remote.get(PATH, Page, limit)
    if json:
        print_json(found)
    else:
        wide_screen().print(_table(found))


def stop(series: Id, /, *, place: Place = MINE) -> None:
    """Delete a series. The tournaments that it has created stay."""
    with open_remote(place) as remote:
        remote.delete(f"{PATH}/{series}")
    screen().print(printable(f"Series {series} is deleted; its tournaments stay."), markup=False)


def check_single(wanted: dict[str, Any]) -> None:
    """Raise `BadOption` for the file of a series, because `run` would hold only one of its tournaments."""
    if "series" in wanted:
        raise BadOption("this file has a table [series]: hold it with `splito tournament repeat`", field="file")


def split(wanted: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the tournament of a file, and its table `[series]`; None if it has none."""
    series: Any = wanted.get("series")
    if series is not None and not isinstance(series, dict):
        raise BadOption("series is a table: write [series]", field="series")
    return {name: value for name, value in wanted.items() if name != "series"}, series  # pyright: ignore[reportUnknownVariableType]


def request(tournament: dict[str, Any], series: dict[str, Any]) -> dict[str, Any]:
    """Return the request for a series. Raise `BadOption` if its rule cannot be one."""
    rule = {name: series[name] for name in RULE if name in series}
    rest = {name: value for name, value in series.items() if name not in RULE}
    return {"tournament": tournament, "rule": msgspec.json.decode(msgspec.json.encode(_rule(rule))), **rest}


def next_starts(series: dict[str, Any], count: int, after: datetime | None = None) -> list[datetime]:
    """Return the next starts of the table `[series]`, from now or after that time."""
    rule = _rule({name: series[name] for name in RULE if name in series})
    found, last = list[datetime](), after or datetime.now(UTC)
    while len(found) < count:
        found.append(last := next_time(rule, last))
    return found


def _rule(words: dict[str, Any]) -> Rule:
    try:
        return msgspec.convert({"kind": "hourly" if "hours" in words else "weekly", **words}, Rule)
    except msgspec.ValidationError as error:
        raise BadOption(f"[series] has no rule: {error}", field="series") from None


def _table(found: Page) -> Table:
    table = Table("series", "name", "state", "done", "next start", "last", "", box=None, padding=(0, 2, 0, 0))
    for one in found.series:
        following = "" if one.next is None else shown_time(one.next)
        cells = (one.id, one.name, one.state, str(one.done), following, one.last or "", one.problem or "")
        table.add_row(*(Text(printable(cell), overflow="fold") for cell in cells))
    return table
