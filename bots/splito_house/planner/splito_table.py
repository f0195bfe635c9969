"""A view of Splito as the planner reads it: the cards in each zone, and the cards that may still come there.

Hands go to the left and are played completely, so the seats that a hand will still pass are known. A card of a hand is
assumed to be played with the same chance in each remaining round and to either side; this gives the rates.
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
    """The cards of a deck, its Objectives and its signs."""

    cards: Counter[Card]
    objectives: dict[Card, Objective]
    looks_at: dict[Card, str]
    """The signs that each Objective counts."""
    kinds: dict[str, str]
    """The signs of the `colours` and of the `values`."""
    signs: str


@lru_cache(maxsize=64)
def pile_of(deck_id: str) -> Pile:
    """Return the pile of a deck."""
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
    """Cards of a hand, and the chance of each to be played into each zone by random play."""

    cards: Sequence[Card]
    landing: Sequence[float]


class Table(msgspec.Struct, frozen=True):
    """The match as a seat sees it before it plays a card."""

    seat: Seat
    places: Places
    rounds: int
    """Rounds left after this one."""
    pile: Pile
    zones: list[Zone]
    objectives: list[list[Objective]]
    """Per zone its Objectives, without majorities."""
    stakes: dict[str, list[int]]
    """Points that a majority of a sign pays in each zone, commons included; no entry for a sign that pays nowhere."""
    held: list[Held]
    """The known hands, and all cards that have not been shown as one more; the bot's own hand as it is passed on."""
    passing: Sequence[float]
    """Chance per zone of a card that this seat passes on."""
    banked: list[int]
    """The points of each seat from finished deals."""


def read(view: SplitoView, seat: Seat) -> Table:
    """Return the table of a view."""
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
    """Return the chance per zone that a card of this seat's hand is played there; if `passed`, not in this round."""
    chances = [0.0] * (1 + max(chain(*places)))
    for turn in range(passed, size):
        for zone in places[(seat - turn) % len(places)]:
            chances[zone] += 0.5 / (size - passed)
    return chances


def _held(view: SplitoView, pile: Pile, landings: list[Sequence[float]]) -> list[Held]:
    """Return the known hands, and all cards that have not been shown as one more hand."""
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
    """Return the seats that play into each zone."""
    return [{seat for seat, zones in enumerate(places) if zone in zones} for zone in range(max(chain(*places)) + 1)]


def _count(cards: Sequence[Card], pile: Pile) -> dict[str, int]:
    """Return the cards of each sign; the name of a Splito card is its two signs."""
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
