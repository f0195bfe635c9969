"""Whole matches of *Split it!*: properties of every match, and the texts."""

import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splito_engine.errors import BadOption, UnknownMove
from splito_engine.game import LANGUAGES, Language
from splito_engine.games import splitit
from splito_engine.games.splitit import SplititOptions, SplititPlayer, SplititState
from splito_engine.games.splitit.move import ALL_MOVES
from splito_engine.match import play, start

MATCHES = {
    "players": st.integers(2, 4),
    "seed": st.integers(0, 10**9).map(str),
    "options": st.builds(SplititOptions, st.booleans()),
}


def random_match(players: int, seed: str, options: SplititOptions) -> Iterator[SplititState]:
    """Yield every state of a random match."""
    rng = Random(seed)
    state = splitit.setup(players, seed, options)
    yield state
    while seats := splitit.actors(state):
        state = splitit.apply(state, {seat: rng.choice(splitit.moves(state, seat)) for seat in seats})
        yield state


@pytest.mark.clause("I1", "I2", "I10")
@settings(max_examples=60)
@given(**MATCHES)
def test_every_match_ends_and_no_card_is_ever_lost(players: int, seed: str, options: SplititOptions) -> None:
    state = splitit.setup(players, seed, options)
    deck = Counter(splitit.pieces(state))
    for state in random_match(players, seed, options):
        assert Counter(splitit.pieces(state)) == deck
        assert splitit.actors(state) == tuple(sorted(splitit.actors(state)))
        assert all(splitit.moves(state, seat) for seat in splitit.actors(state))
        if state.zones != splitit.SplititZones():
            assert state.zones.white + state.zones.pink + state.zones.black == state.row
    assert state.phase == "over"
    assert not state.pile
    assert not state.row


@pytest.mark.clause("I9")
@settings(max_examples=40)
@given(**MATCHES)
def test_placed_jokers_never_move_and_lie_on_numbers(players: int, seed: str, options: SplititOptions) -> None:
    before = (SplititPlayer(),) * players
    for state in random_match(players, seed, options):
        for old, new in zip(before, state.table, strict=True):
            assert all(jokers >= placed for jokers, placed in zip(new.jokers, old.jokers, strict=True))
            assert all(numbers > 0 for numbers, jokers in zip(new.numbers, new.jokers, strict=True) if jokers)
            assert not new.waiting or not any(new.numbers) or state.phase == "place"
        before = state.table


@settings(max_examples=40)
@given(**MATCHES)
def test_the_view_hides_the_order_of_the_pile_and_nothing_else(
    players: int, seed: str, options: SplititOptions
) -> None:
    for state in random_match(players, seed, options):
        other = msgspec.structs.replace(state, pile=tuple(reversed(state.pile)))
        for seat in (None, *range(players)):
            view = splitit.view(state, seat)
            assert msgspec.json.encode(view) == msgspec.json.encode(splitit.view(other, seat))
            imagined = splitit.imagine(view, Random(seed))
            assert msgspec.structs.replace(imagined, pile=state.pile) == state
            assert Counter(imagined.pile) == Counter(state.pile)


def test_an_imagined_pile_is_in_any_order() -> None:
    view = splitit.view(splitit.setup(2, "seed", SplititOptions()), 0)
    assert len({splitit.imagine(view, Random(n)).pile for n in range(20)}) == 20


def test_spectators_see_what_seats_see() -> None:
    state = splitit.setup(3, "seed", SplititOptions())
    watched = splitit.view(state, None)
    assert watched.seat is None
    assert all(msgspec.structs.replace(splitit.view(state, s), seat=None) == watched for s in range(3))


@settings(max_examples=20)
@given(**MATCHES)
def test_states_views_and_moves_survive_the_wire(players: int, seed: str, options: SplititOptions) -> None:
    for state in random_match(players, seed, options):
        moves: list[Any] = [move for seat in range(players) for move in splitit.moves(state, seat)]
        for thing, kind in [
            (state, splitit.State),
            (splitit.view(state, 0), splitit.View),
            *((move, splitit.Move) for move in moves),
        ]:
            assert msgspec.json.decode(msgspec.json.encode(thing), type=kind) == thing


@settings(max_examples=40)
@given(**MATCHES)
def test_every_move_has_its_own_text(players: int, seed: str, options: SplititOptions) -> None:
    for state in random_match(players, seed, options):
        for seat in splitit.actors(state):
            texts = {splitit.move_text(move): move for move in splitit.moves(state, seat)}
            assert len(texts) == len(splitit.moves(state, seat))
            assert all(splitit.parse_move(text) == move for text, move in texts.items())


def test_moves_are_written_as_the_rules_of_records_say() -> None:
    texts = " ".join(map(splitit.move_text, ALL_MOVES))
    assert texts == (
        "1|2 0|1 1|3 2|3 1|4 2|4 3|4 1|5 2|5 3|5 4|5 1|6 2|6 3|6 4|6 5|6 "
        "1|7 2|7 3|7 4|7 5|7 6|7 1|8 2|8 3|8 4|8 5|8 6|8 7|8 "
        "-white -pink -black white pink black "
        "J1 J2 J3 J4 J5 J6 J7 J8 J9 J10"
    )


