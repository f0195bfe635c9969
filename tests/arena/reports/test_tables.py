"""The tables: the same content in three forms, whatever bots are called."""

import csv
import io
import json
from importlib import import_module
from typing import Any, get_args

import pytest

from splito_arena.formats import Placing, PlacingLine
from splito_arena.reports.tables import FORMS, TABLES, Form, TableName, columns_of, export
from splito_arena.stats.online_rating import replayed
from splito_arena.stats.tournament_table import rateable, standings
from tests.arena.tournaments import HOSTILE, ledger, written

LEDGER = ledger()
NAMES = {"random-0@1": HOSTILE, "random-1@1": 'Überraschung 🃏, "quoted"\nand more'}
HARMLESS = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1"}
TYPES = {"text": str, "whole": int, "number": float, "yes or no": bool}


PLACING = Placing(
    rule="points",
    final=True,
    rounds=2,
    winners=("random-1",),
    note=None,
    lines=(
        PlacingLine(place=1, bot="random-1", name=HOSTILE, reason="2 points", points=2.0, opponents=1.5),
        PlacingLine(place=2, bot="random-0", name="zero", reason="1 point", points=1.0, opponents=2.5),
        PlacingLine(place=2, bot="random-2", name="two", reason="1 point", points=1.0, opponents=2.5),
    ),
)


def read_json(table: TableName) -> list[dict[str, Any]]:
    return json.loads(export(table, "json", LEDGER, NAMES, PLACING))


def read_csv(table: TableName, names: dict[str, str] | None = None) -> list[dict[str, str]]:
    text = export(table, "csv", LEDGER, names or NAMES, PLACING).decode()
    return [*csv.DictReader(io.StringIO(text, newline=""))]


def read_parquet(table: TableName) -> Any:
    parquet: Any = import_module("pyarrow.parquet")
    return parquet.read_table(io.BytesIO(export(table, "parquet", LEDGER, NAMES, PLACING)))


def test_every_name_of_an_export_has_a_table_and_a_writer() -> None:
    assert set(TABLES) == set(get_args(TableName))
    assert set(FORMS) == set(get_args(Form))


@pytest.mark.parametrize("table", get_args(TableName))
def test_parquet_has_the_values_of_json_in_typed_columns(table: TableName) -> None:
    rows, found = read_json(table), read_parquet(table)
    assert found.to_pylist() == rows
    assert len(rows) > 1
    for column in columns_of(table):
        field = found.schema.field(column.name)
        assert field.metadata[b"meaning"].decode() == column.meaning
        cells = [row[column.name] for row in rows if row[column.name] is not None]
        assert {type(cell) for cell in cells} <= {TYPES[column.kind]}


@pytest.mark.parametrize("table", get_args(TableName))
def test_csv_has_the_same_rows(table: TableName) -> None:
    for mine, theirs in zip(read_csv(table), read_json(table), strict=True):
        assert [*mine] == [*theirs]
        numbers = {name: cell for name, cell in theirs.items() if isinstance(cell, int | float)}
        for name, cell in numbers.items():
            assert mine[name] == ("true" if cell else "false") if isinstance(cell, bool) else float(mine[name]) == cell


@pytest.mark.parametrize("table", get_args(TableName))
@pytest.mark.parametrize("form", get_args(Form))
def test_the_order_of_the_ledger_does_not_change_a_byte(table: TableName, form: Form) -> None:
    assert export(table, form, LEDGER[::-1], NAMES) == export(table, form, LEDGER, NAMES)


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_a_name_is_no_formula_in_a_spreadsheet(name: str) -> None:
    (row,) = (row for row in read_csv("standings", {"random-0@1": name}) if row["bot"] == "random-0@1")
    assert row["bot_name"] == f"'{name}"


def test_numbers_below_zero_are_left_alone() -> None:
    places = [row["places"] for row in read_csv("crosstable")]
    assert any(place.startswith("-") for place in places)


def test_names_are_unchanged_in_json() -> None:
    told = {row["bot"]: row["bot_name"] for row in read_json("standings")}
    assert told == {**NAMES, "random-2@1": "random-2@1"}


def test_standings_are_those_of_the_results() -> None:
    rows = read_json("standings")
    assert [(row["rank"], row["bot"], row["rating"], row["rating_low"], row["rating_high"]) for row in rows] == [
        (rank, line.bot, line.rating.mean, line.rating.low, line.rating.high)
        for rank, line in enumerate(standings(LEDGER), 1)
    ]


def test_standings_say_in_words_what_is_known_of_a_rating() -> None:
    """Three bots in a fixed order for six blocks: the first has no upper end, the last no lower one."""
    ledger = [written(f"r0000.b0000.t{number:04}", "abc", (3, 2, 1)) for number in range(6)]
    rows = json.loads(export("standings", "json", ledger))
    assert [row["rating_is"] for row in rows] == ["at least", "unknown", "at most"]
    assert [row["rating"] is None for row in rows] == [False, True, False]
    assert [row["rating_is"] for row in read_json("standings")] == ["too few"] * 3


def test_the_placing_has_places_reasons_and_figures() -> None:
    rows = read_json("placing")
    assert [(row["place"], row["bot"], row["bot_name"], row["points"], row["final"]) for row in rows] == [
        (1, "random-1", HOSTILE, 2.0, True),
        (2, "random-0", "zero", 1.0, True),
        (2, "random-2", "two", 1.0, True),
    ]
    assert {row["mean_place"] for row in rows} == {None}, "figures of other formats are null"
    assert read_csv("placing")[0]["bot_name"] == f"'{HOSTILE}"


def test_standings_have_the_official_place_of_each_bot() -> None:
    assert {row["bot"]: row["placing"] for row in read_json("standings")} == {
        "random-0@1": 2,
        "random-1@1": 1,
        "random-2@1": 2,
    }
    assert {row["placing"] for row in json.loads(export("standings", "json", LEDGER))} == {None}


def test_games_have_one_row_for_each_seat() -> None:
    rows, entry = read_json("games"), LEDGER[0]
    assert len(rows) == sum(len(game.seating) for entry in LEDGER for game in entry.games)
    game = entry.games[1]
    mine = [row for row in rows if row["match"] == game.match]
    assert [row["seat"] for row in mine] == [0, 1, 2]
    assert [row["bot"] for row in mine] == [entry.bots[bot] for bot in game.seating]
    assert [row["points"] for row in mine] == [score[0] for score in game.record.scores]
    assert [row["place"] for row in mine] == [*game.places]


def test_the_last_row_of_a_bot_in_ratings_is_its_rating() -> None:
    last = {row["bot"]: (row["rating"], row["blocks"]) for row in read_json("ratings")}
    assert last == {bot: (rating.mean, rating.blocks) for bot, rating in replayed(rateable(LEDGER)).items()}


def test_an_unknown_margin_is_null_in_json_and_empty_in_csv() -> None:
    """A single block has no margin."""
    one = (written("1", "ab", (2, 1)),)
    (first, _) = json.loads(export("standings", "json", one))
    assert first["points_margin"] is None
    assert b",2.0,,1.0,," in export("standings", "csv", one)


@pytest.mark.parametrize("form", get_args(Form))
def test_an_empty_tournament_has_empty_tables_with_columns(form: Form) -> None:
    written_out = export("games", form, [])
    assert written_out == b"[]" if form == "json" else b"place" in written_out
