"""The dashboard as a page for the terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from splito_cli.dashboard.model import Picture, course
from splito_cli.terminal.screen import headline, plain_table, printable

MOST_ROWS = 8
"""Rows of asks and of matches that are shown."""
HELP = "Tab next bot · ↑ ↓ choose an ask · r resend it · e start an experiment · q quit"
STATE = {"ready": "green", "disabled": "red", "new": "yellow"}


def page(
    url: str,
    pictures: Sequence[Picture],
    history: Mapping[str, Sequence[float]],
    chosen: tuple[int, int] | None = None,
    message: str = "",
) -> RenderableType:
    """Return the page; `chosen` is the number of the chosen bot and of its ask, None if nobody chooses."""
    bot, ask = chosen or (0, -1)
    parts: list[RenderableType] = [headline("Splito Arena", printable(url)), Text(), _bots(pictures, bot, history)]
    parts += [_trouble(one) for one in pictures if _reason(one)]
    if pictures:
        one = pictures[bot]
        parts += [Text(), Text(f"Matches of {printable(one.bot.name)}", "bold"), _games(one)]
        parts += [Text(), Text("Asks", "bold"), _asks(one, ask)]
    if chosen is not None:
        parts += [Text(), Text(printable(message), "cyan"), Text(HELP, "dim")]
    return Group(*parts)


def _bots(pictures: Sequence[Picture], chosen: int, history: Mapping[str, Sequence[float]]) -> RenderableType:
    table = plain_table("bot", "state", "checked", "rating", "trend", "rank", "games", "faults", "p50", "p95", "course")
    for number, one in enumerate(pictures):
        name = Text(("> " if number == chosen else "  ") + printable(f"{one.bot.name} {one.bot.version or ''}"), "bold")
        state = Text(one.bot.state, STATE.get(one.bot.state, ""))
        best = max(one.ratings, key=lambda rated: rated.games, default=None)
        rated = ("", "", "", "")
        if best is not None:
            rated = (f"{best.rating:.0f}", f"{best.trend:+.0f}", str(best.rank), str(best.games))
        times = (f"{one.latency.p50:.0f} ms", f"{one.latency.p95:.0f} ms") if one.latency else ("", "")
        checked = "yes" if one.bot.checked else "no"
        table.add_row(name, state, checked, *rated, str(one.faults), *times, course(history.get(one.bot.id, ())))
    return table


def _reason(one: Picture) -> str:
    return (one.bot.own and one.bot.own.reason) or ""


def _trouble(one: Picture) -> Text:
    return Text(printable(f"{one.bot.name}: {_reason(one)}"), "red")


def _games(one: Picture) -> RenderableType:
    table = plain_table("match", "game", "asks", "faults")
    for game in one.games[:MOST_ROWS]:
        table.add_row(printable(game.match), printable(game.game), str(game.asks), str(game.faults))
    return table if one.games else Text("no match in the log yet", "dim")


def _asks(one: Picture, chosen: int) -> RenderableType:
    table = plain_table("ask", "time", "status", "outcome")
    first = max(0, chosen - MOST_ROWS + 1)
    for number, ask in enumerate(one.asks[first : first + MOST_ROWS], first):
        mark = "> " if number == chosen else "  "
        outcome = "✓" if ask.fault is None else f"✗ {ask.fault.code}: {ask.fault.detail}"
        style = "green" if ask.fault is None else "red"
        status = "" if ask.status is None else str(ask.status)
        table.add_row(mark + printable(ask.id), f"{ask.elapsed_ms:.0f} ms", status, Text(printable(outcome), style))
    return table if one.asks else Text("no ask in the log yet", "dim")
