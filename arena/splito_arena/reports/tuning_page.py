"""Page of a search for parameters: one file with a plot for each parameter, which loads nothing."""

from html import escape

from splito_arena.reports.html_parts import as_text, asset, content_policy, figure, filled, plotly_script
from splito_arena.reports.html_table import Cells, listed, table
from splito_arena.reports.plots import Plot, Trace
from splito_arena.stats.texts import shown_mean
from splito_arena.tuning.report import TuneReport
from splito_arena.tuning.space import Parameter
from splito_arena.tuning.texts import shown_values, units, verdict

LEAST_SIZE, MOST_SIZE = 6, 18
"""Diameters of a point, in pixels: those with more blocks are larger."""


def tuning_page(report: TuneReport) -> str:
    drawn = [_plot(report, number, one) for number, one in enumerate(report.parameters)] if report.points else []
    return filled(
        asset("tuning.html"),
        {
            "title": escape(f"Search for {report.maker}"),
            "verdict": escape(verdict(report)),
            "facts": listed(_facts(report)),
            "style": asset("report.css"),
            "policy": content_policy(),
            "figures": "\n".join(map(figure, drawn)),
            "points": table(_points(report)),
            "plots": as_text(drawn),
            "plotly": plotly_script(),
            "script": asset("report.js"),
        },
    )


def _facts(report: TuneReport) -> dict[str, str]:
    plan = report.plan
    return {
        "Game": f"{report.game} {report.version}, {report.players} players, field {', '.join(report.field) or 'none'}",
        "Search": f"{plan.races} races of {plan.candidates} points, {report.blocks:,} of {report.of:,} blocks played",
        "Start": shown_values(report.start),
        "Best": shown_values(report.best),
        "Seed": report.seed,
    }


def _plot(report: TuneReport, number: int, one: Parameter) -> Plot:
    unit, factor = units(report.measure)
    most = max(point.blocks for point in report.points)
    texts = [
        f"{escape(shown_values(point.values))}<br>{shown_mean(factor * point.result.mean, None, 2).figure} {unit}, "
        f"race {point.race + 1}, {point.blocks} blocks"
        for point in report.points
    ]
    trace: Trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [point.values[one.name] for point in report.points],
        "y": [factor * point.result.mean for point in report.points],
        "text": texts,
        "hoverinfo": "text",
        "marker": {
            "size": [LEAST_SIZE + (MOST_SIZE - LEAST_SIZE) * point.blocks / most for point in report.points],
            "opacity": 0.7,
        },
    }
    best: Trace = {
        "type": "scatter",
        "mode": "lines",
        "x": [report.best[one.name]] * 2,
        "y": [factor * value for value in _ends(report)],
        "hoverinfo": "skip",
        "meta": "second",
    }
    layout: Trace = {
        "height": 340,
        "showlegend": False,
        "xaxis": {"title": {"text": escape(one.name)}, "range": [one.low, one.high]},
        "yaxis": {"title": {"text": unit}},
    }
    note = "Points by their mean results in their last races; larger ones played more blocks. The line is the best."
    return Plot(f"parameter-{number}", escape(one.name), note, [best, trace], layout)


def _ends(report: TuneReport) -> tuple[float, float]:
    means = [point.result.mean for point in report.points]
    return min(means), max(means)


def _points(report: TuneReport) -> Cells:
    unit, factor = units(report.measure)
    rows = (
        (
            escape(shown_values(point.values)),
            f"{point.race + 1}",
            f"{point.blocks:,}",
            str(
                shown_mean(
                    factor * point.result.mean, None if point.result.margin is None else factor * point.result.margin, 2
                )
            ),
            f"{point.faults}",
        )
        for point in report.points
    )
    columns = ("Parameters", "Last race", "Blocks there", f"Result, {unit}", "Faults")
    return Cells("points", "The points of the last race first, and among these the best first.", columns, rows)
