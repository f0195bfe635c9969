"""The play of Splitter: dice, mirrored cells, views, and bad moves."""

import random
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.chance import dice
from splito_engine.errors import GameError, IllegalMove, UnknownMove, WrongPlayers
from splito_engine.game import AnyGame, Game, read_options
from splito_engine.games import splitter
from splito_engine.games.splitter import SplitterMove, SplitterOptions, SplitterState, SplitterView
from splito_engine.games.splitter.sheets import PADS, SheetName, cell_name

GAME: Game[SplitterOptions, SplitterState, SplitterMove, SplitterView] = splitter
ANY_GAME: AnyGame = splitter

SHEETS: tuple[SheetName, ...] = ("A", "B")

BLANK = {
    "A": """
        . . _ _ _ _ . .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ _ _ _ _ _
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    "B": """
        _ _ _ . . _ _ _
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
}

a_seed = st.text("0123456789abcdef", min_size=1, max_size=8)
a_sheet = st.sampled_from(SHEETS)
a_move = st.builds(SplitterMove, st.integers(1, 7), st.integers(1, 4), st.integers(1, 6))


def rows(picture: str) -> tuple[str, ...]:
    return tuple(line.replace(" ", "") for line in picture.split("\n") if line.strip())


def opening(*rolls: tuple[int, int], sheet: SheetName = "A", players: int = 1) -> SplitterState:
    """Return a state with blank sheets in which only these rolls are left."""
    return SplitterState(SplitterOptions(sheet), rolls, ("".join(rows(BLANK[sheet])),) * players)


def write(state: SplitterState, *texts: str) -> SplitterState:
    """Return the state after these moves of a single player, in short form."""
    for text in texts:
        state = splitter.apply(state, {0: splitter.parse_move(text)})
    return state


def random_match(players: int, seed: str, sheet: SheetName) -> Iterator[SplitterState]:
    """Yield every state of a random match, from the first roll to the end."""
    rng = random.Random(seed)
    state = splitter.setup(players, seed, SplitterOptions(sheet))
    yield state
    while seats := splitter.actors(state):
        state = splitter.apply(state, {seat: rng.choice(splitter.moves(state, seat)) for seat in seats})
        yield state


@pytest.mark.clause("T1", "T2")
@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("players", range(1, 13))
def test_any_number_of_players_fills_its_sheets_in_22_rounds(players: int, sheet: SheetName) -> None:
    *_, before_last, last = states = list(random_match(players, f"{players}", sheet))
    assert len(states) == 1 + 22
    assert splitter.actors(before_last) == tuple(range(players))
    assert splitter.actors(last) == ()
    assert all(splitter.moves(last, seat) == () for seat in range(players))
    assert not any("_" in sheet for sheet in last.sheets)


@pytest.mark.parametrize("players", [-1, 0, 13])
def test_splitter_is_not_for_0_or_13_players(players: int) -> None:
    with pytest.raises(WrongPlayers) as caught:
        splitter.setup(players, "deal", SplitterOptions())
    assert caught.value.field == "players"


@pytest.mark.clause("T1")
def test_the_seed_fixes_two_dice_for_every_round_and_all_seats_share_them() -> None:
    one, twelve = (splitter.setup(players, "deal", SplitterOptions()) for players in (1, 12))
    assert [number for roll in one.rolls for number in roll] == dice(44, "deal", "splitter")
    assert one.rolls[:4] == ((5, 6), (4, 2), (3, 6), (4, 6))
    assert one.rolls == twelve.rolls


@pytest.mark.clause("T2", "T3")
@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_has_44_cells_in_22_mirrored_pairs(sheet: SheetName) -> None:
    pad = PADS[sheet]
    assert len(pad.cells) == 44
    assert len(pad.pairs) == 22
    assert sorted(cell for pair in pad.pairs.values() for cell in pair) == list(pad.cells)
    assert all(row == row[::-1] for row in rows(BLANK[sheet]))


@pytest.mark.clause("T3")
@pytest.mark.parametrize("sheet", SHEETS)
def test_a_match_begins_on_the_blank_sheet(sheet: SheetName) -> None:
    state = splitter.setup(2, "deal", SplitterOptions(sheet))
    assert splitter.view(state, 0).sheets == (rows(BLANK[sheet]),) * 2


@pytest.mark.clause("T3")
def test_stars_and_hearts_are_where_the_pads_have_them() -> None:
    special = {name: [cell_name(cell) for cell in (*sorted(pad.stars), *pad.hearts)] for name, pad in PADS.items()}
    assert special == {"A": ["d1", "d8"], "B": ["g2", "g7", "a7", "c2", "e5"]}


