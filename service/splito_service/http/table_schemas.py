"""JSON schemas of the exported tables, made from the lists of their columns."""

from splito_arena.reports.tables import TABLES, Column, Kind, TableName, columns_of
from splito_service.http.examples.example import Json

TYPES: dict[Kind, list[str]] = {
    "text": ["string"],
    "whole": ["integer"],
    "number": ["number", "null"],
    "yes or no": ["boolean"],
}
"""JSON types of a column by its kind; an unknown value is null, for example the margin of a single block."""


def rows_schema() -> Json:
    """Return the schema of the rows of any exported table."""
    return {"anyOf": [_rows(table) for table in TABLES]}


def _rows(table: TableName) -> Json:
    columns = columns_of(table)
    cells = {column.name: {"type": _type(column), "description": column.meaning} for column in columns}
    row = {"type": "object", "properties": cells, "required": list(cells), "additionalProperties": False}
    return {"type": "array", "title": table.capitalize(), "items": row}


def _type(column: Column) -> str | list[str]:
    names = [*TYPES[column.kind], *(["null"] if column.optional else [])]
    return names if len(names) > 1 else names[0]
