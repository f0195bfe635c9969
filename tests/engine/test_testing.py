"""The conformance kit accepts every registered game and finds every broken promise."""

from collections.abc import Callable, Mapping
from random import Random
from types import SimpleNamespace
from typing import Any

import highest
import msgspec
import pytest

from splito_engine.errors import IllegalMove
from splito_engine.game import AnyGame, CardText, Game, GameInfo, Language
from splito_engine.registry import games
from splito_engine.testing import Unfit, check_game

_: Game[highest.Options, highest.State, highest.Move, highest.View] = highest


@pytest.mark.parametrize("game_id", games())
def test_every_registered_game_passes_the_conformance_kit(game_id: str) -> None:
    assert check_game(games()[game_id], seeds=1) > 0


def test_a_game_of_a_third_party_is_found_by_its_entry_point() -> None:
    assert games()["highest"] is highest


class TwoFaced(highest.View, frozen=True):
    """A view that shows spectators a card of seat 0."""

    leak: int | None = None


def leaky(state: highest.State, seat: int | None) -> TwoFaced:
    view = highest.view(state, seat)
    card = state.hands[0][0] if seat is None and state.hands[0] else None
    return TwoFaced(view.seat, view.players, view.hand, view.tricks, card)


def endless(state: highest.State, moves: Mapping[int, highest.Move]) -> highest.State:
    highest.apply(state, moves)
    return state


def forgetful(state: highest.State, moves: Mapping[int, highest.Move]) -> highest.State:
    after = highest.apply(state, moves)
    return msgspec.structs.replace(after, tricks=after.tricks[1:])


def first_come(state: highest.State, moves: Mapping[int, highest.Move]) -> highest.State:
    after = highest.apply(state, moves)
    return msgspec.structs.replace(after, tricks=(*state.tricks, tuple(move.card for move in moves.values())))


def lenient(state: highest.State, moves: Mapping[int, highest.Move]) -> highest.State:
    legal = {seat: highest.moves(state, seat)[0] for seat in highest.actors(state)}
    return highest.apply(state, {seat: moves.get(seat, legal[seat]) for seat in legal})


def unimaginative(view: highest.View, _: Random) -> highest.State:
    return highest.imagine(view, Random(0))


def careless(view: highest.View, rng: Random) -> highest.State:
    return highest.imagine(msgspec.structs.replace(view, seat=None), rng)


def moody(players: int, seed: str, options: highest.Options) -> highest.State:
    return highest.setup(players, f"{seed}{next(MOODS)}", options)


MOODS = iter(range(10**9))


def jumping(state: highest.State, seat: int) -> tuple[highest.Move, ...]:
    """The legal moves follow a card that the seat cannot see."""
    moves = highest.moves(state, seat)
    return moves[::-1] if moves and max(map(max, state.hands)) % 2 else moves


def double(state: highest.State, seat: int) -> tuple[highest.Move, ...]:
    return highest.moves(state, seat) * 2


def stuck(state: highest.State, seat: int) -> tuple[highest.Move, ...]:
    return highest.moves(state, seat) if seat else ()