@pytest.mark.clause("T4")
@pytest.mark.parametrize(
    ("sheet", "cell", "around"),
    [("A", "d5", "c5 d4 d6 e5"), ("A", "a3", "a4 b3"), ("B", "a3", "a2 b3"), ("B", "b4", "b3 b5 c4")],
)
def test_neighbours_share_an_edge(sheet: SheetName, cell: str, around: str) -> None:
    named = {cell_name(one): " ".join(map(cell_name, near)) for one, near in PADS[sheet].neighbours.items()}
    assert named[cell] == around


@pytest.mark.clause("T1")
def test_both_numbers_are_written_in_mirrored_cells_and_either_may_go_left() -> None:
    state = write(opening((5, 2), (5, 2), (3, 6)), "c2=5", "d1=2", "a4=6")
    assert splitter.view(state, 0).sheets[0] == rows("""
        . . _ 6 3 _ . .
        . _ _ _ _ _ _ .
        _ 5 _ _ _ _ 2 _
        2 _ _ _ _ _ _ 5
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """)


@pytest.mark.clause("T1")
def test_all_players_write_on_their_own_sheets_at_the_same_time() -> None:
    state = splitter.apply(opening((4, 1), players=2), {1: SplitterMove(1, 3, 4), 0: SplitterMove(7, 3, 1)})
    assert [sheet[:8] + " " + sheet[-8:] for sheet in state.sheets] == ["..____.. ..1__4..", "..4__1.. ..____.."]


@pytest.mark.clause("T1")
def test_the_moves_are_all_free_pairs_in_reading_order_with_either_number_left() -> None:
    state = write(opening((1, 1), (5, 2)), "a4=1")
    texts = [splitter.move_text(move) for move in splitter.moves(state, 0)]
    assert len(texts) == 2 * 21
    assert texts[:6] == ["a3=5", "a3=2", "b2=5", "b2=2", "b3=5", "b3=2"]
    assert texts[-2:] == ["g4=5", "g4=2"]


@pytest.mark.clause("T1")
def test_a_double_gives_one_move_per_pair() -> None:
    texts = [splitter.move_text(move) for move in splitter.moves(opening((3, 3), sheet="B"), 0)]
    assert len(texts) == 22
    assert len(set(texts)) == 22
    assert write(opening((3, 3), sheet="B"), "g1=3").sheets[0][-8:] == "3__..__3"


@pytest.mark.clause("T1")
@given(a_seed, a_sheet, a_move, st.integers(0, 21))
def test_a_move_is_accepted_exactly_when_it_is_listed(
    seed: str, sheet: SheetName, move: SplitterMove, turn: int
) -> None:
    state = list(random_match(1, seed, sheet))[turn]
    if move in splitter.moves(state, 0):
        assert len(splitter.apply(state, {0: move}).rolls) == len(state.rolls) - 1
    else:
        with pytest.raises(IllegalMove):
            splitter.apply(state, {0: move})


GOOD = SplitterMove(3, 2, 5)
WRITTEN = SplitterMove(1, 4, 5)

BAD_INPUT: dict[str, tuple[dict[int, object], str, int]] = {
    "nobody moves": ({}, "missing-move", 0),
    "seat 1 does not move": ({0: GOOD}, "missing-move", 1),
    "a third seat moves": ({0: GOOD, 1: GOOD, 2: GOOD}, "not-your-turn", 2),
    "a seat below zero moves": ({0: GOOD, 1: GOOD, -1: GOOD}, "not-your-turn", -1),
    "a cell that is written": ({0: GOOD, 1: WRITTEN}, "illegal-move", 1),
    "a cell of the other sheet": ({0: SplitterMove(1, 1, 5), 1: GOOD}, "illegal-move", 0),
    "a number that was not rolled": ({0: GOOD, 1: SplitterMove(3, 2, 4)}, "illegal-move", 1),
    "row 9": ({0: GOOD, 1: SplitterMove(9, 2, 5)}, "unknown-move", 1),
    "row 0": ({0: SplitterMove(0, 2, 5), 1: GOOD}, "unknown-move", 0),
    "a cell on the right": ({0: GOOD, 1: SplitterMove(3, 7, 5)}, "unknown-move", 1),
    "a seven": ({0: GOOD, 1: SplitterMove(3, 2, 7)}, "unknown-move", 1),
    "True for one": ({0: GOOD, 1: msgspec.structs.replace(GOOD, row=True)}, "unknown-move", 1),
    "a text for a number": ({0: GOOD, 1: msgspec.structs.replace(GOOD, left="5")}, "unknown-move", 1),
    "no move at all": ({0: GOOD, 1: None}, "unknown-move", 1),
    "the short form": ({0: GOOD, 1: "c2=5"}, "unknown-move", 1),
    "the wire form": ({0: GOOD, 1: {"row": 3, "column": 2, "left": 5}}, "unknown-move", 1),
}


