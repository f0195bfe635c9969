"""Pages of a tournament: its progress, and its table.

On a narrow screen the least important columns are left out, and on a low one the end of the table.
"""

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from splito_arena.blocks.ledger import parts
from splito_arena.stats.texts import shown_mean, shown_rating, shown_share
from splito_bot.ranked import Estimate, Placing, Progress, StandingLine
from splito_cli.terminal.screen import counted, headline, plain_table, printable
from splito_cli.tournament.placing_page import placing_page
from splito_cli.tournament.sign_up_page import shown_time

BAR = 40
"""Largest width of the progress bar, in columns."""
AROUND = 8
"""Lines of the page that are not of the table."""
STATES = {"scheduled": "◷", "open": "◷", "running": "▶", "paused": "⏸", "finished": "✓", "cancelled": "✗"}
COLOURS = {
    "scheduled": "dim",
    "open": "yellow",
    "running": "cyan",
    "paused": "yellow",
    "finished": "green",
    "cancelled": "red",
}
PLACING = "placing"
"""Name of the fact that has the order that the format decided."""
NOBODY = "Nothing has been played yet. If it stays like this, no worker is there: start one with `splito worker`."
NOTE = "100 rating points more: ahead in 64 % of games. 1500 is the mean. Brackets and ± are 95 % intervals."


