"""Sentences and figures of a search, the same in the terminal and on its page."""

from collections.abc import Mapping

from splito_arena.experiments.blocks import Measure
from splito_arena.stats.intervals import Interval
from splito_arena.tuning.report import TuneReport

UNITS: dict[Measure, tuple[str, float]] = {"places": ("places", 1), "points": ("points", 1), "wins": ("% of wins", 100)}
"""The unit of a result and the factor that it is shown with, by measure. Places are negative: more is better."""


def units(measure: Measure) -> tuple[str, float]:
    return UNITS[measure]


def shown_values(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())


def verdict(report: TuneReport) -> str:
    """Return what is known about the best point, in plain words."""
    best, check = shown_values(report.best), report.check
    if report.best == report.start:
        over = (
            "No point was better than the start" if report.blocks >= report.of - check.of else "So far no point leads"
        )
        return f"{over}: {best}."
    if check.advantage is None:
        return f"The best so far is {best}. It has not been compared with the start on fresh deals yet."
    on = (
        f"on {check.blocks} fresh blocks"
        if check.blocks == check.of
        else f"on {check.blocks} of {check.of} fresh blocks"
    )
    return f"{best}: {_compared(report, check.advantage)}, {on}."


def _compared(report: TuneReport, found: Interval) -> str:
    """Return the advantage in words. Its sign counts only if the whole interval has it."""
    unit, factor = units(report.measure)
    mean = f"{abs(factor * found.mean):.2f} {unit}"
    if found.margin is None or not (found.margin or found.mean):
        return f"{factor * found.mean:+.2f} {unit} against the start, without an interval"
    shown = f"± {factor * found.margin:.2f} (95 %)"
    if abs(found.mean) <= found.margin:
        return f"not shown to be better than the start, {factor * found.mean:+.2f} {unit} {shown}"
    return f"{'better' if found.mean > 0 else 'worse'} than the start by {mean} {shown}"
