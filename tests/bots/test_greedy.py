"""Greedy plays any game legally, takes what scores at once, and beats dice."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from arena.table import Bot, play_match
from bots import greedy, random
from engine.game import AnyGame
from engine.games import splitit, splito, splitter
from engine.match import start
from engine.player import Ask, ask
from engine.registry import games

GREEDY, RANDOM = Bot("greedy", greedy.choose), Bot("random", random.choose)
OURS: list[AnyGame] = [splitit, splito, splitter]
GAMES = {game.INFO.id: game for game in (*OURS, *games().values())}


@pytest.fixture(autouse=True)
def all_games_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a checkout that is not installed."""
    monkeypatch.setattr("engine.registry.games", lambda: GAMES)


def win_share(game: AnyGame, hero: Bot, rest: Bot, players: int, deals: int) -> float:
    """Of a hero who sits once in every seat of every deal."""
    return fmean(
        _won(game, hero, rest, players, seat, f"greedy/{deal}") for deal in range(deals) for seat in range(players)
    )


def _won(game: AnyGame, hero: Bot, rest: Bot, players: int, seat: int, seed: str) -> float:
    scores = play_match(game, [hero if place == seat else rest for place in range(players)], seed).scores
    return (scores[seat] == max(scores)) / scores.count(max(scores))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("crowd", ["fewest", "most"])
def test_greedy_plays_every_game_there_is(game: AnyGame, crowd: str) -> None:
    players = game.INFO.min_players if crowd == "fewest" else game.INFO.max_players
    assert play_match(game, [GREEDY] * players, "7").over


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_same_ask_gets_the_same_answer(game: AnyGame) -> None:
    match = start(game, game.INFO.max_players, "7")
    asked = ask(game, match.state, match.actors[0], match.players, "dice")
    assert len({repr(greedy.choose(asked)) for _ in range(3)}) == 1


@pytest.mark.parametrize("players", [2, 4, 8])
def test_greedy_beats_dice_at_splito(players: int) -> None:
    assert win_share(splito, GREEDY, RANDOM, players, 40 // players) > 1.5 / players


def test_greedy_beats_dice_at_splitter() -> None:
    assert win_share(splitter, GREEDY, RANDOM, 3, 10) > 0.6


CHOICES: dict[str, tuple[dict[str, tuple[tuple[int, ...], ...]], str]] = {
    "alone, the most points": ({"a": ((1,),), "b": ((3,),), "c": ((2,),)}, "b"),
    "the lead counts, not the points": ({"a": ((5,), (9,)), "b": ((1,), (0,))}, "b"),
    "the best rival counts, not all": ({"a": ((5,), (3,), (3,)), "b": ((5,), (4,), (0,))}, "a"),
    "tie-breakers decide at the same lead": ({"a": ((2, -9), (1, 0)), "b": ((3, -4), (2, 0))}, "b"),
}


def leads_to(outcomes: Mapping[str, tuple[tuple[int, ...], ...]]) -> Any:
    """A game of one move, in which only seat 0 acts: each move has its scores."""

    def moves(_: str, seat: int) -> Sequence[str]:
        assert seat == 0
        return tuple(outcomes)

    game = SimpleNamespace(
        imagine=lambda view, rng: view,  # noqa: ARG005 (the signature of `Game.imagine`)
        actors=lambda state: () if state else (0,),
        moves=moves,
        from_wire=lambda state, move: move.lower(),  # noqa: ARG005 (the signature of `Game.from_wire`)
        apply=lambda state, joint: state + joint[0],
        scores=lambda state: outcomes[state],
    )
    assert not isinstance(game, ModuleType)
    return game


@pytest.mark.parametrize(("outcomes", "best"), CHOICES.values(), ids=CHOICES)
def test_greedy_takes_the_best_outcome(
    outcomes: dict[str, tuple[tuple[int, ...], ...]], best: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.registry.games", lambda: {"toy": leads_to(outcomes)})
    moves = [move.upper() for move in outcomes]
    assert greedy.choose(Ask("toy", 0, len(outcomes["a"]), "", moves, "dice")) == best.upper()


def test_ties_are_broken_by_the_dice_of_the_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.registry.games", lambda: {"toy": leads_to({"a": ((1,),), "b": ((1,),)})})
    assert {greedy.choose(Ask("toy", 0, 1, "", ["A", "B"], str(seed))) for seed in range(20)} == {"A", "B"}
