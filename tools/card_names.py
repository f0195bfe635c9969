"""Write the tables of docs/cards.md from the data of the games: `make contract`, or `python -m tools.card_names`.

The text between the tables is written by hand. A test compares the committed page with `page()`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from splito_engine.games.splitit.deck import DECK, KINDS
from splito_engine.games.splito.deck import STANDARD, find_deck
from splito_engine.games.splito.objectives import Cards, Different, Each, Exactly, Most, Need
from splito_engine.games.splitter.sheets import PICTURES, ROWS

PAGE = Path(__file__).parents[1] / "docs" / "cards.md"
MARKED = re.compile(r"(<!-- table: ([a-z -]+) -->\n).*?(<!-- end of table -->\n)", re.DOTALL)


def colours() -> Iterator[str]:
    """Yield the lines of the table of Splito colours."""
    file = find_deck(STANDARD).file
    yield "| letter | colour | sign in the terminal | cards | of each |"
    yield "|---|---|---|---|---|"
    for colour in file.colours:
        cards = ", ".join(f"`{colour.letter}{value}`" for value in range(1, file.values + 1))
        yield f"| `{colour.letter}` | {colour.name} | {colour.symbol} | {cards} | {file.copies} |"


def objectives() -> Iterator[str]:
    """Yield the lines of the table of Objectives; there is one card of each."""
    yield "| card | what its zone needs | for a program | diamonds |"
    yield "|---|---|---|---|"
    for objective in find_deck(STANDARD).file.objectives:
        guess = " †" if "points" in objective.reconstructed else ""
        need = f"{objective.text['en']}{' †' if 'need' in objective.reconstructed else ''}"
        yield f"| `{objective.id}` | {need} | {rule(objective.need)} | {objective.points}{guess} |"


def rule(need: Need) -> str:
    """Return a requirement in the words of a program; `n` counts cards of the zone."""
    match need:
        case Most(of=sign):
            return f"`n({sign})` is more than in every other zone"
        case Exactly(count=count, of=sign):
            return f"`n({sign}) == {count}`"
        case Each(of=signs):
            return " and ".join(f"`n({sign}) >= 1`" for sign in signs)
        case Different(count=count, of=what):
            return f"`{what} == {count}`"
        case Cards():
            bound = f">= {need.at_least}" if need.at_least else f"<= {need.at_most}"
            return f"`all cards {bound}`"


def splitit() -> Iterator[str]:
    """Yield the lines of the table of cards of Split it!"""
    yield "| card | how many |"
    yield "|---|---|"
    for kind in KINDS:
        yield f"| `{kind}` | {DECK.count(kind)} |"


def sheets() -> Iterator[str]:
    """Yield both sheets of Splitter as drawings."""
    yield "```text"
    for name, picture in PICTURES.items():
        yield f"sheet {name}   1 2 3 4 5 6 7 8"
        lines = [line.strip() for line in picture.strip().splitlines()]
        yield from (f"      {letter}   {line.replace('|', ' ')}" for letter, line in zip(LETTERS, lines, strict=True))
    yield "```"


LETTERS = "abcdefg"[:ROWS]
TABLES: Mapping[str, Callable[[], Iterator[str]]] = {
    "colours": colours,
    "objectives": objectives,
    "cards of split it": splitit,
    "sheets": sheets,
}
"""The function that makes a table, by its name in the page."""


def page() -> str:
    """Return the text of the page with its tables made anew."""
    return MARKED.sub(lambda found: f"{found[1]}{_lines(found[2])}{found[3]}", PAGE.read_text("utf-8"))


def _lines(name: str) -> str:
    return "".join(f"{line}\n" for line in TABLES[name]())


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
