"""The tables that can be taken home, as JSON has them: a schema for each, from the list of its columns."""

from splito_arena.reports.tables import TABLES, Kind, TableName, columns_of
from splito_service.http.examples.example import Json

TYPES: dict[Kind, list[str]] = {
    "text": ["string"],
    "whole": ["integer"],
    "number": ["number", "null"],
    "yes or no": ["boolean"],
}
"""What is not known is nothing: the margin of a single block, for example."""


def rows_schema() -> Json:
    """The rows of any of them."""
    return {"anyOf": [_rows(table) for table in TABLES]}


def _rows(table: TableName) -> Json:
    columns = columns_of(table)
    cells = {column.name: {"type": _type(column.kind), "description": column.meaning} for column in columns}
    row = {"type": "object", "properties": cells, "required": list(cells), "additionalProperties": False}
    return {"type": "array", "title": table.capitalize(), "items": row}


def _type(kind: Kind) -> str | list[str]:
    names = TYPES[kind]
    return names if len(names) > 1 else names[0]
