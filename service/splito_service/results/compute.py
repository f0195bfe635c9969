"""Results of a tournament, computed from its ledger, and the steps in which a process of its own does that.

Everything here runs in `splito_service.results.calculator_main`, so that no computation delays the answers of the
service.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from splito_arena.blocks.ledger import Entry, parts, placings, unpack
from splito_arena.experiments.evidence import read_ledger
from splito_arena.experiments.sequential_test import Reading
from splito_arena.formats import Experiment, Placing
from splito_arena.latency import Times
from splito_arena.reports.about import About
from splito_arena.reports.html import plotly_script, report
from splito_arena.reports.tables import Form, TableName, export
from splito_arena.stats.collusion import FALSE_ALARMS, Evidence, Suspicion, evidence, judged
from splito_arena.stats.neighbours import neighbours
from splito_arena.stats.standings import lines_of
from splito_arena.stats.tournament_table import crosstable, standings
from splito_service.results.schemas import Crosstable, Neighbours, Standings
from splito_service.tournaments.rounds import design_of

S = TypeVar("S")

_taken: list[Any] = []
"""Values that were taken so far from the entries of the ledger that is being read."""


def begin() -> None:
    """Begin a new ledger, and forget one that was not finished."""
    _taken.clear()


def take(each: Callable[[Entry], Any], packed: Sequence[bytes]) -> str:
    """Take what `each` returns of these entries, and return the block of the last one."""
    entries = [unpack(one) for one in packed]
    _taken.extend(map(each, entries))
    return entries[-1].block


def finish(make: Callable[[Sequence[Any]], Any]) -> tuple[Any, int]:
    """Return what `make` makes of all that was taken, and about how many bytes it has."""
    made = make([*_taken])
    _taken.clear()
    return made, sum(map(len, made)) if _is_bytes(made) else len(msgspec.json.encode(made))


def _is_bytes(made: Any) -> bool:
    return isinstance(made, tuple) and all(isinstance(part, bytes) for part in made)  # pyright: ignore[reportUnknownVariableType]


def evidence_of(entry: Entry) -> Evidence | None:
    """Return the evidence of collusion in a block, for which its games are played again; None if it was skipped."""
    return evidence(entry) if placings(entry) else None


def suspicions_of(found: Sequence[Evidence | None]) -> Sequence[Suspicion]:
    return judged([one for one in found if one is not None])


def named(names: Mapping[str, str], ledger: Sequence[Entry]) -> dict[str, str]:
    """Return the names of the bots by their versions, former versions included."""
    return {bot: names.get(parts(bot)[0], bot) for entry in ledger for bot in entry.bots}


def standings_of(tournament: str, names: Mapping[str, str], ledger: Sequence[Entry]) -> Standings:
    return Standings(tournament=tournament, blocks=len(ledger), lines=lines_of(standings(ledger), named(names, ledger)))


def crosstable_of(tournament: str, ledger: Sequence[Entry]) -> Crosstable:
    return Crosstable(tournament=tournament, blocks=len(ledger), pairs=list(crosstable(ledger)))


def neighbours_of(tournament: str, suspicions: Sequence[Suspicion], ledger: Sequence[Entry]) -> Neighbours:
    return Neighbours(
        tournament=tournament,
        blocks=len(ledger),
        beside=list(neighbours(ledger)),
        suspicions=list(suspicions),
        false_alarms=FALSE_ALARMS,
    )


def export_of(
    table: TableName, form: Form, names: Mapping[str, str], placing: Placing | None, ledger: Sequence[Entry]
) -> tuple[bytes]:
    return (export(table, form, ledger, named(names, ledger), placing),)


def report_of(  # noqa: PLR0913, PLR0917 (all that a report shows)
    about: About,
    names: Mapping[str, str],
    times: Mapping[str, Times],
    suspicions: Sequence[Suspicion],
    placing: Placing,
    ledger: Sequence[Entry],
) -> tuple[bytes, ...]:
    """Return the parts of the report before and after plotly.js, which is the same in all reports."""
    page = report(about.title, ledger, times, named(names, ledger), suspicions, about=about, placing=placing).encode()
    return tuple(page.split(plotly_script().encode()))


def reading_of(asked: Experiment, ledger: Sequence[Entry]) -> Reading:
    """Return the reading of an experiment from its blocks in the order of their numbers, up to the one that decides."""
    return read_ledger(design_of(asked), asked.measure, ledger)