def live_page(
    name: str,
    progress: Progress,
    leaders: Sequence[StandingLine],
    size: tuple[int, int],
    official: Placing | None = None,
) -> RenderableType:
    """Return the page of a running tournament, for a screen of `size` columns and lines: the placing, then ratings."""
    columns, lines = size
    room = max(lines - AROUND, 1)
    shown: list[RenderableType] = [_head(name, progress), _bar(progress, columns), Text()]
    if progress.waiting:
        shown.append(Text(waiting_line(progress.waiting), "yellow"))
    elif progress.state == "running" and not progress.done:
        shown.append(Text(NOBODY, "dim"))
    if official is not None and official.lines:
        most = max(room // 2 - 1, 1)
        shown += [placing_page(official, most), Text()]
        room = max(room - min(most, len(official.lines)) - 3, 1)
    if leaders:
        shown.append(_table(leaders[:room], columns))
    return Group(*shown)


def table_page(  # noqa: PLR0913 (all that the page shows)
    name: str,
    progress: Progress,
    lines: Sequence[StandingLine],
    facts: Sequence[tuple[str, str]],
    columns: int,
    *,
    official: Placing | None = None,
) -> RenderableType:
    """Return the page of a tournament that is over: the official placing, then the ratings, then other facts.

    Other facts are the bots that are gone, and the addresses of the results. A service without `official` may still
    have the placing among the facts.
    """
    first: list[RenderableType] = []
    if official is not None:
        first = [placing_page(official), Text()]
    elif told := [fact for fact in facts if fact[0] == PLACING]:
        first = [_facts(told), Text()]
    others = _facts([fact for fact in facts if fact[0] != PLACING])
    winners = official.winners if official else ()
    return Group(_head(name, progress), Text(), *first, standings_page(lines, columns, winners), Text(), others)


def _facts(facts: Sequence[tuple[str, str]]) -> Table:
    rows = Table.grid(padding=(0, 2, 0, 0))
    for what, fact in facts:
        rows.add_row(Text(what, "dim"), Text(printable(fact), overflow="fold"))
    return rows


def standings_page(lines: Sequence[StandingLine], columns: int, winners: Sequence[str] = ()) -> RenderableType:
    """Return the table of ratings with a star at the official winners, which may not have the best ratings."""
    return Group(_table(lines, columns, winners), Text(NOTE, "dim")) if lines else Text("Nothing was played.")


def estimate_page(name: str, found: Estimate, endless: bool) -> RenderableType:
    rows = Table.grid(padding=(0, 2, 0, 0))
    for what in ("rounds", "tables", "blocks", "games"):
        rows.add_row(Text(what, "dim"), Text(f"{getattr(found, what):,}"))
    time = "not known before such games have been played there"
    rows.add_row(Text("time", "dim"), Text(time if found.seconds is None else f"about {span(found.seconds)}"))
    if found.starts is not None:
        rows.add_row(Text("sign-up", "dim"), Text(f"from {shown_time(found.opens)}"))
        rows.add_row(Text("start", "dim"), Text(f"at {shown_time(found.starts)}"))
    if found.lacks is not None:
        rows.add_row(Text("lacks", "dim"), Text(printable(found.lacks), overflow="fold"))
    facts = ("each round of it", "nothing is played") if endless else ("nothing is played",)
    return Group(headline(printable(name), *facts), Padding(rows, (0, 0, 0, 2), expand=False))


def waiting_line(waiting: str) -> str:
    return f"Waiting: {printable(waiting)}."


def span(seconds: float) -> str:
    """Return a time for people: `48 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _head(name: str, progress: Progress) -> Text:
    state = f"{STATES[progress.state]} {progress.state}"
    facts = [f"round {progress.round}" + (f" of {progress.rounds}" if progress.rounds else "")]
    facts.append(counted(progress.games, "game"))
    if progress.skipped:
        facts.append(f"{counted(progress.skipped, 'block')} skipped")
    if progress.reason:
        facts.append(printable(progress.reason))
    head = headline(printable(name), *facts)
    return Text.assemble(head, "  ·  ", (state, COLOURS[progress.state]))


def _bar(progress: Progress, columns: int) -> RenderableType:
    whole = progress.done + progress.open
    rate = "" if progress.games_per_second is None else f"{progress.games_per_second:,.1f} games/s"
    left = "" if progress.seconds_left is None else f"{span(progress.seconds_left)} left"
    bar = ProgressBar(total=max(whole, 1), completed=progress.done, width=min(BAR, columns // 3))
    cells = (bar, Text(f"{progress.done:,}/{whole:,} blocks"), Text(left, "dim"), Text(rate, "dim"))
    return _fitting((_row(cells[:count]) for count in (4, 3, 2)), columns)


def _row(cells: Sequence[RenderableType]) -> Table:
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_row(*cells)
    return row


def _name(line: StandingLine, winners: Sequence[str] = ()) -> Text:
    name = printable(line.name)
    return Text(f"★ {name}", "bold") if parts(line.bot)[0] in winners else Text(f"  {name}")


def _faults(line: StandingLine) -> Text:
    faults = sum(line.faults.values())
    return Text(f"✗ {faults}", "red") if faults else Text("✓ 0", "green")


COLUMNS: dict[str, Callable[[StandingLine], RenderableType]] = {
    "rating": lambda line: str(shown_rating(line.rating.mean, line.rating.low, line.rating.high)),
    "place": lambda line: str(shown_mean(line.place.mean, line.place.margin, 2)),
    "points": lambda line: str(shown_mean(line.points.mean, line.points.margin)),
    "wins": lambda line: str(shown_share(line.wins.mean, line.wins.low, line.wins.high)),
    "games": lambda line: f"{line.games:,}",
    "faults": _faults,
    "trend": lambda line: f"{line.trend:+.0f}",
}
LEAST_FIRST = ("trend", "points", "wins", "games", "place", "faults")
"""The order in which columns are left out on a narrow screen."""
RULER = Console(width=10_000)


def _table(lines: Sequence[StandingLine], columns: int, winners: Sequence[str] = ()) -> Table:
    left_out = (LEAST_FIRST[:count] for count in range(len(LEAST_FIRST) + 1))
    shown = ([name for name in COLUMNS if name not in out] for out in left_out)
    return _fitting((_table_of(lines, names, winners) for names in shown), columns)


def _table_of(lines: Sequence[StandingLine], shown: Sequence[str], winners: Sequence[str]) -> Table:
    table = plain_table("bot", *shown)
    for line in lines:
        table.add_row(_name(line, winners), *(COLUMNS[name](line) for name in shown))
    return table


def _fitting(tables: Iterable[Table], columns: int) -> Table:
    """Return the first table that is narrow enough, or else the last."""
    table = Table()
    for table in tables:
        if RULER.measure(table).maximum <= columns:
            break
    return table
