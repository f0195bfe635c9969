"""Facts about a tournament for the head of its report, and the official placing as rows for tables."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from splito_arena.formats import Placing, PlacingLine
from splito_arena.formats.placing import RULES, short

State: TypeAlias = Literal["scheduled", "open", "running", "paused", "finished", "cancelled"]

HOUSE = "the arena"
"""Organiser of a tournament without an owner."""
STATES: dict[State, str] = {
    "scheduled": "The tournament has not begun.",
    "open": "The tournament has not begun; bots can be entered.",
    "running": "The tournament is running, so the placing is provisional.",
    "paused": "The tournament is paused, so the placing is provisional.",
    "finished": "The placing is final.",
    "cancelled": "The tournament was cancelled, so there is no winner.",
}


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a tournament that its ledger does not have."""

    tournament: str
    """Id of the tournament."""
    title: str
    format: str
    """Format in words."""
    organiser: str
    state: State
    begun: datetime | None
    ended: datetime | None
    commitment: str
    secret: str | None
    """Secret from which all deals follow; None before the end."""


def facts(about: About) -> dict[str, str]:
    """Return the facts by their names, in the order in which a reader wants them."""
    name = f"{about.tournament}.ndjson"
    return {
        "Format": about.format,
        "State": about.state,
        "Begun": "not yet" if about.begun is None else _time(about.begun),
        "Ended": "not yet" if about.ended is None else _time(about.ended),
        "Organiser": about.organiser,
        "Tournament": about.tournament,
        "Commitment": about.commitment,
        "Secret": about.secret or "published at the end",
        "To verify": (
            f"curl -o {name} ARENA/v1/tournaments/{about.tournament}/dump"
            f" && splito tournament verify {name} --service ARENA"
            " (ARENA is the address of the arena, as in https://arena.example)"
        ),
    }


def placing_caption(placing: Placing, state: State | None) -> str:
    """Return what decides the placing, and whether it is final."""
    parts = [f"Decided {RULES[placing.rule]}."]
    if placing.note is not None:
        parts.append(placing.note)
    elif state is not None:
        parts.append(STATES[state])
    return " ".join(parts)


def placing_columns(placing: Placing) -> dict[str, list[str]]:
    """Return the columns of figures that this placing has, by their headings, with one cell for each line."""
    columns = {heading: [_cell(line, field) for line in placing.lines] for field, heading in HEADINGS.items()}
    return {heading: cells for heading, cells in columns.items() if any(cells)}


def places(placing: Placing) -> Iterator[tuple[str, PlacingLine]]:
    """Yield the lines with their places as text: `1`, or `2=` for a place that several bots share."""
    shared = Counter(line.place for line in placing.lines)
    for line in placing.lines:
        yield f"{line.place}{'=' if shared[line.place] > 1 else ''}", line


HEADINGS = {
    "points": "Points",
    "opponents": "Points of bots met",
    "tables_won": "Tables won",
    "round": "Last round",
    "table_place": "Place there",
    "losses": "Losses",
    "mean_place": "Mean place",
    "blocks": "Blocks",
    "rating": "Rating",
}
"""Figures of a line with their headings."""


def _cell(line: PlacingLine, field: str) -> str:
    value = getattr(line, field)
    return "" if value is None else short(value) if field != "rating" else f"{value:.0f}"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
