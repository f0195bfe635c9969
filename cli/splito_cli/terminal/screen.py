"""Consoles, tables of scores and explanations that all commands print with."""

import os
from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from splito_arena.match.places import winners
from splito_cli.terminal.words import WORDS, ResultWords
from splito_engine.game import Explanation, Scores, Section

PIPE_WIDTH = 120
LONGEST = 1000
"""Characters of a message that another program wrote; the rest is cut off."""
YES, NO = Text("✓", "bold green"), Text("✗", "dim")


class Screen(Console):
    """A console that shows text as it is: no markup is read in it, and nothing in it steers the terminal.

    Names, paths and messages come from files, bots and servers, so no command has to remember to make them harmless.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Yield the parts of the text, without control characters."""
        for part in super().render(renderable, options):
            if part.control or part.text.isprintable() or part.text == "\n":
                yield part
            else:
                yield Segment("\n".join(map(printable, part.text.split("\n"))), part.style)


def screen() -> Console:
    return Screen()


def wide_screen() -> Console:
    """Return a console for wide tables: a pipe has no width of its own, so it gets `PIPE_WIDTH` columns."""
    console = screen()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def side_screen() -> Console:
    """Return a console on standard error, for progress and errors, so that piped output stays clean."""
    return Screen(stderr=True)


def progress_bar(noun: str, *columns: ProgressColumn) -> Progress:
    """Return a progress bar that is drawn on a terminal only and disappears at its end."""
    console = side_screen()
    shown = (TextColumn(noun), BarColumn(), MofNCompleteColumn(), *columns, TimeRemainingColumn())
    return Progress(*shown, console=console, disable=not console.is_terminal, transient=True)


def headline(title: str, *facts: str) -> Text:
    return Text.assemble((title, "bold"), *(f"  ·  {fact}" for fact in facts))


def plain_table(*headings: str) -> Table:
    """Return a table in the look of all commands; all columns but the first are for numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    return table


def scores_table(scores: Scores, names: Sequence[str], words: ResultWords | None = None) -> Table:
    """Return the final table, best first.

    Without `words` it is in English, with the raw tie-breakers if players are tied on points; with them it has no such
    column, because the explanation beside it says how ties were broken.
    """
    tied = words is None and len({points for points, *_ in scores}) < len(scores) and any(rest for _, *rest in scores)
    heads = words or WORDS["en"].result
    table = plain_table(heads.player, heads.place, heads.points, *(["tie-break"] if tied else []))
    best = winners(scores)
    for seat in sorted(range(len(scores)), key=lambda seat: scores[seat], reverse=True):
        points, *rest = scores[seat]
        name = Text(f"★ {names[seat]}", "bold") if seat in best else Text(f"  {names[seat]}")
        place = sum(score > scores[seat] for score in scores) + 1
        table.add_row(name, str(place), str(points), *([" ".join(map(str, rest))] if tied else []))
    return table


def winners_line(scores: Scores, names: Sequence[str], words: ResultWords = WORDS["en"].result) -> str:
    """Return the line with the winners."""
    if len(scores) == 1:
        return words.alone
    *others, last = [names[seat] for seat in winners(scores)]
    if not others:
        return words.winner.format(names=last)
    return words.winners.format(names=words.both.format(first=", ".join(others), last=last))


def printable(text: str) -> str:
    """Return the text with blanks in place of control characters and others that do not print."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def shortened(text: str) -> str:
    """Return the text, cut off after `LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def explanation(explained: Explanation, names: Sequence[str]) -> RenderableType:
    totals = Table.grid(padding=(0, 2, 0, 0))
    for name, total in zip(names, explained.totals, strict=True):
        totals.add_row(Text(name, "bold"), total)
    return Group(*map(_section, explained.sections), totals)


def _section(section: Section) -> RenderableType:
    lines = Table.grid(padding=(0, 1, 0, 0))
    for reason in section.reasons:
        style = "" if reason.met else "dim"
        lines.add_row(YES if reason.met else NO, Text(str(reason.points), style), Text(reason.text, style))
    title = Text.assemble((section.title, "bold"), f"  {section.points}")
    return Group(title, Padding(lines, (0, 0, 1, 2), expand=False))
