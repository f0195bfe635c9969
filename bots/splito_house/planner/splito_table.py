"""A view of Splito as the planner reads it: what lies in each zone, and what may still come there.

Hands go to the left, so it is known which seats a hand will still pass, and that all of it will be played. A card that
has so many rounds to go is as likely to be played in each of them, to either side: that is where the rates come from.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

import msgspec

from splito_engine.game import Seat
from splito_engine.games.splito.dealing import HAND
from splito_engine.games.splito.deck import STANDARD, Card, Objective, find_deck
from splito_engine.games.splito.objectives import Cards, Different, Each, Exactly, Most, Need
from splito_engine.games.splito.state import SplitoView
from splito_house.planner.splito_odds import Zone

Places: TypeAlias = tuple[tuple[int, int], ...]
"""The left and the right zone of each seat."""


class Pile(msgspec.Struct, frozen=True):
    """All cards of a deck, and what they are."""

    cards: Counter[Card]
    objectives: dict[Card, Objective]
    looks_at: dict[Card, str]
    """The signs that matter to an Objective."""
    kinds: dict[str, str]
    """The signs that are `colours`, and those that are `values`."""
    signs: str


@lru_cache(maxsize=64)
def pile_of(deck_id: str) -> Pile:
    deck = find_deck(deck_id)
    kinds = {
        "colours": "".join(colour.letter for colour in deck.file.colours),
        "values": "".join(map(str, range(1, deck.file.values + 1))),
    }
    objectives = {objective.id: objective for objective in deck.objectives.values()}
    return Pile(
        cards=Counter(deck.names[code] for code in deck.cards),
        objectives=objectives,
        looks_at={card: _looks_at(objective.need, kinds) for card, objective in objectives.items()},
        kinds=kinds,
        signs="".join(kinds.values()),
    )


def _looks_at(need: Need, kinds: dict[str, str]) -> str:
    match need:
        case Most(of=sign) | Exactly(of=sign):
            return sign
        case Each(of=signs):
            return "".join(signs)
        case Different(of=kind):
            return kinds[kind]
        case Cards():
            return ""


pile_of(STANDARD)


class Held(msgspec.Struct, frozen=True):
    """Cards that are still held, and the chance of each to land in each of the zones by random play."""

    cards: Sequence[Card]
    landing: Sequence[float]


class Table(msgspec.Struct, frozen=True):
    """The match as it looks to a seat that is about to play a card."""

    seat: Seat
    places: Places
    rounds: int
    """How many are left after this one."""
    pile: Pile
    zones: list[Zone]
    objectives: list[list[Objective]]
    """Per zone, those that it can meet by itself."""
    stakes: dict[str, list[int]]
    """What having most of a sign pays in each zone, commons included; no entry for a sign that pays nowhere."""
    held: list[Held]
    """By somebody, perhaps; the own hand as it is passed on."""
    passing: Sequence[float]
    """The landing of a card that this seat passes on."""
    banked: list[int]
    """The points of each seat from finished deals."""


def read(view: SplitoView, seat: Seat) -> Table:
    pile, places = pile_of(view.options.deck), tuple([(place.left, place.right) for place in view.seats])
    rounds = (2 * HAND if view.players == 2 else HAND) - view.rounds_played - 1
    landings = [landing(places, other, hand.hand_size, other == seat) for other, hand in enumerate(view.seats)]
    held = _held(view, pile, landings)
    return Table(
        seat=seat,
        places=places,
        rounds=rounds,
        pile=pile,
        zones=_zones(view, pile, held, [rounds * len(owners) + len(owners - {seat}) for owners in _owners(places)]),
        objectives=[_objectives(zone, pile) for zone in view.zones],
        stakes=_stakes(view, pile),
        held=held,
        passing=landings[seat],
        banked=[sum(deal.scores[other][0] for deal in view.finished) for other in range(view.players)],
    )


@lru_cache(maxsize=4096)
def landing(places: Places, seat: Seat, size: int, passed: bool) -> Sequence[float]:
    """Where a card of this seat's hand ends: its chance per zone. `passed`: the card is not played now."""
    chances = [0.0] * (1 + max(chain(*places)))
    for turn in range(passed, size):
        for zone in places[(seat - turn) % len(places)]:
            chances[zone] += 0.5 / (size - passed)
    return chances


def _held(view: SplitoView, pile: Pile, landings: list[Sequence[float]]) -> list[Held]:
    """The hands that are known, and all cards that nobody has shown as one more."""
    known = [Held(seat.hand, where) for seat, where in zip(view.seats, landings, strict=True) if seat.hand is not None]
    shown = Counter([*view.commons, *chain(*view.zones), *chain(*[hand.cards for hand in known])])
    unseen = list((pile.cards - shown).elements())
    dealt = [0.0] * len(view.zones)
    for seat, where in zip(view.seats, landings, strict=True):
        if seat.hand is None:
            dealt = [number + seat.hand_size * share for number, share in zip(dealt, where, strict=True)]
    if view.players == 2 and view.rounds_played < HAND:
        dealt = [number + HAND / 2 for number in dealt]
    return [*known, Held(unseen, [number / max(1, len(unseen)) for number in dealt])]


def _zones(view: SplitoView, pile: Pile, held: list[Held], plays: list[int]) -> list[Zone]:
    zones = [
        Zone(pile.kinds, _count(zone, pile), dict.fromkeys(pile.signs, 0.0), len(zone), number)
        for zone, number in zip(view.zones, plays, strict=True)
    ]
    for hand in held:
        counts = _count(hand.cards, pile)
        for zone, share in zip(zones, hand.landing, strict=True):
            if share:
                zone.rates = {sign: rate + share * counts[sign] for sign, rate in zone.rates.items()}
    return zones


def _owners(places: Places) -> list[set[Seat]]:
    """Who plays into each of the zones."""
    return [{seat for seat, zones in enumerate(places) if zone in zones} for zone in range(max(chain(*places)) + 1)]


def _count(cards: Sequence[Card], pile: Pile) -> dict[str, int]:
    """Of each sign: the name of a Splito card is its two signs."""
    signs = "".join([card for card in cards if card not in pile.objectives])
    return {sign: signs.count(sign) for sign in pile.signs}


def _objectives(zone: Sequence[Card], pile: Pile) -> list[Objective]:
    found = [pile.objectives[card] for card in zone if card in pile.objectives]
    return [objective for objective in found if not isinstance(objective.need, Most)]


def _stakes(view: SplitoView, pile: Pile) -> dict[str, list[int]]:
    stakes: dict[str, list[int]] = {}
    for number, zone in enumerate(view.zones):
        for card in (*view.commons, *zone):
            objective = pile.objectives.get(card)
            if objective and isinstance(objective.need, Most):
                stakes.setdefault(objective.need.of, [0] * len(view.zones))[number] += objective.points
    return stakes
