"""How the games look: readable without colour, and with it."""

from itertools import islice

import pytest
from rich.console import Console

from splito_cli.terminal.show import Scene, find_show
from splito_engine.game import AnyGame
from splito_engine.games import splitit, splito, splitter
from splito_engine.match import Match, legal_moves, play, start
from tests.cli.conftest import Splito

SPLITO: AnyGame = splito
SPLITIT: AnyGame = splitit
SPLITTER: AnyGame = splitter


def drawn(match: Match, seat: int = 0, names: tuple[str, ...] = ("you", "ann", "bob"), extra: str | None = None) -> str:
    """The table or an extra, 80 columns wide, as lines without trailing blanks."""
    scene = Scene(match.game.view(match.state, seat), match.scores, match.over, names, "en")
    show = find_show(match.game.INFO.id)
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(show.EXTRAS[extra].draw(scene) if extra else show.table(scene))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def played(game: AnyGame, players: int, turns: int, choice: int = 0) -> Match:
    """Return a match after that many turns, in which every seat takes the same number of its moves."""
    match = start(game, players, "7")
    for _ in range(turns):
        match = play(match, {seat: legal_moves(match, seat)[choice] for seat in match.actors})
    return match


def test_a_new_splitter_sheet_is_drawn_with_its_free_cells() -> None:
    picture = """
    1  2  3  4  │ 5  6  7  8
  a       ·  ·  │ ·  ·
  b    ·  ·  ·  │ ·  ·  ·
  c ·  ·  ·  ·  │ ·  ·  ·  ·
  d ·★ ·  ·  ·  │ ·  ·  ·  ·★
  e ·  ·  ·  ·  │ ·  ·  ·  ·
  f    ·  ·  ·  │ ·  ·  ·
  g       ·  ·  │ ·  ·
"""
    assert picture in drawn(start(SPLITTER, 1, "7"), names=("you",))


def test_the_sheets_command_draws_the_sheets_of_all_players() -> None:
    sheets = drawn(played(SPLITTER, 3, 2), extra="sheets")
    assert all(name in sheets for name in ("you", "ann", "bob"))
    assert sheets.count("★") == 6


def test_a_splito_zone_is_named_after_the_two_players_who_share_it() -> None:
    table = drawn(played(SPLITO, 3, 1))
    assert "Your left zone, shared with bob  zone 2, 1 card" in table
    assert "Your right zone, shared with ann  zone 0, 1 card" in table
    assert "Between ann and bob  zone 1, 1 card" in table


def test_two_splito_players_share_no_zone() -> None:
    table = drawn(start(SPLITO, 2, "7"), names=("you", "ann"))
    assert "Your left zone  zone 0" in table
    assert "ann, right zone  zone 3" in table
    assert "round 1 of 26" in table


def test_the_hands_that_the_person_has_held_are_shown() -> None:
    before, after = (drawn(played(SPLITO, 3, turns), extra="hands") for turns in (0, 1))
    assert before.count("cards you have not seen") == 2
    assert after.count("cards you have not seen") == 1


def test_a_splito_card_has_a_letter_and_the_symbol_of_its_pattern(splito: Splito) -> None:
    out = splito("play", "splito", "--seed", "7", "--bots", "random", typed="hands\nquit\n").out
    assert "\x1b" not in out
    cards = [word for word in out.split() if len(word) == 3 and word[0] in "rbykgo" and word[1].isdigit()]
    symbols = dict(zip("rbykgo", "≡≈☼▚♣⁙", strict=True))
    assert cards
    assert all(card[2] == symbols[card[0]] for card in cards)


def test_splitit_zones_have_names_and_marks() -> None:
    table = drawn(played(SPLITIT, 3, 1))
    assert "□ white" in table
    assert "▒ pink" in table
    assert "■ black" in table


def test_split_it_columns_show_jokers_and_the_player_with_most_cards() -> None:
    last = played(SPLITIT, 3, 0)
    tables: list[str] = []
    for choice in islice((0, 1) * 60, 60):
        if last.over:
            break
        moves = {seat: legal_moves(last, seat) for seat in last.actors}
        last = play(last, {seat: options[(seat + choice) % len(options)] for seat, options in moves.items()})
        tables.append(drawn(last))
    assert any("*" in table.partition("columns")[2].partition("J joker")[0] for table in tables)
    assert "Points  you" in tables[-1] or not last.over


def test_no_drawn_line_is_wider_than_a_terminal(splito: Splito) -> None:
    for game, players in (("splito", "8"), ("splitit", "4"), ("splitter", "12")):
        typed = "1\n" * 6 + "hands\nsheets\n?\nwhy\nquit\n"
        out = splito("play", game, "--players", players, "--bots", "random", "--seed", "7", typed=typed).out
        assert max(map(len, out.splitlines())) <= 80


def test_a_game_without_its_own_drawing_shows_its_view_as_text(splito: Splito) -> None:
    out = splito("play", "highest", "--bots", "random", "--seed", "7", typed="?\nquit\n").out
    assert '"hand": [' in out
    assert "by its number in the list" not in out


@pytest.mark.parametrize(
    ("environment", "coloured", "styled"),
    [({}, False, False), ({"FORCE_COLOR": "1"}, True, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, True)],
)
def test_colour_is_used_only_on_a_terminal_that_allows_it(
    environment: dict[str, str], coloured: bool, styled: bool, process: Splito
) -> None:
    words = ("play", "splito", "--seed", "7", "--bots", "random")
    run = process(*words, typed="quit\n", TERM="xterm-256color", **environment)
    assert run.code == 0
    assert ("\x1b[1;37;41m" in run.out) is coloured  # bold white on red
    assert ("\x1b[1m" in run.out) is styled
    assert "≡" in run.out
