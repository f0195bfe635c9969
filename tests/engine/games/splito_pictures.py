"""Splito in pictures: hands and zones written as `r4 k2 moon-red`, for tests."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import msgspec
from hypothesis import strategies as st

from splito_engine.games import splito
from splito_engine.games.splito.deck import find_deck
from splito_engine.games.splito.state import SplitoOptions, SplitoState

PLAIN = SplitoOptions()
DECK = find_deck("standard")
ALL_CARDS = Counter(DECK.names[code] for code in DECK.cards)

OWN_DECK = """
name = "own"
values = 3
copies = 9
note = { en = "A note.", fr = "Une note.", de = "Eine Notiz." }
card = { en = "{colour} {value}", fr = "{value} {colour}", de = "{colour} {value}" }

[[colours]]
letter = "r"
name = "red"
pattern = "stripes"
symbol = "="
text = { en = "red", fr = "rouge", de = "rot" }

[[colours]]
letter = "o"
name = "orange"
pattern = "dots"
symbol = ":"
text = { en = "orange", fr = "orange", de = "orange" }

[[objectives]]
id = "blood-moon"
points = 1
need = { kind = "most", of = "r" }
text = { en = "blood moon", fr = "lune de sang", de = "Blutmond" }

[[objectives]]
id = "lone-star"
points = 1
need = { kind = "most", of = "1" }
text = { en = "lone star", fr = "étoile seule", de = "einsamer Stern" }

[[objectives]]
id = "one-red"
points = 2
need = { kind = "exactly", count = 1, of = "r" }
text = { en = "one red", fr = "une rouge", de = "eine rote" }

[[objectives]]
id = "mixed-bag"
points = 3
need = { kind = "each", of = ["o", "1", "2"] }
text = { en = "mixed bag", fr = "méli-mélo", de = "Allerlei" }

[[objectives]]
id = "some-cards"
points = 4
need = { kind = "cards", at_least = 3, at_most = 4 }
text = { en = "some cards", fr = "quelques cartes", de = "einige Karten" }
"""
"""A small deck with requirements that no card of the standard deck has."""

a_seed = st.text("0123456789abcdef", min_size=1, max_size=8)
a_table = st.integers(2, 8)


def random_match(players: int, seed: str, options: SplitoOptions = PLAIN) -> Iterator[SplitoState]:
    """Yield every state of a random match, from the deal to the end."""
    rng = Random(seed)
    state = splito.setup(players, seed, options)
    yield state
    while seats := splito.actors(state):
        state = splito.apply(state, {seat: rng.choice(splito.moves(state, seat)) for seat in seats})
        yield state


def holding(*hands: str, talk: bool = False) -> SplitoState:
    """Return a state in which the seats hold these cards and no card has been played."""
    view = splito.view(splito.setup(len(hands), "picture", SplitoOptions(talk=talk)), 0)
    held = [tuple(cards.split()) for cards in hands]
    seats = [msgspec.structs.replace(seat, hand=cards) for seat, cards in zip(view.seats, held, strict=True)]
    return splito.imagine(msgspec.structs.replace(view, seats=tuple(seats)), Random(0))


def over(zones: str, commons: str = "", players: int = 0, options: SplitoOptions = PLAIN) -> SplitoState:
    """Return a finished match with zones as in `r4 k2 moon-red | b1 | -`; by default with as many players as zones."""
    deck = find_deck(options.deck)
    laid = [bytes([deck.codes[card] for card in zone.split() if card != "-"]) for zone in zones.split("|")]
    empty = (b"",) * (players or len(laid))
    return SplitoState(options, tuple(deck.codes[card] for card in commons.split()), empty, empty, tuple(laid), (), ())


def reveal(state: SplitoState, *texts: str) -> SplitoState:
    """Return the state after one round with these moves in short form."""
    moves = {seat: splito.from_wire(state, splito.parse_move(text)) for seat, text in enumerate(texts)}
    return splito.apply(state, moves)


def hand(state: SplitoState, seat: int) -> list[str]:
    """Return the cards that the seat sees in its own hand."""
    return list(splito.view(state, seat).seats[seat].hand or ())


def zones(state: SplitoState) -> str:
    """Return the zones as the picture that `over` reads."""
    return " | ".join(" ".join(zone) or "-" for zone in splito.view(state, None).zones)
