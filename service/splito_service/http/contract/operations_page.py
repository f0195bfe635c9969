"""Tables of the docs that are made from the endpoint declarations: operations and permissions.

`make contract` writes them; a test compares them with the committed pages.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from splito_service.http.access import ROLES, verdict
from splito_service.http.endpoint import Endpoint

DOCS = Path(__file__).parents[4] / "docs"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def operations(endpoints: Sequence[Endpoint]) -> Iterator[str]:
    """Return the lines of the table of operations: call, id, summary and the codes of its problems."""
    yield "| call | operation | summary | problems |"
    yield "|---|---|---|---|"
    for row in endpoints:
        codes = ", ".join(f"`{code}`" for code in row.errors)
        yield f"| `{row.call}` | `{row.id}` | {row.summary} | {codes} |"


def permissions(endpoints: Sequence[Endpoint]) -> Iterator[str]:
    """Return the lines of the permission table: a line per operation, a column per role."""
    yield f"| operation | {' | '.join(ROLES)} | remark |"
    yield "|---" * (len(ROLES) + 2) + "|"
    for row in endpoints:
        cells = (f"`{code}`" if (code := verdict(row.access, role)) else "yes" for role in ROLES)
        yield f"| `{row.id}` | {' | '.join(cells)} | {row.access.note} |"


TABLES: Mapping[str, Callable[[Sequence[Endpoint]], Iterator[str]]] = {
    "operations.md": operations,
    "permissions.md": permissions,
}
"""The function that makes the table of a page, by page."""


def page(name: str, endpoints: Sequence[Endpoint]) -> str:
    """Return the text of a page of the docs with its table made anew."""
    before, _, rest = (DOCS / name).read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n".join(TABLES[name](endpoints)) + "\n" + END + after


def write_tables(endpoints: Sequence[Endpoint]) -> None:
    """Write all tables into their pages."""
    for name in TABLES:
        (DOCS / name).write_text(page(name, endpoints), "utf-8")
