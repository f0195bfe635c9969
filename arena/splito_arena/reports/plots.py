"""Plots of a report for plotly.js: traces and layouts, without colours, which the page sets.

Bots are numbered from the top, the best first, and named at the axis only, because two of them may have the same name.
plotly.js reads some HTML in texts, so every name is escaped, and links in names do not work.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Literal, TypeAlias

import msgspec

from splito_arena.blocks.ledger import Game, VersionId
from splito_arena.latency import Times, quantile
from splito_arena.stats.head_to_head import Pair
from splito_arena.stats.intervals import RatingInterval, Share, mirrored
from splito_arena.stats.standings import BotGame, Line
from splito_arena.stats.texts import shown_rating, shown_share

Trace: TypeAlias = dict[str, Any]
LONGEST = 22
"""Characters of a name at an axis."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SHARES = {0.5: "first", 0.9: "third", 0.99: "second"}
"""Shares of answers, with the colour for the time within which they came."""
HEADS = 60
"""Number of the best bots that are shown head to head, because a larger plot could be neither read nor loaded."""


class Plot(msgspec.Struct, frozen=True):
    id: str
    title: str
    note: str
    """Text that explains the plot, for screen readers too."""
    traces: list[Trace]
    layout: Trace


def ratings(lines: Sequence[Line], labels: Sequence[str]) -> Plot:
    found = [line.rating for line in lines]
    texts = [f"<b>{label}</b><br>{_rating(rating)}" for label, rating in zip(labels, found, strict=True)]
    above, below = ([_distance(rating, end) for rating in found] for end in ("high", "low"))
    bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 2, "width": 5}
    dots = _dots([rating.mean for rating in found], texts)
    trace = {**dots, "error_x": bars, "marker": {"size": 10, "symbol": [*map(_symbol, found)]}}
    note = (
        "Each bot with its 95 % interval, the best at the top. A triangle to the right means at least this rating, "
        "a triangle to the left at most. A bot with an unknown rating has no mark."
    )
    return Plot("ratings", "Ratings", note, [trace], _layout(labels, "rating"))


def scores(lines: Sequence[Line], labels: Sequence[str], games: Mapping[VersionId, Sequence[BotGame[Game]]]) -> Plot:
    spread = [points_of(games[line.bot]) for line in lines]
    low, first, middle, third, high = (list(column) for column in zip(*spread, strict=True))
    trace = {
        "type": "box",
        "orientation": "h",
        "y": [*range(len(lines))],
        "lowerfence": low,
        "q1": first,
        "median": middle,
        "q3": third,
        "upperfence": high,
        "mean": [line.points.mean for line in lines],
        "boxmean": True,
    }
    note = "The box has the middle half of a bot's games, nine of ten are between the ends. Line: median; dashed: mean."
    return Plot("scores", "Points in a game", note, [trace], _layout(labels, "points"))


def latency(lines: Sequence[Line], labels: Sequence[str], times: Mapping[VersionId, Times]) -> Plot:
    traces: list[Trace] = []
    for share, colour in SHARES.items():
        found = [quantile(times.get(line.bot, {}), share) or None for line in lines]
        texts = [f"<b>{label}</b><br>{share:.0%} within {_ms(ms)}" for label, ms in zip(labels, found, strict=True)]
        traces.append({**_dots(found, texts), "name": f"{share:.0%} of answers", "meta": colour})
    note = "How long bots took to answer: half of their answers came within the first mark, 99 of 100 within the last."
    layout: Trace = _layout(labels, "milliseconds") | {"showlegend": True}
    layout["xaxis"] = {**layout["xaxis"], "type": "log", "dtick": 1}
    return Plot("latency", "Answer times", note, traces, layout)


def heads(lines: Sequence[Line], labels: Sequence[str], pairs: Iterable[Pair]) -> Plot:
    """Return the head-to-head plot, rows ahead of columns; the pairs are of these bots."""
    place = {line.bot: number for number, line in enumerate(lines)}
    shares: list[list[float | None]] = [[None] * len(lines) for _ in lines]
    texts = [[""] * len(lines) for _ in lines]
    for pair in pairs:
        one, other, ahead = place[pair.one], place[pair.other], pair.ahead
        shares[one][other], shares[other][one] = ahead.mean, 1 - ahead.mean
        texts[one][other] = _ahead(labels[one], labels[other], ahead, pair.games)
        texts[other][one] = _ahead(labels[other], labels[one], mirrored(ahead), pair.games)
    trace: Trace = {
        "type": "heatmap",
        "z": shares,
        "text": texts,
        "hoverinfo": "text",
        "zmin": 0,
        "zmax": 1,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"tickformat": ".0%", "thickness": 12, "outlinewidth": 0},
    }
    layout = _layout(labels, "") | {"height": 220 + 34 * len(labels)}
    layout["xaxis"] = _bots(labels) | {"side": "top", "tickangle": -45, "range": [-0.5, len(labels) - 0.5]}
    note = (
        "In which share of their games the bot of the row was ahead of the bot of the column; a tie is half. "
        f"At most {HEADS} bots are shown, the best ones."
    )
    return Plot("heads", "Head to head", note, [trace], layout)


def points_of(games: Iterable[BotGame[Game]]) -> list[int]:
    """Return the quantiles of points that a plot shows."""
    ordered = sorted(one.points for one in games)
    return [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in QUANTILES]


def label_of(name: str) -> str:
    """Return a name short enough for an axis, and escaped for plotly.js."""
    return escape(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…", quote=False)


def _dots(values: Sequence[float | None], texts: Sequence[str]) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [*values],
        "y": [*range(len(values))],
        "text": [*texts],
        "hoverinfo": "text",
        "marker": {"size": 10},
    }


def _layout(labels: Sequence[str], unit: str) -> Trace:
    return {
        "height": 90 + 30 * len(labels),
        "showlegend": False,
        "xaxis": {"title": {"text": unit}},
        "yaxis": _bots(labels),
    }


def _bots(labels: Sequence[str]) -> Trace:
    numbers = [*range(len(labels))]
    return {"tickvals": numbers, "ticktext": [*labels], "range": [len(labels) - 0.5, -0.5], "zeroline": False}


def _rating(rating: RatingInterval) -> str:
    return str(shown_rating(rating.mean, rating.low, rating.high))


def _distance(rating: RatingInterval, end: Literal["low", "high"]) -> float:
    """Return how far an end is from the rating; 0 for an end that is not known."""
    known: float | None = getattr(rating, end)
    return 0.0 if known is None or rating.mean is None else abs(known - rating.mean)


def _symbol(rating: RatingInterval) -> str:
    if (rating.low is None) == (rating.high is None):
        return "circle"
    return "triangle-right" if rating.high is None else "triangle-left"


def _ms(ms: float | None) -> str:
    return "no time" if ms is None else f"{ms:.3g} ms"


def _ahead(one: str, other: str, share: Share, games: int) -> str:
    return f"<b>{one}</b> ahead of <b>{other}</b><br>{shown_share(share.mean, share.low, share.high)} of {games} games"
