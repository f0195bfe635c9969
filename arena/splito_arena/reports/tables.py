"""Tables for export: placing, standings, crosstable, games and ratings, as JSON, CSV and Parquet.

A table is one list of columns, each with the way to read it from a row; every format is written from that. Owners
choose the names of bots freely, so in CSV a text that a spreadsheet would take for a formula gets an apostrophe in
front. JSON and Parquet contain the name unchanged.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from splito_arena.blocks.ledger import Entry, Game, VersionId, parts
from splito_arena.formats import Placing, PlacingLine
from splito_arena.stats.head_to_head import Pair
from splito_arena.stats.online_rating import Rating, Row, leaderboard, rated
from splito_arena.stats.standings import BotGame, Line, by_seat
from splito_arena.stats.texts import rating_kind
from splito_arena.stats.tournament_table import crosstable, rateable, rated_entries, standings

Ledger: TypeAlias = Sequence[Entry]
Names: TypeAlias = Mapping[VersionId, str]
"""Names of bots by version; a bot without a name is called by the id of its version."""
Cell: TypeAlias = str | int | float | bool | None
Kind: TypeAlias = Literal["text", "whole", "number", "yes or no"]
TableName: TypeAlias = Literal["placing", "standings", "crosstable", "games", "ratings"]
Form: TypeAlias = Literal["json", "csv", "parquet"]

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters that begin a formula in some spreadsheet, including the wide forms of East Asian keyboards."""


class Column(NamedTuple):
    name: str
    kind: Kind
    meaning: str
    path: str
    """Attribute path of the value in a row of the table."""
    named: bool = False
    """True for the id of a version, which two more columns give as name and version."""
    optional: bool = False
    """True if the value may be missing; a number always may."""


class Table(NamedTuple):
    rows: Callable[[Ledger, Placing | None], Iterable[Any]]
    """Function that returns the rows of a ledger, and of the official placing if that is known."""
    columns: tuple[Column, ...]


class Writer(NamedTuple):
    media_type: str
    write: Callable[[Sequence[Column], Sequence[Sequence[Cell]]], bytes]


class Ranked(NamedTuple):
    """A line of the standings by rating."""

    rank: int
    line: Line
    placing: int | None
    """Official place of the bot; None if the placing is not known."""

    @property
    def faults(self) -> int:
        return sum(self.line.faults.values())

    @property
    def told(self) -> str:
        rating = self.line.rating
        return rating_kind(rating.mean, rating.low, rating.high)

    @property
    def codes(self) -> str:
        return ", ".join(f"{code} {count}" for code, count in self.line.faults.items())


class Place(NamedTuple):
    """The result of a bot in a game of a block."""

    block: str
    number: int
    bot: VersionId
    seated: BotGame[Game]

    @property
    def faults(self) -> str:
        return " ".join(self.seated.faults)

    @property
    def replaced(self) -> bool:
        return self.seated.replaced


class Moved(NamedTuple):
    """The rating of a bot after a block."""

    block: str
    row: Row


def export(
    table: TableName, form: Form, ledger: Ledger, names: Names | None = None, placing: Placing | None = None
) -> bytes:
    """Return one table in one format. The order of the ledger does not change a byte of it.

    Without `placing`, the table of the placing is empty, and so are the places in the standings.
    """
    rows, columns = TABLES[table]
    cells = [[cell for column in columns for cell in _cells(column, row, names or {})] for row in rows(ledger, placing)]
    return FORMS[form].write(columns_of(table), cells)


def columns_of(table: TableName) -> list[Column]:
    """Return the columns of a table, including the name columns that every table has in the same way."""
    return [one for column in TABLES[table].columns for one in _with_name(column)]


def _cells(column: Column, row: Any, names: Names) -> tuple[Cell, ...]:
    cell = attrgetter(column.path)(row)
    return (cell, names.get(cell, cell), parts(cell)[1]) if column.named else (cell,)


def _with_name(column: Column) -> Iterator[Column]:
    yield column
    if column.named:
        yield Column(f"{column.name}_name", "text", "name of the bot", column.path)
        yield Column(f"{column.name}_version", "text", "version of the bot", column.path)