@pytest.mark.parametrize(
    "text", ["", " pink", "Pink", "green", "--pink", "2|", "5|2", "0|2", "02|5", "8|9", "J0", "J11", "J", "8"]
)
def test_a_text_that_is_not_a_move_is_refused(text: str) -> None:
    with pytest.raises(UnknownMove):
        splitit.parse_move(text)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_match_replays_from_its_seed_and_the_texts_of_its_moves(players: int) -> None:
    rng = Random(players)
    match = start(splitit, players, "replay", {"remove_at_every_split": True})
    again = match
    while not match.over:
        match = play(match, {seat: rng.choice(splitit.moves(match.state, seat)) for seat in match.actors})
        texts = map(splitit.move_text, match.turns[-1].moves.values())
        again = play(again, dict(zip(again.actors, map(splitit.parse_move, texts), strict=True)))
    assert again == match


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(BadOption):
        start(splitit, 2, "seed", {"remove_at_every_splitt": True})


# The texts


@pytest.mark.clause("I10", "I11")
@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=15)
@given(**MATCHES)
def test_the_explanation_adds_up_to_the_scores(
    language: Language, players: int, seed: str, options: SplititOptions
) -> None:
    for state in random_match(players, seed, options):
        explained = splitit.explain(state, language)
        points = Counter[str]()
        for section in explained.sections:
            assert section.points == sum(reason.points for reason in section.reasons)
            points.update({reason.about: reason.points for reason in section.reasons})
        scores = splitit.scores(state)
        assert [(points[f"seat {seat}"]) for seat in range(players)] == [score[0] for score in scores]
        for total, (sum_, columns) in zip(explained.totals, scores, strict=True):
            assert re.match(rf"\w+ \d\W{{1,2}} (.* = )?{sum_}, {columns or '[a-z]+'} ", total)


TABLE = (
    SplititPlayer(numbers=(0, 1, 0, 0, 2, 0, 0, 2, 0, 0), jokers=(0, 0, 0, 0, 0, 0, 0, 1, 0, 0)),
    SplititPlayer(numbers=(0, 1, 0, 0, 1, 0, 0, 1, 0, 0)),
    SplititPlayer(waiting=2),
)

SENTENCES: dict[Language, list[str]] = {
    "en": [
        "Seat 0 has 3 cards, one of them a joker: the most, so it scores 8 points.",
        "Seat 1 has 1 card: fewer than the most (3), so it scores no points.",
        "Seat 1 has 1 card: tied for the most, and all who are tied score 2 points.",
        "Nobody has a card of this number: nobody scores it.",
        "Seat 0: 8 + 5 + 2 = 15, 3 columns",
        "Seat 2: 0, no columns (2 jokers without a column count for nothing)",
    ],
    "fr": [
        "La place 0 a 3 cartes, dont un joker : c'est le maximum, elle marque 8 points.",
        "La place 1 a 1 carte : moins que le maximum (3), elle ne marque rien.",
        "La place 1 a 1 carte : c'est le maximum à égalité, et chaque ex æquo marque 2 points.",
        "Personne n'a de carte de ce numéro : il ne rapporte rien.",
        "Place 0\u00a0: 8 + 5 + 2 = 15, 3 colonnes",
        "Place 2\u00a0: 0, aucune colonne (2 jokers sans colonne ne comptent pas)",
    ],
    "de": [
        "Platz 0 hat 3 Karten, davon ein Joker; das sind die meisten: 8 Punkte.",
        "Platz 1 hat 1 Karte; die Höchstzahl ist 3: keine Punkte.",
        "Platz 1 hat 1 Karte; Gleichstand an der Spitze: 2 Punkte für alle Beteiligten.",
        "Niemand hat eine Karte mit dieser Zahl: Niemand punktet.",
        "Platz 0: 8 + 5 + 2 = 15, 3 Spalten",
        "Platz 2: 0, keine Spalten (2 Joker ohne Spalte zählen nicht)",
    ],
}


@pytest.mark.clause("I12")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_explanation_is_in_the_chosen_language(language: Language) -> None:
    state = msgspec.structs.replace(splitit.setup(3, "seed", SplititOptions()), table=TABLE)
    explained = splitit.explain(state, language)
    texts = [reason.text for section in explained.sections for reason in section.reasons] + list(explained.totals)
    assert set(SENTENCES[language]) <= set(texts)
    assert [section.points for section in explained.sections] == [0, 4, 0, 0, 5, 0, 0, 8, 0, 0]


TIE_BREAKS: dict[Language, list[str]] = {
    "en": ["ahead with the most columns", "behind with fewer columns"],
    "fr": ["devant avec le plus de colonnes", "derrière avec moins de colonnes"],
    "de": ["mit den meisten Spalten vorn", "mit weniger Spalten dahinter"],
}


@pytest.mark.clause("I11")
@pytest.mark.parametrize("language", LANGUAGES)
def test_totals_say_when_the_most_columns_decided(language: Language) -> None:
    """Seat 0 scores 3 + 1, seat 1 scores 4; seat 2 scores nothing."""
    table = (
        SplititPlayer(numbers=(1, 0, 1, *[0] * 7)),
        SplititPlayer(numbers=(0, 0, 0, 1, *[0] * 6)),
        SplititPlayer(),
    )
    state = msgspec.structs.replace(splitit.setup(3, "seed", SplititOptions()), table=table)
    first, second, third = splitit.explain(state, language).totals
    ahead, behind = TIE_BREAKS[language]
    assert first.endswith(ahead)
    assert second.endswith(behind)
    assert ";" not in third


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_have_every_clause_in_every_language(language: Language) -> None:
    text = splitit.rulebook(language)
    assert text.startswith("# Split it!\n")
    assert re.findall(r"^\*\*(I\d+)\*\* \S", text, re.MULTILINE) == [f"I{n}" for n in range(1, 13)]
