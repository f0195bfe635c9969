"""The terminal look of Splito: the commons, the zones with their owners, the hand with a number for each side.

A Splito card is written as on the wire with the symbol of its pattern, `r4≡`; an Objective with its text and diamonds.
"""

from collections.abc import Iterable, Mapping, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_cli.terminal.screen import headline
from splito_cli.terminal.show.plain import closing
from splito_cli.terminal.show.scene import Extra, Scene, points_text, scores_line
from splito_cli.terminal.show.words import SPLITO, SplitoWords
from splito_cli.terminal.words import CommandWords
from splito_engine.game import Seat
from splito_engine.games.splito import INFO
from splito_engine.games.splito import View as SplitoView
from splito_engine.games.splito.deck import Card, Deck, find_deck

__all__ = ["EXTRAS", "closing", "move", "moves", "nudge", "refusal", "table"]

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
    words, rounds = _words(scene), 26 if view.players == 2 else 13
    facts = [words.round.format(number=min(view.rounds_played + 1, rounds), last=rounds)]
    if view.options.deals > 1:
        facts.append(words.deal.format(number=view.deal + 1, last=view.options.deals))
    order = sorted(range(len(view.zones)), key=lambda zone: (_side(view, zone), zone))
    return Group(
        headline(INFO.titles[scene.language], *facts),
        Text(),
        Text(words.commons, "bold"),
        _objectives(scene, view.commons),
        *(_zone(scene, zone) for zone in order),
        Text(),
        *_earlier_deals(scene),
        scores_line(scene),
    )


def moves(scene: Scene, texts: Sequence[str]) -> RenderableType:
    """Draw each card of the hand between the numbers of its two moves: `1 < r4≡ > 2`."""
    view: SplitoView = scene.view
    words, deck = _words(scene), find_deck(view.options.deck)
    cards = {text[:-1]: number for number, text in reversed([*enumerate(texts, 1)])}
    numbers = dict(sorted(cards.items(), key=lambda item: item[1]))
    faces = [_between(deck, card, number) for card, number in numbers.items() if "-" not in card]
    goals = Table.grid(padding=(0, 2, 0, 0))
    for card, number in numbers.items():
        if "-" in card:
            goals.add_row(_between(deck, card, number), *_goal(scene, deck, card))
    held = view.seats[view.seat or 0].hand or ()
    twice = [card for card in numbers if held.count(card) > 1]
    note = [Text(words.twice.format(cards=", ".join(twice)), "dim")] if twice else []
    return Group(Text(words.hand, "bold"), Columns(faces, padding=(0, 2)), goals, *note)


def move(scene: Scene, text: str) -> Text:
    deck = find_deck(scene.view.options.deck)
    return Text.assemble(_card(deck, text[:-1]), " ", _words(scene).sides[text[-1] == ">"])


def refusal(scene: Scene, text: str) -> str | None:
    """Return why the move, as in `r4<`, is not legal: no such card, or a card of another hand."""
    words, card = _words(scene), text[:-1]
    missing = card not in find_deck(scene.view.options.deck).names
    return (words.no_card if missing else words.not_held).format(card=card)


def nudge(scene: Scene, seat: Seat, nudge: str) -> str:
    """Return a nudge as a sentence: `play:left` calls the left neighbour, `unmet:moon-red:2` names card and zone."""
    kind, *facts = nudge.split(":")
    if kind == "play":
        neighbour = (seat + (1 if facts == ["right"] else -1)) % len(scene.names)
        return _words(scene).come.format(name=scene.names[neighbour])
    card, zone = facts
    return _words(scene).unmet.format(card=card, zone=zone)


def _hands(scene: Scene) -> RenderableType:
    view: SplitoView = scene.view
    deck = find_deck(view.options.deck)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, seat in zip(scene.names, view.seats, strict=True):
        unknown = Text(_words(scene).unseen.format(count=seat.hand_size), "dim")
        grid.add_row(Text(name, "bold"), unknown if seat.hand is None else _row(deck, seat.hand))
    return Group(grid, Text(_words(scene).hands_note, "dim"))


EXTRAS: Mapping[str, Extra] = {
    "hands": Extra(
        {
            "en": CommandWords("hands", "the hands you know"),
            "fr": CommandWords("mains", "les mains que vous connaissez"),
            "de": CommandWords("hände", "die Hände, die du kennst"),
        },
        _hands,
    )
}


def _words(scene: Scene) -> SplitoWords:
    return SPLITO[scene.language]


def _zone(scene: Scene, zone: int) -> RenderableType:
    view: SplitoView = scene.view
    deck, cards = find_deck(view.options.deck), view.zones[zone]
    faces = [card for card in cards if "-" not in card]
    lines: list[RenderableType] = [_row(deck, sorted(faces))] if faces else []
    goals = [card for card in cards if "-" in card]
    if goals:
        lines.append(_objectives(scene, goals))
    size = _words(scene).zone[min(len(cards), 2)].format(zone=zone, count=len(cards))
    title = Text.assemble((_owners(scene, zone), "bold"), (f"  {size}", "dim"))
    return Padding(Group(title, Padding(Group(*lines), (0, 0, 0, 2), expand=False)), (1, 0, 0, 0), expand=False)


def _earlier_deals(scene: Scene) -> list[Text]:
    view: SplitoView = scene.view
    return [
        Text.assemble((_words(scene).earlier_deal.format(number=number), "dim"), points_text(scene.names, deal.scores))
        for number, deal in enumerate(view.finished, 1)
    ]


def _side(view: SplitoView, zone: int) -> int:
    """Return 0 for the left zone of the viewer, 1 for the right one, 2 for any other."""
    seat = view.seats[view.seat or 0]
    return 0 if zone == seat.left else 1 if zone == seat.right else 2


def _owners(scene: Scene, zone: int) -> str:
    view: SplitoView = scene.view
    words, side = _words(scene), _side(view, zone)
    owners = [place for place, seat in enumerate(view.seats) if zone in {seat.left, seat.right}]
    others = [scene.names[place] for place in owners if place != (view.seat or 0)]
    if side < len(words.own_zone):
        return words.shared_zone[side].format(name=others[0]) if others else words.own_zone[side]
    if len(others) == 1:
        return words.private_zone[zone != view.seats[owners[0]].left].format(name=others[0])
    return words.between.format(first=others[0], last=others[1])


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
