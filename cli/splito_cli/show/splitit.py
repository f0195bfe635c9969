"""Split it!: the row or its three zones, and a table of everybody's columns."""

from collections.abc import Mapping, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_cli.screen import headline, plain_table
from splito_cli.show.plain import closing, move
from splito_cli.show.scene import Extra, Scene, numbered, scores_line
from splito_engine.game import Seat
from splito_engine.games.splitit import INFO, SplititView, Zone
from splito_engine.games.splitit.columns import winners
from splito_engine.games.splitit.deck import NUMBERS, ZONES, Cards, cards_in

__all__ = ["EXTRAS", "closing", "move", "moves", "table"]

ZONE_MARKS: dict[Zone, tuple[str, str]] = {
    "white": ("□", "bold"),
    "pink": ("▒", "bold magenta"),
    "black": ("■", "bold"),
}
EXTRAS: Mapping[str, Extra] = {}


def table(scene: Scene) -> RenderableType:
    view: SplititView = scene.view
    splitter = "you split" if view.splitter == view.seat else f"{scene.names[view.splitter]} splits"
    facts = (f"round {view.round} of {view.rounds}", splitter, f"{view.pile} in the pile")
    lines: list[RenderableType] = [headline(INFO.titles[scene.language], *facts), Text()]
    if view.phase != "over":
        lines += [_row(view), Text()]
    return Group(*lines, _columns(scene), Text(), scores_line(scene))


def moves(scene: Scene, texts: Sequence[str]) -> RenderableType:
    view: SplititView = scene.view
    choices = [numbered(number, _choice(view, text)) for number, text in enumerate(texts, 1)]
    return Columns(choices, padding=(0, 3), column_first=True)


def _choice(view: SplititView, text: str) -> Text:
    """Cuts are drawn, zones are shown with their cards."""
    if "|" in text:
        left, right = map(int, text.split("|"))
        parts = (view.row[:left], view.row[left:right], view.row[right:])
        return Text.assemble((f"{text:<4}", "bold"), " │ ".join(" ".join(part) for part in parts))
    if text[0] == "J":
        return Text.assemble((text, "bold"), f" a joker on the {text[1:]}s")
    zone: Zone = next(zone for zone in ZONES if zone == text.removeprefix("-"))
    verb = "remove" if text[0] == "-" else "bet on"
    return Text.assemble((f"{text:<7}", "bold"), f"{verb} {' '.join(cards_in(view.zones, zone))}")


def _row(view: SplititView) -> RenderableType:
    if not any(cards_in(view.zones, zone) for zone in ZONES):
        return Text.assemble(("The row  ", "dim"), (_spaced(view.row), "bold"))
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_row(*(Text.assemble(ZONE_MARKS[zone], f" {zone}") for zone in ZONES))
    grid.add_row(*(Text(_spaced(cards_in(view.zones, zone)) or "-", "bold") for zone in ZONES))
    return grid


def _spaced(cards: Cards) -> str:
    return "  ".join(cards)


def _columns(scene: Scene) -> RenderableType:
    view: SplititView = scene.view
    table = plain_table("columns", *(f"{number} " for number in NUMBERS))
    for seat, name in enumerate(scene.names):
        out = view.phase == "bet" and seat not in view.inside
        table.add_row(Text(f"{name} (out)" if out else name), *(_column(view, seat, number) for number in NUMBERS))
    legend = Text("J joker in the column, * most cards: scores the number", "dim")
    return Group(table, legend, *_waiting(scene))


def _column(view: SplititView, seat: Seat, number: int) -> Text:
    player = view.table[seat]
    cards, jokers = player.numbers[number - 1], player.jokers[number - 1]
    if not cards:
        return Text("· ", "dim")
    text = str(cards) + ("" if not jokers else "+J" if jokers == 1 else f"+{jokers}J")
    return Text(f"{text}*", "bold") if seat in winners(view.table, number) else Text(f"{text} ")


def _waiting(scene: Scene) -> list[Text]:
    view: SplititView = scene.view
    waiting = [(name, player.waiting) for name, player in zip(scene.names, view.table, strict=True) if player.waiting]
    return (
        [Text(f"Jokers without a column yet: {', '.join(f'{n} {count}' for n, count in waiting)}")] if waiting else []
    )
