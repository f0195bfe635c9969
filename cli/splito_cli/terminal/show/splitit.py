"""The terminal look of Split it!: the row or its three zones, and a table of the columns of all players."""

from collections.abc import Mapping, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_cli.terminal.screen import headline, plain_table
from splito_cli.terminal.show.plain import closing, nudge
from splito_cli.terminal.show.scene import Extra, Scene, numbered, scores_line
from splito_cli.terminal.show.words import SPLITIT
from splito_engine.game import Seat
from splito_engine.games.splitit import INFO, SplititView, Zone
from splito_engine.games.splitit.columns import winners
from splito_engine.games.splitit.deck import NUMBERS, ZONES, Cards, cards_in

__all__ = ["EXTRAS", "closing", "move", "moves", "nudge", "refusal", "table"]

ZONE_MARKS: dict[Zone, tuple[str, str]] = {
    "white": ("□", "bold"),
    "pink": ("▒", "bold magenta"),
    "black": ("■", "bold"),
}
EXTRAS: Mapping[str, Extra] = {}


def table(scene: Scene) -> RenderableType:
    view: SplititView = scene.view
    words = SPLITIT[scene.language]
    splitter = words.you_split if view.splitter == view.seat else words.splits
    facts = (
        words.round.format(number=view.round, last=view.rounds),
        splitter.format(name=scene.names[view.splitter]),
        words.pile.format(count=view.pile),
    )
    lines: list[RenderableType] = [headline(INFO.titles[scene.language], *facts), Text()]
    if view.phase != "over":
        lines += [_row(scene), Text()]
    return Group(*lines, _columns(scene), Text(), scores_line(scene))


def moves(scene: Scene, texts: Sequence[str]) -> RenderableType:
    choices = [numbered(number, _choice(scene, text)) for number, text in enumerate(texts, 1)]
    return Columns(choices, padding=(0, 3), column_first=True)


def move(scene: Scene, text: str) -> Text:
    """Draw a move: zones by their names in the language of the scene, cuts and jokers as they are typed."""
    words, zone = SPLITIT[scene.language], _zone(text)
    if zone is None:
        return Text(text, "bold")
    name = words.zones[zone]
    return Text(words.removed.format(zone=name) if text[0] == "-" else name, "bold")


def refusal(scene: Scene, text: str) -> str | None:
    """Return what the person decides now instead of this move."""
    return SPLITIT[scene.language].now[scene.view.phase].format(text=text)


def _zone(text: str) -> Zone | None:
    return next((zone for zone in ZONES if zone == text.removeprefix("-")), None)


def _choice(scene: Scene, text: str) -> Text:
    """Draw a choice of the list: a cut of the row, a column for a joker, or a zone with its cards."""
    view: SplititView = scene.view
    words = SPLITIT[scene.language]
    if "|" in text:
        left, right = map(int, text.split("|"))
        parts = (view.row[:left], view.row[left:right], view.row[right:])
        return Text.assemble((f"{text:<4}", "bold"), " │ ".join(" ".join(part) for part in parts))
    zone = _zone(text)
    if zone is None:
        return Text.assemble((text, "bold"), " ", words.joker.format(number=text[1:]))
    sentence = words.remove if text[0] == "-" else words.bet
    cards = " ".join(cards_in(view.zones, zone))
    return Text.assemble((f"{text:<7}", "bold"), sentence.format(zone=words.zones[zone], cards=cards))


def _row(scene: Scene) -> RenderableType:
    view: SplititView = scene.view
    words = SPLITIT[scene.language]
    if not any(cards_in(view.zones, zone) for zone in ZONES):
        return Text.assemble((words.row, "dim"), (_spaced(view.row), "bold"))
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_row(*(Text.assemble(ZONE_MARKS[zone], f" {words.zones[zone]}") for zone in ZONES))
    grid.add_row(*(Text(_spaced(cards_in(view.zones, zone)) or "-", "bold") for zone in ZONES))
    return grid


def _spaced(cards: Cards) -> str:
    return "  ".join(cards)


def _columns(scene: Scene) -> RenderableType:
    view: SplititView = scene.view
    words = SPLITIT[scene.language]
    table = plain_table(words.columns, *(f"{number} " for number in NUMBERS))
    for seat, name in enumerate(scene.names):
        out = view.phase == "bet" and seat not in view.inside
        table.add_row(
            Text(words.out.format(name=name) if out else name), *(_column(view, seat, number) for number in NUMBERS)
        )
    legend = Text(words.legend, "dim")
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
    players = zip(scene.names, view.table, strict=True)
    waiting = ", ".join(f"{name} {player.waiting}" for name, player in players if player.waiting)
    return [Text(SPLITIT[scene.language].waiting.format(players=waiting))] if waiting else []
