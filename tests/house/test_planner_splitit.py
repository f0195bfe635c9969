"""The planner for *Split it!*: plays legally, takes obvious best moves, and beats `greedy`."""

from statistics import mean
from typing import Any

import msgspec
import pytest

from splito_engine.games import splitit
from splito_engine.games.splitit import (
    Card,
    SplititBet,
    SplititOptions,
    SplititPlace,
    SplititPlayer,
    SplititState,
    SplititZones,
)
from splito_engine.player import Choose, ask
from splito_house import greedy
from splito_house.planner.splitit import choose


def play(bots: list[Choose], seed: str, options: SplititOptions) -> tuple[list[int], list[Any]]:
    """Return the points of each seat and all moves of a match; `apply` refuses an illegal move."""
    state, played = splitit.setup(len(bots), seed, options), list[Any]()
    while seats := splitit.actors(state):
        asks = {seat: ask(splitit, state, seat, len(bots), f"{seed}/{len(played)}/{seat}") for seat in seats}
        played.append({seat: bots[seat](asks[seat]) for seat in seats})
        state = splitit.apply(state, played[-1])
    return [score[0] for score in splitit.scores(state)], played


def lead_of_the_planner(players: int, deals: int) -> float:
    """Return the mean lead of the planner over the others, with each deal played once from every seat."""
    leads: list[float] = []
    for deal in range(deals):
        for seat in range(players):
            bots = [choose if place == seat else greedy.choose for place in range(players)]
            points, _ = play(bots, f"planner {deal}", SplititOptions())
            leads.append(points.pop(seat) - mean(points))
    return mean(leads)


def decide(state: SplititState, seat: int) -> Any:
    return choose(ask(splitit, state, seat, state.players, "dice"))


def last_round(table: list[SplititPlayer], **changes: Any) -> SplititState:
    state = splitit.setup(len(table), "last", SplititOptions())
    return msgspec.structs.replace(state, pile=(), row=(), table=tuple(table), **changes)


def column(number: int, cards: int) -> tuple[int, ...]:
    return tuple(cards * (number == other) for other in range(1, 11))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    "options", [SplititOptions(), SplititOptions(remove_at_every_split=True)], ids=["once", "always"]
)
def test_the_planner_plays_the_same_match_for_the_same_seed(players: int, options: SplititOptions) -> None:
    assert play([choose] * players, "whole", options) == play([choose] * players, "whole", options)


@pytest.mark.parametrize(("players", "margin"), [(2, 3), (3, 4), (4, 2)])
def test_the_planner_beats_greedy_at_split_it(players: int, margin: int) -> None:
    assert lead_of_the_planner(players, deals=6) > margin


def test_the_planner_places_the_last_joker_where_it_scores() -> None:
    both = tuple(map(sum, zip(column(3, 1), column(9, 1), strict=True)))
    table = [SplititPlayer(numbers=both, waiting=1), SplititPlayer(numbers=column(9, 2))]
    assert decide(last_round(table, phase="place"), 0) == SplititPlace(9)


def test_the_planner_does_not_bet_on_a_worthless_zone() -> None:
    table = [SplititPlayer(), SplititPlayer(), SplititPlayer(numbers=column(8, 3))]
    zones: dict[str, tuple[Card, ...]] = {"white": ("8",), "pink": ("9", "9"), "black": ("8", "8")}
    state = last_round(table, phase="bet", zones=SplititZones(**zones))
    assert decide(state, 0) == decide(state, 1) == SplititBet("pink")
