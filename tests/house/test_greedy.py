"""The bot `greedy`: plays every game legally, takes the best immediate score, and beats `random`."""

from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean

import pytest

from splito_arena.bots.direct import Bot, play_match
from splito_engine.game import AnyGame, Scores, Seat
from splito_engine.games import splitit, splito, splitter
from splito_engine.match import start
from splito_engine.player import Ask, ask
from splito_engine.registry import games
from splito_house import greedy, random

GREEDY, RANDOM = Bot("greedy", greedy.choose), Bot("random", random.choose)
OURS: list[AnyGame] = [splitit, splito, splitter]
GAMES = {game.INFO.id: game for game in (*OURS, *games().values())}


@pytest.fixture(autouse=True)
def all_games_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register all games, also in a checkout that is not installed."""
    monkeypatch.setattr("splito_engine.registry.games", lambda: GAMES)


def win_share(game: AnyGame, players: int, deals: int) -> float:
    """Return the share of wins of one `greedy` among `random`s, once in every seat of every deal.

    Equal bots would win 1 / players.
    """
    return fmean(_won(game, players, seat, f"greedy/{deal}") for deal in range(deals) for seat in range(players))


def _won(game: AnyGame, players: int, seat: int, seed: str) -> float:
    scores = play_match(game, [GREEDY if place == seat else RANDOM for place in range(players)], seed).scores
    return (scores[seat] == max(scores)) / scores.count(max(scores))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("more", [0, 2])
def test_greedy_plays_every_registered_game(game: AnyGame, more: int) -> None:
    players = min(game.INFO.min_players + more, game.INFO.max_players)
    assert play_match(game, [GREEDY] * players, "7").over


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_same_ask_gets_the_same_answer(game: AnyGame) -> None:
    match = start(game, game.INFO.max_players, "7")
    asked = ask(game, match.state, match.actors[0], match.players, "dice")
    assert len({repr(greedy.choose(asked)) for _ in range(3)}) == 1


@pytest.mark.parametrize("players", [2, 4, 8])
def test_greedy_beats_random_at_splito(players: int) -> None:
    assert win_share(splito, players, 40 // players) > 1.5 / players


def test_greedy_beats_random_at_splitter() -> None:
    assert win_share(splitter, 3, 5) > 0.6


class OneMove:
    """A small game in which only seat 0 acts, and only once; each move has its scores."""

    def __init__(self, outcomes: Mapping[str, Scores]) -> None:
        self.outcomes = outcomes

    def imagine(self, view: str, _: Random) -> str:
        return view

    def actors(self, state: str) -> tuple[Seat, ...]:
        return () if state else (0,)

    def moves(self, _: str, seat: Seat) -> Sequence[str]:
        assert seat == 0
        return list(self.outcomes)

    def from_wire(self, _: str, move: str) -> str:
        return move.lower()

    def apply(self, state: str, moves: Mapping[Seat, str]) -> str:
        return state + moves[0]

    def scores(self, state: str) -> Scores:
        return self.outcomes[state]


CHOICES: dict[str, tuple[dict[str, Scores], str]] = {
    "alone, the most points": ({"a": ((1,),), "b": ((3,),), "c": ((2,),)}, "B"),
    "the lead counts, not the points": ({"a": ((5,), (9,)), "b": ((1,), (0,))}, "B"),
    "the best rival counts, not all": ({"a": ((5,), (3,), (3,)), "b": ((5,), (4,), (0,))}, "A"),
    "tie-breakers decide at the same lead": ({"a": ((2, -9), (1, 0)), "b": ((3, -4), (2, 0))}, "B"),
}


@pytest.mark.parametrize(("outcomes", "best"), CHOICES.values(), ids=CHOICES)
def test_greedy_takes_the_best_outcome(outcomes: dict[str, Scores], best: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_engine.registry.games", lambda: {"toy": OneMove(outcomes)})
    moves = [move.upper() for move in outcomes]
    assert greedy.choose(Ask("toy", 0, len(outcomes["a"]), "", moves, "dice")) == best


def test_greedy_breaks_ties_by_the_seed_of_the_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_engine.registry.games", lambda: {"toy": OneMove({"a": ((1,),), "b": ((1,),)})})
    assert {greedy.choose(Ask("toy", 0, 1, "", ["A", "B"], str(seed))) for seed in range(20)} == {"A", "B"}
