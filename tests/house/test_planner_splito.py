"""The planner for Splito: plays legally with any number of players, plays the last card well, and beats `greedy`."""

from math import isclose
from pathlib import Path
from statistics import fmean

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.bots.direct import Bot, play_match
from splito_engine.game import AnyGame
from splito_engine.games import splito
from splito_engine.games.splito.deck import find_deck
from splito_engine.games.splito.move import SplitoMove
from splito_engine.games.splito.scoring import score_zones
from splito_engine.games.splito.state import SplitoOptions
from splito_engine.player import Ask, ask
from splito_house import greedy
from splito_house.planner import splito as planner
from splito_house.planner.splito_odds import Zone, chance, majority
from splito_house.planner.splito_table import landing, pile_of, read
from tests.conftest import QUICK
from tests.engine.games.splito_pictures import OWN_DECK, a_seed, a_table, over, random_match

PLANNER, GREEDY = Bot("planner", planner.choose), Bot("greedy", greedy.choose)
GAME: AnyGame = splito
PILE = pile_of("standard")


@pytest.mark.parametrize("players", range(2, 9))
def test_the_planner_plays_legal_matches_with_any_number_of_players(players: int) -> None:
    assert play_match(GAME, [PLANNER] * players, "7", {"deals": 2}).over


@pytest.mark.parametrize("players", [2, 3, 8])
def test_the_planner_plays_with_another_deck(players: int, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN_DECK.replace("values = 3", "values = 9"))
    options = {"deck": str(tmp_path / "own.toml")}
    assert play_match(GAME, [PLANNER] * players, "7", options).over


@pytest.mark.parametrize("rounds", [0, 6, 12])
def test_the_same_ask_gets_the_same_answer(rounds: int) -> None:
    asked = ask(GAME, list(random_match(4, "7"))[rounds], 2, 4, "dice")
    assert planner.choose(asked) == planner.choose(asked)


STRENGTH = [(2, 6, 0.8), (4, 10, 0.4), (6, 4, 0.3)]
"""Numbers of players and of deals, and the least share of wins of one planner."""


@pytest.mark.parametrize(("players", "deals", "at_least"), STRENGTH[:1] if QUICK else STRENGTH)
def test_the_planner_beats_greedy_at_splito(players: int, deals: int, at_least: float) -> None:
    """The planner sits once in every seat of each deal, among `greedy` bots. Equal bots would win 1 / players."""
    won = [_won(players, seat, f"planner/{deal}") for deal in range(deals) for seat in range(players)]
    assert fmean(won) > at_least


def _won(players: int, seat: int, seed: str) -> float:
    scores = play_match(GAME, [PLANNER if place == seat else GREEDY for place in range(players)], seed).scores
    return (scores[seat] == max(scores)) / scores.count(max(scores))


LAST_CARDS = {
    "a pair is completed": ("none-1 two-3 r3 | - | none-1", "g3", "right"),
    "what must not come does not": ("none-3 none-1 | - | none-1", "g3", "left"),
    "a common is taken": ("none-1 r6 | b6 | none-1", "g6", "right"),
    "a sure Objective goes to the weaker zone": ("none-1 none-2 none-3 | - | none-4", "none-5", "left"),
    "an Objective goes where it is met": ("none-1 r3 | - | none-1 r3 k3", "two-3", "left"),
    "a majority goes where it is held": ("none-1 r3 | - | none-1", "moon-red", "right"),
    "a rival's majority is broken": ("none-1 | b2 r2 star-2 | none-1 k2", "g2", "left"),
}
"""Zones, the own last card, and where it belongs."""


@pytest.mark.parametrize(("zones", "card", "side"), LAST_CARDS.values(), ids=LAST_CARDS)
def test_the_planner_plays_the_last_card_where_it_scores_most(zones: str, card: str, side: str) -> None:
    assert planner.choose(last_card(zones, card)).side == side


def last_card(zones: str, card: str) -> Ask:
    """Return the ask of seat 0 of three in the last round; its right zone is first in `zones`, its left third."""
    view = splito.view(splito.setup(3, "picture", SplitoOptions()), 0)
    hands = [(card,), ("trio-rby",), ("trio-kgo",)]
    seats = [msgspec.structs.replace(s, hand=hand, hand_size=1) for s, hand in zip(view.seats, hands, strict=True)]
    laid = splito.view(over(zones, "star-6 moon-orange"), None)
    view = msgspec.structs.replace(view, seats=tuple(seats), zones=laid.zones, commons=laid.commons, rounds_played=12)
    return Ask("splito", 0, 3, view, [SplitoMove(card, "left"), SplitoMove(card, "right")], "dice")


@given(a_table, st.integers(0, 7), st.integers(2, 13), st.booleans())
def test_the_chances_of_a_card_to_land_in_a_zone_add_up_to_1(players: int, seat: int, size: int, passed: bool) -> None:
    view = splito.view(splito.setup(players, "7", SplitoOptions()), None)
    places = tuple((seat.left, seat.right) for seat in view.seats)
    assert isclose(sum(landing(places, seat % players, size, passed)), 1)


@given(a_table, a_seed, st.integers(0, 12))
def test_the_expected_cards_of_all_zones_add_up_to_the_cards_in_hands(players: int, seed: str, rounds: int) -> None:
    state = list(random_match(players, seed))[rounds]
    table = read(splito.view(state, 0), 0)
    to_come = sum(sum(zone.rates.values()) for zone in table.zones) / 2
    objectives = sum(sum(held.landing) for held in table.held for card in held.cards if card in PILE.objectives)
    passed_on = len(state.hands[0] + state.doubles[0]) // 2
    others = sum(map(len, (*state.hands[1:], *state.doubles[1:]))) // 2
    second = 26 if players == 2 else 0
    assert isclose(to_come + objectives, others + second + (passed_on if passed_on > 1 else 0))


@given(a_table, a_seed)
def test_without_cards_to_come_every_chance_is_0_or_1(players: int, seed: str) -> None:
    *_, state = random_match(players, seed)
    scored = score_zones(find_deck("standard"), (), state.zones)
    counts = [{sign: zone.signs.count(sign) for sign in PILE.signs} for zone in scored]
    nothing = dict.fromkeys(PILE.signs, 0.0)
    most = {sign: majority([c[sign] for c in counts], [0.0] * len(counts), [1] * len(counts)) for sign in PILE.signs}
    for number, zone in enumerate(scored):
        seen = Zone(PILE.kinds, counts[number], nothing, zone.cards, 0)
        for card, objective in PILE.objectives.items():
            odds = chance(objective.need, seen, most[PILE.looks_at[card][:1] or "1"][number])
            assert round(odds, 1) == objective.need.met(zone, scored), card


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 3), st.booleans()), min_size=3, max_size=8))
def test_the_chances_of_a_majority_add_up_to_at_most_1(zones: list[tuple[int, float, bool]]) -> None:
    chances = majority(*map(list, zip(*zones, strict=True)))
    assert all(0 <= chance <= 1 for chance in chances)
    assert sum(chances) < 1 + 1e-9
