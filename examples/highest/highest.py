"""Highest: each player has five of thirty cards; all play one at the same time, and the highest takes the trick.

This is a complete game for Splito Arena in one module. The entry point in `pyproject.toml` registers it, and
`splito_engine.testing.check_game` checks it, like any game of another author.
"""

from collections.abc import Mapping
from random import Random

import msgspec

from splito_engine.chance import shuffled
from splito_engine.errors import IllegalMove, UnknownMove, WrongPlayers
from splito_engine.game import CardText, Explanation, GameInfo, Language, Scores, Seat, check_actors, check_players
from splito_engine.game import all_as_they_are as to_wire
from splito_engine.game import as_is as from_wire
from splito_engine.game import silent as nudges

__all__ = ["from_wire", "nudges", "to_wire"]

INFO = GameInfo(
    id="highest",
    version="1.0",
    titles={"en": "Highest", "fr": "La plus haute", "de": "Die Höchste"},
    min_players=2,
    max_players=6,
)
HAND = 5
CARDS = range(1, 31)


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of the game; it has none."""


OpenOptions = Options


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    card: int


class State(msgspec.Struct, frozen=True):
    hands: tuple[tuple[int, ...], ...]
    tricks: tuple[tuple[int, ...], ...]
    """For each round, the card of each seat."""


class View(msgspec.Struct, frozen=True):
    seat: Seat | None
    players: int
    hand: tuple[int, ...]
    tricks: tuple[tuple[int, ...], ...]


def setup(players: int, seed: str, _: Options) -> State:
    check_players(INFO, players)
    cards = shuffled(CARDS, seed, "highest")
    hands = [cards[HAND * seat : HAND * (seat + 1)] for seat in range(players)]
    return State(tuple(tuple(sorted(hand)) for hand in hands), ())


def actors(state: State) -> tuple[Seat, ...]:
    return tuple(range(len(state.hands))) if state.hands[0] else ()


def moves(state: State, seat: Seat) -> tuple[Move, ...]:
    return tuple(map(Move, state.hands[seat])) if seat in actors(state) else ()


def apply(state: State, moves: Mapping[Seat, Move]) -> State:
    check_actors(actors(state), moves)
    for seat, move in moves.items():
        if move.card not in state.hands[seat]:
            raise IllegalMove(f"seat {seat} does not hold {move.card}", seat=seat, card=str(move.card))
    trick = tuple(moves[seat].card for seat in actors(state))
    hands = [tuple(card for card in hand if card not in trick) for hand in state.hands]
    return State(tuple(hands), (*state.tricks, trick))


def view(state: State, seat: Seat | None) -> View:
    players = len(state.hands)
    if seat is not None and not 0 <= seat < players:
        raise WrongPlayers(f"there is no seat {seat}", seat=seat)
    return View(seat, players, () if seat is None else state.hands[seat], state.tricks)


def imagine(view: View, rng: Random) -> State:
    shown = {*view.hand, *(card for trick in view.tricks for card in trick)}
    unseen = [card for card in CARDS if card not in shown]
    rng.shuffle(unseen)
    size = HAND - len(view.tricks)
    hands = [
        view.hand if seat == view.seat else tuple(sorted(unseen.pop() for _ in range(size)))
        for seat in range(view.players)
    ]
    return State(tuple(hands), view.tricks)


def scores(state: State) -> Scores:
    winners = [trick.index(max(trick)) for trick in state.tricks]
    return tuple((winners.count(seat),) for seat in range(len(state.hands)))


def pieces(state: State) -> list[str]:
    return [str(card) for pile in (*state.hands, *state.tricks) for card in pile]


def move_text(move: Move) -> str:
    return str(move.card)


def parse_move(text: str) -> Move:
    if not (text.isascii() and text.isdigit() and int(text) in CARDS):
        raise UnknownMove(f"{text!r} is not a card from 1 to 30", field="move")
    return Move(int(text))


TRICKS = {"en": "Seat {}: {} tricks", "fr": "Place {} : {} plis", "de": "Platz {}: {} Stiche"}
RULES = {
    "en": "# Highest\n\n**H1** Each player has 5 of 30 cards. All play one at once; the highest wins the trick.",
    "fr": "# La plus haute\n\n**H1** Cinq cartes sur trente. Chacun en joue une en même temps ; la plus haute gagne.",
    "de": "# Die Höchste\n\n**H1** Fünf von dreißig Karten. Alle spielen zugleich eine aus; die höchste sticht.",
}


def explain(state: State, language: Language) -> Explanation:
    lines = (TRICKS[language].format(seat, tricks) for seat, (tricks,) in enumerate(scores(state)))
    return Explanation(sections=(), totals=tuple(lines))


def rulebook(language: Language) -> str:
    return RULES[language]


def cards(_: Language) -> tuple[CardText, ...]:
    return tuple(CardText(str(card), str(card)) for card in CARDS)
