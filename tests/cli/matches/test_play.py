"""A person at the terminal: whole matches, help on the way, and every way to leave."""

import io
import sys
from pathlib import Path

import pytest

from splito_arena.bots.direct import house_bot
from splito_cli.main import main
from splito_engine.match import start
from splito_engine.record import commitment, verify
from splito_engine.registry import games
from tests.cli.conftest import Splito

ENOUGH = 600
"""More lines than any match asks for."""


@pytest.mark.parametrize("game", games())
def test_a_person_can_play_every_game_to_its_end(game: str, splito: Splito, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    typed = "1\n" * ENOUGH
    if game == "highest":  # its moves are numbers themselves
        typed = "\n".join(map(str, [*range(1, 31)] * 5))
    words = ("play", game, "--players", "3", "--bots", "random", "--seed", "7", "--record", str(path))
    run = splito(*words, typed=typed)
    assert (run.code, run.err) == (0, "")
    assert "The end" in run.out
    assert f"splito verify {path}" in run.out
    record, match = verify(path.read_bytes())
    assert record.names == ("you", "random", "random#2")
    assert f"{max(points for points, *_ in match.scores)}" in run.out


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_cards_and_explanations_follow_the_language(language: str, splito: Splito) -> None:
    run = splito("play", "splitter", "--seed", "7", "--lang", language, typed="1\n" * 22)
    assert {"en": "Seat 0, sheet A", "fr": "Place 0, fiche A", "de": "Platz 0, Blatt A"}[language] in run.out


def test_a_person_who_plays_splitter_alone_gets_a_title(splito: Splito) -> None:
    run = splito("play", "splitter", "--seed", "7", "--lang", "fr", typed="1\n" * 22)
    assert "Votre titre : vous avez perdu" in run.out


def test_the_commitment_comes_before_the_first_turn_and_can_be_checked(splito: Splito) -> None:
    out = splito("play", "splitter", "--seed", "7", typed="1\n" * 22).out
    proof = out.partition("is sha256 of splito/1/")[2].split()[0]
    salt, seed = proof.split("/")
    assert seed == "7"
    assert commitment(seed, salt) in out.partition("round 1 of 22")[0]


def test_a_move_can_be_typed_as_text_or_as_number(splito: Splito) -> None:
    by_number = splito("play", "splitter", "--seed", "7", typed="4\nquit\n").out
    text = by_number.partition("The dice")[2].partition("\n 1 ")[2].partition(" 4 ")[2].split()[0]
    by_text = splito("play", "splitter", "--seed", "7", typed=f"{text.upper()}\nquit\n").out
    drawn = [out.partition("round 2 of 22")[2].partition("Your move")[0] for out in (by_number, by_text)]
    assert drawn[0] == drawn[1] != ""


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("zz", "'zz' is not a move"),
        ("0", "there is no move 0: the list goes from 1 to"),
        ("999", "there is no move 999"),
        ("d1=9", "is not a move"),
        ("a1=1", "a1=1: sheet A has no such cell"),
        ("1 !play:left", "there is no table talk in this match"),
    ],
)
def test_bad_input_is_answered_with_the_reason(typed: str, answer: str, splito: Splito) -> None:
    run = splito("play", "splitter", "--seed", "7", typed=f"{typed}\nquit\n")
    assert run.code == 0
    assert f"✗ {answer}" in run.out or answer in run.out.partition("✗")[2]
    assert run.out.count("Your move") == 2


def test_an_illegal_move_is_answered_with_the_reason_of_the_rules(splito: Splito) -> None:
    run = splito("play", "splitter", "--seed", "7", typed="1\na3=1\na3=2\na3=3\na3=4\na3=5\na3=6\nquit\n")
    assert run.out.count("the cell is already written") == 6


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("?", "leave the match"),
        ("help", "leave the match"),
        ("why", "Seat 0, sheet A"),
        ("explain", "Seat 0, sheet A"),
        ("rules", "Stefan Nikolic"),
        ("talk", "There is no table talk in this match."),
        ("sheets", "you"),
        ("table", "round 1 of 22"),
        ("moves", "a3="),
        ("", "a3="),
    ],
)
def test_every_command_works_during_a_match(word: str, shown: str, splito: Splito) -> None:
    run = splito("play", "splitter", "--seed", "7", typed=f"{word}\nquit\n")
    asked, answered = run.out.split("Your move", 2)[1:]
    assert shown in asked
    assert run.out.count("Your move") == 2
    assert "You left the match" in answered


def test_a_hint_is_a_legal_move_of_the_best_house_bot(splito: Splito) -> None:
    name = house_bot(start(games()["splitter"], 1, "7")).name
    run = splito("play", "splitter", "--seed", "7", typed="hint\nquit\n")
    hint = run.out.partition(f"{name} would play ")[2].split()[0]
    follow = splito("play", "splitter", "--seed", "7", typed=f"{hint}\nquit\n")
    assert "round 2 of 22" in follow.out


@pytest.mark.parametrize("typed", ["quit\n", "exit\n", "QUIT\n", "", "1\n1\n"])
def test_the_command_quit_leaves_without_an_error(typed: str, splito: Splito, tmp_path: Path) -> None:
    run = splito("play", "splitter", "--record", str(tmp_path / "match.json"), typed=typed)
    assert (run.code, run.err) == (0, "")
    assert run.out.endswith("You left the match; nothing was recorded.\n")
    assert [*tmp_path.iterdir()] == []


def test_ctrl_c_leaves_without_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:  # noqa: ARG002 (as `input` calls it)
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert main(["play", "splitter"]) == 0
    assert "You left the match" in capsys.readouterr().out


def test_play_is_alone_if_the_game_allows_it_and_against_two_house_bots_otherwise(splito: Splito) -> None:
    """Alone where that is possible, otherwise three, against the best of the house."""
    assert "alone" in splito("play", "splitter", typed="quit\n").out
    out = splito("play", "splitit", "--seed", "7", typed="quit\n").out
    assert "(seat 1)" in out
    assert "(seat 2)" in out
    assert "(seat 3)" not in out


def test_the_seat_and_the_bots_can_be_chosen(splito: Splito) -> None:
    out = splito("play", "splitit", "--seat", "1", "--bots", "random,greedy,random", typed="quit\n").out
    assert "You are in seat 1; also at the table: random (seat 0), greedy (seat 2), random#2 (seat 3)." in " ".join(
        out.split()
    )


def test_a_bot_that_fails_ends_the_match_with_one_line(
    splito: Splito, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots_at_home.py").write_text("def rogue(ask):\n    return 'nonsense'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    run = splito("play", "splitter", "--bots", "bots_at_home:rogue", "--record", "match.json", typed="1\n")
    assert run.code == 2
    assert run.err.startswith("splito: bad-bot: bot 'bots_at_home:rogue' in seat 1, turn 0 answered 'nonsense'")
    assert not (tmp_path / "match.json").exists()
