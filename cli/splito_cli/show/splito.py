"""Splito: the commons, the zones with their owners, the hand with a number for each side.

A Splito card is written as on the wire with the symbol of its pattern, `r4≡`; an Objective with its text and diamonds.
"""

from collections.abc import Iterable, Mapping, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_cli.screen import counted, headline
from splito_cli.show.plain import closing
from splito_cli.show.scene import Extra, Scene, points_text, scores_line
from splito_engine.games.splito import INFO
from splito_engine.games.splito import View as SplitoView
from splito_engine.games.splito.deck import Card, Deck, find_deck

__all__ = ["EXTRAS", "closing", "move", "moves", "table"]

STYLES = {
    "red": "bold white on red",
    "blue": "bold white on blue",
    "yellow": "bold black on yellow",
    "black": "bold white on grey11",
    "green": "bold black on green",
    "orange": "bold black on dark_orange",
}
"""Colours of another deck are drawn in reverse."""


def table(scene: Scene) -> RenderableType:
    view: SplitoView = scene.view
    rounds = 26 if view.players == 2 else 13
    facts = [f"round {min(view.rounds_played + 1, rounds)} of {rounds}"]
    if view.options.deals > 1:
        facts.append(f"deal {view.deal + 1} of {view.options.deals}")
    order = sorted(range(len(view.zones)), key=lambda zone: (_side(view, zone) or "z", zone))
    return Group(
        headline(INFO.titles[scene.language], *facts),
        Text(),
        Text("Commons", "bold"),
        _objectives(scene, view.commons),
        *(_zone(scene, zone) for zone in order),
        Text(),
        *_earlier_deals(scene),
        scores_line(scene),
    )


def moves(scene: Scene, texts: Sequence[str]) -> RenderableType:
    """Each card between the numbers of its two moves: `1 < r4≡ > 2`."""
    view: SplitoView = scene.view
    deck = find_deck(view.options.deck)
    cards = {text[:-1]: number for number, text in reversed([*enumerate(texts, 1)])}
    numbers = dict(sorted(cards.items(), key=lambda item: item[1]))
    faces = [_between(deck, card, number) for card, number in numbers.items() if "-" not in card]
    goals = Table.grid(padding=(0, 2, 0, 0))
    for card, number in numbers.items():
        if "-" in card:
            goals.add_row(_between(deck, card, number), *_goal(scene, deck, card))
    held = view.seats[view.seat or 0].hand or ()
    twice = [card for card in numbers if held.count(card) > 1]
    note = [Text(f"Twice in your hand: {', '.join(twice)}", "dim")] if twice else []
    return Group(Text("Your hand", "bold"), Columns(faces, padding=(0, 2)), goals, *note)


def move(scene: Scene, text: str) -> Text:
    deck = find_deck(scene.view.options.deck)
    return Text.assemble(_card(deck, text[:-1]), " left" if text[-1] == "<" else " right")


def _hands(scene: Scene) -> RenderableType:
    view: SplitoView = scene.view
    deck = find_deck(view.options.deck)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, seat in zip(scene.names, view.seats, strict=True):
        unknown = Text(f"{seat.hand_size} cards you have not seen", "dim")
        grid.add_row(Text(name, "bold"), unknown if seat.hand is None else _row(deck, seat.hand))
    return Group(grid, Text("You know a hand once it has passed through yours.", "dim"))


EXTRAS: Mapping[str, Extra] = {"hands": Extra("the hands you know", _hands)}


def _zone(scene: Scene, zone: int) -> RenderableType:
    view: SplitoView = scene.view
    deck, cards = find_deck(view.options.deck), view.zones[zone]
    faces = [card for card in cards if "-" not in card]
    lines: list[RenderableType] = [_row(deck, sorted(faces))] if faces else []
    goals = [card for card in cards if "-" in card]
    if goals:
        lines.append(_objectives(scene, goals))
    title = Text.assemble((_owners(scene, zone), "bold"), (f"  zone {zone}, {counted(len(cards), 'card')}", "dim"))
    return Padding(Group(title, Padding(Group(*lines), (0, 0, 0, 2), expand=False)), (1, 0, 0, 0), expand=False)


def _earlier_deals(scene: Scene) -> list[Text]:
    view: SplitoView = scene.view
    return [
        Text.assemble((f"Deal {number}  ", "dim"), points_text(scene.names, deal.scores))
        for number, deal in enumerate(view.finished, 1)
    ]


def _side(view: SplitoView, zone: int) -> str | None:
    """Is this zone to the left or to the right of who looks?"""
    seat = view.seats[view.seat or 0]
    return "left" if zone == seat.left else "right" if zone == seat.right else None


def _owners(scene: Scene, zone: int) -> str:
    view: SplitoView = scene.view
    side = _side(view, zone)
    owners = [place for place, seat in enumerate(view.seats) if zone in {seat.left, seat.right}]
    others = [scene.names[place] for place in owners if place != (view.seat or 0)]
    if side:
        return f"Your {side} zone" + (f", shared with {others[0]}" if others else "")
    if len(others) == 1:
        return f"{others[0]}, {'left' if zone == view.seats[owners[0]].left else 'right'} zone"
    return f"Between {' and '.join(others)}"


def _objectives(scene: Scene, cards: Iterable[Card]) -> Table:
    deck = find_deck(scene.view.options.deck)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for card in cards:
        grid.add_row(Text(card, "bold"), *_goal(scene, deck, card))
    return grid


def _goal(scene: Scene, deck: Deck, card: Card) -> tuple[Text, Text]:
    points = next(objective.points for objective in deck.file.objectives if objective.id == card)
    return Text("◆" * points, "cyan"), Text(deck.text(card, scene.language))


def _row(deck: Deck, cards: Iterable[Card]) -> Text:
    return Text(" ").join(_card(deck, card) for card in cards)


def _between(deck: Deck, card: Card, number: int) -> Text:
    return Text.assemble((f"{number:>2} < ", "dim"), _card(deck, card), (f" > {number + 1:<2}", "dim"))


def _card(deck: Deck, card: Card) -> Text:
    colour = next((colour for colour in deck.file.colours if colour.letter == card[0] and "-" not in card), None)
    if colour is None:
        return Text(card, "bold")
    return Text(f"{card}{colour.symbol}", STYLES.get(colour.name, "bold reverse"))