def _mean(name: str, meaning: str, path: str) -> tuple[Column, Column]:
    """Return the columns of a mean and of its 95 % margin; the margin is empty after too few blocks."""
    margin = Column(f"{name}_margin", "number", f"the 95 % margin of {name}, either way", f"{path}.margin")
    return Column(name, "number", meaning, f"{path}.mean"), margin


def _ends(name: str, meaning: str, path: str) -> tuple[Column, Column, Column]:
    """Return the columns of a value and of both ends of its 95 % interval; an end that is not known is empty."""
    low = Column(f"{name}_low", "number", f"lower end of the 95 % interval of {name}", f"{path}.low")
    high = Column(f"{name}_high", "number", f"upper end of the 95 % interval of {name}", f"{path}.high")
    return Column(name, "number", meaning, f"{path}.mean"), low, high


class Placed(NamedTuple):
    """A line of the official placing."""

    line: PlacingLine
    final: bool


def _placed(_: Ledger, placing: Placing | None) -> Iterator[Placed]:
    if placing is not None:
        yield from (Placed(line, placing.final) for line in placing.lines)


def _crosstable(ledger: Ledger, _: Placing | None) -> Iterable[Pair]:
    return crosstable(ledger)


def _places(ledger: Ledger, _: Placing | None) -> Iterator[Place]:
    for entry in rated_entries(ledger):
        for number, game in enumerate(entry.games):
            for bot, one in zip(game.seating, by_seat(game), strict=True):
                yield Place(entry.block, number, entry.bots[bot], one)


def _moves(ledger: Ledger, _: Placing | None) -> Iterator[Moved]:
    ratings = dict[str, Rating]()
    for placings in sorted(rateable(ledger), key=lambda placings: placings.block):
        moved = rated(ratings, placings)
        ratings |= moved
        yield from (Moved(placings.block, row) for row in leaderboard(moved))


def _ranked(ledger: Ledger, placing: Placing | None) -> Iterator[Ranked]:
    official = {line.bot: line.place for line in placing.lines} if placing else {}
    return (Ranked(rank, line, official.get(parts(line.bot)[0])) for rank, line in enumerate(standings(ledger), 1))


