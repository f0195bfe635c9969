"""Tables of a league as Markdown and as one HTML page. Names of bots are always text, never markup."""

import re
from collections.abc import Iterator
from html import escape

from splito_arena.leagues.report import LeagueReport, version_of
from splito_arena.reports.html_parts import asset, filled
from splito_arena.reports.html_table import Cells, listed, table
from splito_arena.stats.standings import StandingLine
from splito_arena.stats.texts import shown_mean, shown_rating, shown_share
from splito_engine.registry import find_game

COLUMNS = ("Bot", "Version", "Rating", "Games", "Blocks", "Place", "Points", "Wins", "Faults")
MEANING = (
    "Ratings are one fit to all blocks; 1500 is the mean of the table, and 100 points more are ahead in 64 % of games. "
    "Brackets and ± are 95 % intervals over blocks. Two intervals that do not overlap are a difference."
)
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&:@$^=])")
"""Signs with a meaning in Markdown, those of automatic links included."""


def cells_of(line: StandingLine, house: list[str]) -> tuple[str, ...]:
    """Return the cells of a line as texts, in the order of `COLUMNS`."""
    return (
        f"{line.rank}. {line.name}",
        f"{version_of(line)}{_suffix(line, house)}",
        str(shown_rating(line.rating.mean, line.rating.low, line.rating.high)),
        f"{line.games}",
        f"{line.blocks}",
        str(shown_mean(line.place.mean, line.place.margin, 2)),
        str(shown_mean(line.points.mean, line.points.margin)),
        str(shown_share(line.wins.mean, line.wins.low, line.wins.high)),
        ", ".join(f"{code} {count}" for code, count in line.faults.items()) or "0",
    )


def subtitle(report: LeagueReport) -> str:
    game = find_game(report.game).INFO.titles["en"]
    return f"{game}, {report.players} players, {report.blocks} blocks, seed {report.seed}"


def markdown(report: LeagueReport) -> str:
    return "\n".join(_markdown(report)) + "\n"


def html(report: LeagueReport) -> str:
    rows = [[escape(cell) for cell in cells_of(line, report.house)] for line in report.table]
    return filled(
        asset("league.html"),
        {
            "title": escape(report.title),
            "summary": escape(subtitle(report)),
            "style": asset("report.css"),
            "standings": table(Cells("standings", "By rating, the strongest first.", COLUMNS, rows)),
            "meaning": MEANING,
            "broken": _section("broken", "Bots that do not play", _reasons(report)),
            "notes": _section("notes", "Notes for authors", _texts(report)),
        },
    )


def _markdown(report: LeagueReport) -> Iterator[str]:
    yield f"# {_plain(report.title)}\n\n{subtitle(report)}\n"
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|---|---|{'---:|' * (len(COLUMNS) - 2)}"
    for line in report.table:
        _, _, *figures = cells_of(line, report.house)
        bot = f"{line.rank}. {_plain(line.name)} | {_plain(version_of(line))}{_suffix(line, report.house)}"
        yield f"| {bot} | {' | '.join(figures)} |"
    yield f"\n{MEANING}"
    if report.broken:
        yield "\n## Bots that do not play\n\n| Bot | Reason |\n|---|---|"
        yield from (f"| {_plain(one.name)} | {_plain(one.reason)} |" for one in report.broken)
    if report.notes:
        yield "\n## Notes for authors\n\n| Bot | Note |\n|---|---|"
        yield from (f"| {_plain(one.name)} | {_plain(one.text)} |" for one in report.notes)


def _suffix(line: StandingLine, house: list[str]) -> str:
    """Return what is said after the version. Bots of two groups never met, and cannot be compared."""
    group = f" (group {line.group})" if line.group > 1 else ""
    return f"{' (built in)' if line.name in house else ''}{group}"


def _plain(text: str) -> str:
    """Return a text in which Markdown and HTML see no markup, on one line."""
    return _MARKUP.sub(r"\\\1", "".join(letter if letter.isprintable() else " " for letter in text))


def _reasons(report: LeagueReport) -> list[tuple[str, str, str]]:
    return [(one.name, one.reason, one.traceback) for one in report.broken]


def _texts(report: LeagueReport) -> list[tuple[str, str, str]]:
    return [(one.name, one.text, one.traceback) for one in report.notes]


def _section(name: str, title: str, told: list[tuple[str, str, str]]) -> str:
    if not told:
        return ""
    said = "\n".join(f"{listed({escape(bot): text})}{_traceback(trace)}" for bot, text, trace in told)
    return f'<section aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>\n{said}</section>'


def _traceback(trace: str) -> str:
    return f"<details><summary>Traceback</summary><pre>{escape(trace)}</pre></details>" if trace else ""
