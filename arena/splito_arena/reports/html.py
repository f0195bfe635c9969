"""HTML report of a tournament: one file that contains everything, readable on a phone and offline.

The file contains plotly.js, and the page forbids itself to load anything: its content security policy names the hashes
of its two scripts and nothing else. Names of bots and owners are always escaped as text.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from splito_arena.blocks.ledger import Entry, Game, VersionId, parts
from splito_arena.formats import Placing
from splito_arena.latency import Times, quantile
from splito_arena.reports import plots
from splito_arena.reports.about import About, facts
from splito_arena.reports.html_parts import as_text, asset, content_policy, figure, filled, plotly_script
from splito_arena.reports.html_placing import placing_section
from splito_arena.reports.html_table import Cells, listed, table
from splito_arena.reports.plots import Plot, label_of
from splito_arena.stats.collusion import FALSE_ALARMS, Suspicion
from splito_arena.stats.head_to_head import Pair
from splito_arena.stats.intervals import Interval
from splito_arena.stats.standings import BotGame, Line
from splito_arena.stats.texts import Shown, shown_mean, shown_rating, shown_share
from splito_arena.stats.tournament_table import crosstable, games_of, rated_entries, standings
from splito_engine.registry import games as known_games

MEANINGS = {
    "A block": "is a set of games with different deals that gives all every seat and neighbour as equally as possible.",
    "Ratings": "are Plackett-Luce strengths, fitted to all games at once.",
    "Intervals": "are 95 %, over blocks, because only a whole block is fair to all bots.",
    "Faults": "are turns without a good answer in time. The default move was played for them.",
}


class _Told(NamedTuple):
    """The contents of the page."""

    title: str
    entries: Sequence[Entry]
    lines: Sequence[Line]
    pairs: Sequence[Pair]
    games: Mapping[VersionId, Sequence[BotGame[Game]]]
    times: Mapping[VersionId, Times]
    names: Mapping[VersionId, str]


def report(  # noqa: PLR0913 (all that the page shows)
    title: str,
    ledger: Iterable[Entry],
    times: Mapping[VersionId, Times],
    names: Mapping[VersionId, str],
    suspicions: Iterable[Suspicion] = (),
    *,
    about: About | None = None,
    placing: Placing | None = None,
) -> str:
    """Return the page. It names the flagged pairs if `suspicions` are given (`stats.collusion`).

    With `about` the page begins with the facts of the tournament, and with `placing` the official placing is its first
    table.
    """
    entries = sorted(ledger, key=lambda entry: entry.block)
    rated = rated_entries(entries)
    told = _Told(title, entries, standings(rated), crosstable(rated), games_of(rated), times, names)
    drawn = _plots(told) if told.lines else []
    plotly, script = plotly_script(), asset("report.js")
    return filled(
        asset("report.html"),
        {
            "title": escape(title),
            "summary": _summary(told),
            "about": listed(facts(about)) if about else "",
            "placing": placing_section(placing, about.state if about else None) if placing else "",
            "style": asset("report.css"),
            "policy": content_policy(),
            "standings": table(_standings(told)),
            "flags": _flags(told, [one for one in suspicions if one.flagged]),
            "figures": "\n".join(map(figure, drawn)),
            "spread": table(_spread(told)),
            "crosstable": table(_crosstable(told)),
            "how": _how(told),
            "plots": as_text(drawn),
            "plotly": plotly,
            "script": script,
        },
    )


def _plots(told: _Told) -> list[Plot]:
    labels = [label_of(told.names.get(line.bot, line.bot)) for line in told.lines]
    return [
        plots.ratings(told.lines, labels),
        plots.scores(told.lines, labels, told.games),
        plots.latency(told.lines, labels, told.times),
        plots.heads(told.lines[: plots.HEADS], labels[: plots.HEADS], _best(told)),
    ]


def _standings(told: _Told) -> Cells:
    columns = ("Bot", "Rating", "Games", "Blocks", "Place", "Points", "Wins", "Faults", "Replaced", "Trend")
    rows = (
        (
            f"{rank}. {_who(told, line.bot)}{_group(told, line)}",
            _small(shown_rating(line.rating.mean, line.rating.low, line.rating.high)),
            f"{line.games:,}",
            f"{line.blocks:,}",
            _mean(line.place, 2),
            _mean(line.points, 1),
            _small(shown_share(line.wins.mean, line.wins.low, line.wins.high)),
            escape(", ".join(f"{code} {count}" for code, count in line.faults.items())) or "0",
            f"{line.replaced}",
            f"{line.trend:+.0f}",
        )
        for rank, line in enumerate(told.lines, 1)
    )
    return Cells("standings", "By rating, the strongest first.", columns, rows)


def _spread(told: _Told) -> Cells:
    columns = ("Bot", "Points: 5 %", "25 %", "median", "75 %", "95 %", "Answer time: median", "90 %", "99 %")
    rows = (
        (
            _who(told, line.bot),
            *(f"{points:,}" for points in plots.points_of(told.games[line.bot])),
            *(f"{quantile(told.times.get(line.bot, {}), share):.3g} ms" for share in plots.SHARES),
        )
        for line in told.lines
    )
    return Cells(
        "spread",
        "Share of a bot's games with at most these points, and of its answers within this time.",
        columns,
        rows,
    )


def _crosstable(told: _Told) -> Cells:
    rows = (
        (
            f"{_who(told, pair.one)} against {_who(told, pair.other)}",
            f"{pair.blocks:,}",
            _small(shown_share(pair.ahead.mean, pair.ahead.low, pair.ahead.high)),
            _mean(pair.places, 2),
        )
        for pair in _best(told)
    )
    caption = "Head to head." if len(told.lines) <= plots.HEADS else f"Head to head, the best {plots.HEADS} bots."
    return Cells("crosstable", caption, ("Pair", "Blocks", "Ahead", "Better by places"), rows)


def _best(told: _Told) -> list[Pair]:
    """Return the pairs of the bots that are shown head to head."""
    shown = {line.bot for line in told.lines[: plots.HEADS]}
    return [pair for pair in told.pairs if pair.one in shown and pair.other in shown]


def _flags(told: _Told, flagged: Sequence[Suspicion]) -> str:
    if not flagged:
        return ""
    rows = (
        (
            f"{_who(told, pair.one)} and {_who(told, pair.other)}",
            f"{pair.together:.1f}",
            f"{pair.otherwise:.1f}",
            f"{pair.blocks:,}",
        )
        for pair in flagged
    )
    note = (
        "The bots of these pairs raise each other more than they raise other bots. "
        f"At most {FALSE_ALARMS:.0%} of tournaments of honest bots have such a pair."
    )
    columns = ("Pair", f"{flagged[0].by.capitalize()} together", "Otherwise", "Blocks")
    shown = table(Cells("flags", note, columns, rows))
    return f'<section aria-labelledby="flags-title"><h2 id="flags-title">Suspect pairs</h2>\n{shown}</section>'


def _how(told: _Told) -> str:
    played = [entry for entry in told.entries if entry.games]
    games = [game for entry in played for game in entry.games]
    terms = {
        "Blocks": f"{len(played):,}",
        "Games": f"{len(games):,}",
        "Skipped": f"{len(told.entries) - len(played):,}",
    }
    if games:
        record = games[0].record
        terms |= {
            "Game": f"{_game_title(record.game)}, rules {record.version}, {record.players} players",
            "Options": ", ".join(f"{name} {value}" for name, value in record.options.items()) or "none",
        }
    return listed(terms | MEANINGS)


def _summary(told: _Told) -> str:
    games = sum(len(entry.games) for entry in told.entries)
    if not told.lines:
        return "Nothing has been played yet that could be rated."
    record = told.games[told.lines[0].bot][0].game.record
    return escape(f"{_game_title(record.game)}: {len(told.lines):,} bots, {games:,} games.")


def _game_title(game: str) -> str:
    """Return the title of a game; its id if the game is not installed."""
    found = known_games().get(game)
    return found.INFO.titles["en"] if found else game


def _who(told: _Told, bot: VersionId) -> str:
    name = escape(told.names.get(bot, bot))
    return f'<span class="name" title="{name}">{name}</span> <small class="name">{escape(parts(bot)[1])}</small>'


def _group(told: _Told, line: Line) -> str:
    """Return the group of a bot for the page; empty if there is only one group."""
    return f" <small>group {line.group}</small>" if told.lines[-1].group > 1 else ""


def _mean(value: Interval, digits: int) -> str:
    return _small(shown_mean(value.mean, value.margin, digits))


def _small(shown: Shown) -> str:
    return f"{shown.figure} <small>{shown.doubt}</small>" if shown.doubt else shown.figure