def _json(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> bytes:
    """Return a list of JSON objects, one per row."""
    names = [column.name for column in columns]
    return msgspec.json.encode([dict(zip(names, row, strict=True)) for row in rows])


def _csv(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> bytes:
    """Return CSV after RFC 4180, in UTF-8; missing values are empty."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow([column.name for column in columns])
    writer.writerows([map(_harmless, row) for row in rows])
    return file.getvalue().encode()


def _harmless(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _parquet(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> bytes:
    """Return Parquet with the meaning of each column as metadata. pyarrow has no types, and is imported only here."""
    arrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    kinds = {"text": arrow.string(), "whole": arrow.int64(), "number": arrow.float64(), "yes or no": arrow.bool_()}
    fields = [arrow.field(one.name, kinds[one.kind], metadata={"meaning": one.meaning}) for one in columns]
    cells = [arrow.array([row[place] for row in rows], field.type) for place, field in enumerate(fields)]
    file = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(cells, schema=arrow.schema(fields)), file)
    return file.getvalue()


FORMS: dict[Form, Writer] = {
    "json": Writer("application/json", _json),
    "csv": Writer("text/csv; charset=utf-8", _csv),
    "parquet": Writer("application/vnd.apache.parquet", _parquet),
}

PLACED: tuple[TableName, ...] = ("placing", "standings")
"""Tables with the official placing."""
TABLES: dict[TableName, Table] = {
    "placing": Table(
        _placed,
        (
            Column("place", "whole", "official place from 1; bots that share a place have the same", "line.place"),
            Column("bot", "text", "id of the bot", "line.bot"),
            Column("bot_name", "text", "name of the bot", "line.name"),
            Column("reason", "text", "reason for the place in words", "line.reason"),
            Column("final", "yes or no", "whether the tournament has finished", "final"),
            Column("points", "number", "Swiss: points of all rounds", "line.points"),
            Column("opponents", "number", "Swiss, first tie-break: points of the bots met", "line.opponents"),
            Column("tables_won", "number", "Swiss, second tie-break: number of tables won", "line.tables_won"),
            Column("out", "yes or no", "elimination: whether the bot plays no more", "line.out", optional=True),
            Column(
                "round", "whole", "elimination: last round of the bot, from 1; 0 for none", "line.round", optional=True
            ),
            Column("table_place", "number", "elimination: mean place at its table of that round", "line.table_place"),
            Column(
                "losses",
                "whole",
                "elimination: number of tables from which it did not go on",
                "line.losses",
                optional=True,
            ),
            Column("mean_place", "number", "round robin, gauntlet: mean place over blocks", "line.mean_place"),
            Column("blocks", "whole", "round robin, gauntlet: number of blocks played", "line.blocks", optional=True),
            Column("rating", "number", "ladder: rating", "line.rating"),
        ),
    ),
    "standings": Table(
        _ranked,
        (
            Column("rank", "whole", "rank by rating from 1, the best first, group after group", "rank"),
            Column("bot", "text", "id of the version", "line.bot", named=True),
            Column("group", "whole", "group; bots of two groups never met, and cannot be compared", "line.group"),
            *_ends("rating", "rating fitted to all games; the mean of the compared bots is 1500", "line.rating"),
            Column(
                "rating_is", "text", "interval, at least, at most, too few (blocks for an interval), or unknown", "told"
            ),
            Column("games", "whole", "number of games played", "line.games"),
            Column("blocks", "whole", "number of blocks played", "line.blocks"),
            *_mean("place", "place from 1, ties share the mean; a replaced bot is last", "line.place"),
            *_mean("points", "points in a game", "line.points"),
            *_ends("wins", "share of games won; each of k winners has 1/k", "line.wins"),
            Column("faults", "whole", "number of turns with a fault", "faults"),
            Column("faults_by_code", "text", "number of faults by code", "codes"),
            Column("replaced", "whole", "number of games in which a house bot played on", "line.replaced"),
            *_mean("online", "online rating, which moves with every game, in the unit of the rating", "line.online"),
            Column("trend", "number", "change of the online rating over the last 20 blocks", "line.trend"),
            Column("placing", "whole", "official place by the rules of the format", "placing", optional=True),
        ),
    ),
    "crosstable": Table(
        _crosstable,
        (
            Column("one", "text", "id of a version", "one", named=True),
            Column("other", "text", "id of another version", "other", named=True),
            Column("blocks", "whole", "number of blocks that both played", "blocks"),
            Column("games", "whole", "number of games that both played", "games"),
            *_ends("ahead", "share of the games with `one` ahead; a tie counts half", "ahead"),
            *_mean("places", "places by which `one` was better", "places"),
        ),
    ),
    "games": Table(
        _places,
        (
            Column("block", "text", "id of the block: round, number and table", "block"),
            Column("game", "whole", "number of the game in its block, from 0", "number"),
            Column("match", "text", "id of the match", "seated.game.match"),
            Column("seat", "whole", "seat, from 0", "seated.seat"),
            Column("bot", "text", "id of the version", "bot", named=True),
            Column("points", "whole", "points in the game", "seated.points"),
            Column("place", "number", "place from 1, ties share the mean", "seated.place"),
            Column("win", "number", "share of the win: 1/k for each of k winners", "seated.wins"),
            Column("faults", "text", "codes of the faults", "faults"),
            Column("replaced", "yes or no", "whether a house bot played on", "replaced"),
        ),
    ),
    "ratings": Table(
        _moves,
        (
            Column("block", "text", "id of the block after which the rating holds", "block"),
            Column("bot", "text", "id of the version", "row.bot", named=True),
            *_mean("rating", "online rating", "row.rating"),
            Column("games", "whole", "number of games so far", "row.games"),
            Column("blocks", "whole", "number of blocks so far", "row.blocks"),
            Column("trend", "number", "change of the rating over the last 20 blocks", "row.trend"),
        ),
    ),
}