@pytest.mark.clause("T1")
@pytest.mark.parametrize("name", BAD_INPUT)
def test_a_bad_move_is_refused_with_its_seat_and_changes_nothing(name: str) -> None:
    moves, code, seat = BAD_INPUT[name]
    state = splitter.apply(opening((1, 6), (5, 2), players=2), dict.fromkeys((0, 1), SplitterMove(1, 4, 6)))
    before = msgspec.json.encode(state)
    with pytest.raises(GameError) as caught:
        ANY_GAME.apply(state, moves)
    assert (caught.value.code, caught.value.seat) == (code, seat)
    assert msgspec.json.encode(state) == before


def test_a_move_after_the_end_is_refused() -> None:
    state = write(opening((5, 2)), "c2=5")
    with pytest.raises(GameError) as caught:
        write(state, "c3=5")
    assert caught.value.code == "not-your-turn"


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_a_seat_that_does_not_exist_has_no_moves_and_no_view(seat: int) -> None:
    state = opening((5, 2), players=2)
    assert splitter.moves(state, seat) == ()
    with pytest.raises(WrongPlayers) as caught:
        splitter.view(state, seat)
    assert caught.value.seat == seat


@pytest.mark.parametrize("options", [{"sheet": "C"}, {"sheet": "a"}, {"sheet": None}, {"pad": "A"}])
def test_an_option_that_does_not_exist_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(GameError) as caught:
        read_options(splitter, options)
    assert caught.value.code == "bad-option"


@given(a_seed, a_sheet, st.integers(1, 4))
def test_the_rolls_to_come_are_hidden_and_nothing_else(seed: str, sheet: SheetName, players: int) -> None:
    for state in random_match(players, seed, sheet):
        other = msgspec.structs.replace(state, rolls=(*state.rolls[:1], *((6, 6) for _ in state.rolls[1:])))
        for seat in (None, *range(players)):
            assert msgspec.json.encode(splitter.view(state, seat)) == msgspec.json.encode(splitter.view(other, seat))
        view = splitter.view(state, None)
        assert view.roll == (state.rolls[0] if state.rolls else None)
        assert view.rounds_played == 22 - len(state.rolls)
        assert tuple(map("".join, view.sheets)) == state.sheets


@given(a_seed, a_sheet, st.integers(1, 4))
def test_an_imagined_state_looks_the_same_and_can_be_played_to_the_end(
    seed: str, sheet: SheetName, players: int
) -> None:
    for state in random_match(players, seed, sheet):
        view = splitter.view(state, players - 1)
        imagined = splitter.imagine(view, random.Random(seed))
        assert splitter.view(imagined, players - 1) == view
        assert len(imagined.rolls) == len(state.rolls)
        assert all(1 <= number <= 6 for roll in imagined.rolls for number in roll)


def test_two_imagined_states_have_other_rolls_to_come() -> None:
    view = splitter.view(splitter.setup(1, "deal", SplitterOptions()), 0)
    one, other = (splitter.imagine(view, random.Random(seed)) for seed in (1, 2))
    assert one.rolls[0] == other.rolls[0]
    assert one.rolls[1:] != other.rolls[1:]


@given(a_seed, a_sheet, st.integers(1, 12))
def test_no_number_is_lost_or_made_up(seed: str, sheet: SheetName, players: int) -> None:
    first, *later = [Counter(splitter.pieces(state)) for state in random_match(players, seed, sheet)]
    assert first.total() == 44 * players
    assert all(pieces == first for pieces in later)


@given(a_seed, a_sheet)
def test_states_and_views_survive_the_wire(seed: str, sheet: SheetName) -> None:
    for state in random_match(2, seed, sheet):
        assert msgspec.json.decode(msgspec.json.encode(state), type=SplitterState) == state
        view = splitter.view(state, 1)
        assert msgspec.json.decode(msgspec.json.encode(view), type=SplitterView) == view


@given(a_move)
def test_the_short_form_of_a_move_reads_back(move: SplitterMove) -> None:
    assert splitter.parse_move(splitter.move_text(move)) == move


def test_the_short_form_is_the_left_cell_and_its_number() -> None:
    assert splitter.move_text(SplitterMove(row=3, column=2, left=5)) == "c2=5"


@pytest.mark.parametrize(
    "text", ["", "c2", "c2=", "c2=7", "c5=1", "h1=1", "C2=5", " c2=5", "c2=5\n", "c2=\u0665", "c2=55"]
)
def test_a_text_that_is_not_a_move_is_refused(text: str) -> None:
    with pytest.raises(UnknownMove):
        splitter.parse_move(text)


def test_there_is_no_table_talk() -> None:
    assert splitter.nudges(opening((5, 2)), 0) == ()