def half_said(text: str) -> highest.Move:
    return highest.Move(int(text) // 2 * 2)


def crashing(state: highest.State, moves: Mapping[int, highest.Move]) -> highest.State:
    if len(moves) < len(state.hands):
        raise KeyError(0)
    return highest.apply(state, moves)


def any_number(players: int, seed: str, options: highest.Options) -> highest.State:
    return highest.setup(min(max(players, 2), 6), seed, options)


def short_scores(state: highest.State) -> tuple[tuple[int, ...], ...]:
    return highest.scores(state)[1:]


def wrapping(state: highest.State, seat: int | None) -> highest.View:
    return highest.view(state, None if seat is None else seat % len(state.hands))


def refusing(state: highest.State, moves: Mapping[int, highest.Move]) -> highest.State:
    if len({*highest.actors(state)} ^ {*moves}) == 1:
        raise IllegalMove("no")
    return highest.apply(state, moves)


class Loose(msgspec.Struct, frozen=True):
    """Options that accept unknown fields."""


class Dealt(highest.Options, frozen=True):
    deals: int = 1


class DealtThrice(highest.Options, frozen=True):
    deals: int = 3


class Fickle(Dealt, frozen=True):
    """Options that change the values they are made with."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "deals", 3)


def short_listed(language: Language) -> tuple[CardText, ...]:
    return highest.cards(language)[1:]


def twice_listed(language: Language) -> tuple[CardText, ...]:
    return highest.cards(language) * 2


def english_only(language: Language) -> tuple[CardText, ...]:
    return highest.cards(language) if language == "en" else ()


def wordless(language: Language) -> tuple[CardText, ...]:
    return (*highest.cards(language)[1:], CardText("1", " "))


def reshuffled(language: Language) -> tuple[CardText, ...]:
    cards = highest.cards(language)
    return cards[::-1] if next(MOODS) % 2 else cards


def shared_by_two(_: highest.State) -> dict[tuple[int, int], int]:
    return {(0, 1): 1}


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "never ends": ({"apply": endless}, "not over after"),
    "loses cards": ({"apply": forgetful}, "not conserved"),
    "order of sealing matters": ({"apply": first_come}, "order of moves matters"),
    "plays for a seat that did not": ({"apply": lenient}, "a missing move is not refused"),
    "crashes where it should refuse": ({"apply": crashing}, "refused with KeyError"),
    "refuses with the wrong class": ({"apply": refusing}, "refused with IllegalMove"),
    "spectators see a hand": ({"view": leaky, "View": TwoFaced}, "spectators see something"),
    "a negative seat counts from the end": ({"view": wrapping}, "a view of seat -1 is not refused"),
    "imagines always the same": ({"imagine": unimaginative}, "does not vary"),
    "imagines another hand": ({"imagine": careless}, "does not keep the view"),
    "another deal for the same seed": ({"setup": moody}, "another deal"),
    "any number of players": ({"setup": any_number}, "one player too few is not refused"),
    "moves betray a hidden card": ({"moves": jumping}, "depend on what its view hides"),
    "moves twice": ({"moves": double}, "duplicates"),
    "no legal move": ({"moves": stuck}, "none although it acts"),
    "short form loses a bit": ({"parse_move": half_said}, "short form"),
    "scores without a seat": ({"scores": short_scores}, "one tuple per seat"),
    "unknown options are fine": ({"Options": Loose}, "an unknown option is not refused"),
    "unknown open options are fine": ({"OpenOptions": Loose}, "an unknown open option is not refused"),
    "an open option that is none": ({"OpenOptions": Dealt}, "no field like 'deals'"),
    "an open option of another default": ({"Options": Dealt, "OpenOptions": DealtThrice}, "no field like 'deals'"),
    "open options become others": ({"Options": Dealt, "OpenOptions": Fickle}, "does not become"),
    "no titles": ({"INFO": GameInfo("highest", "1.0", {}, 2, 6)}, "a title is missing"),
    "rules for a number that cannot play": (
        {"INFO": GameInfo("highest", "1.0", highest.INFO.titles, 2, 6, (1,))},
        "`reconstructed_players` has a number",
    ),
    "no rulebook": ({"rulebook": lambda _language: " "}, "rulebook in 'en' is empty"),  # pyright: ignore[reportUnknownLambdaType]
    "a card is not listed": ({"cards": short_listed}, "not list all `pieces`"),
    "a card is listed twice": ({"cards": twice_listed}, "a card twice"),
    "cards in English only": ({"cards": english_only}, "differ from language to language"),
    "a card without a text": ({"cards": wordless}, "without a text"),
    "cards in any order": ({"cards": reshuffled}, "changes from call to call"),
    "two of three neighbours share": ({"shared": shared_by_two}, "some neighbours but not all"),
    "upper-case id": ({"INFO": GameInfo("Highest", "1.0", highest.INFO.titles, 2, 6)}, "lower-case"),
}


def broken(changes: Mapping[str, Any]) -> AnyGame:
    names: dict[str, Callable[..., object]] = {**vars(highest), **changes}
    game: Any = SimpleNamespace(**names)
    return game


@pytest.mark.parametrize("fault", BROKEN)
def test_the_conformance_kit_finds_and_names_a_broken_rule(fault: str) -> None:
    changes, complaint = BROKEN[fault]
    with pytest.raises(Unfit, match=complaint):
        check_game(broken(changes), max_turns=100)


def test_the_error_names_players_seed_and_turn() -> None:
    with pytest.raises(Unfit, match=r"highest, 2 players, seed 'check-0': turn 0: "):
        check_game(broken({"moves": double}))
