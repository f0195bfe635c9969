"""The program as a whole: lists, help, rules, and one clear line for everything that can be wrong."""

from importlib.metadata import version
from pathlib import Path

import pytest

from splito_arena.bots.find import bot_names
from splito_cli.arguments import read_pairs
from splito_engine.errors import BadOption
from splito_engine.registry import games
from tests.cli.conftest import Splito

COMMANDS = ("play", "simulate", "match", "rules", "verify", "serve", "settings", "games", "bots")


def test_games_are_listed(splito: Splito) -> None:
    run = splito("games")
    assert run.code == 0
    for game_id, game in games().items():
        line = next(line for line in run.out.splitlines() if line.startswith(f"{game_id} "))
        assert game.INFO.titles["en"] in line
        assert f"{game.INFO.min_players}-{game.INFO.max_players}" in line
        assert ("the rules for 2 players" in line) == (game_id == "splito")


def test_bots_are_listed(splito: Splito) -> None:
    run = splito("bots")
    assert run.code == 0
    assert all(name in run.out for name in bot_names())
    assert "chooses each legal move with the same chance" in run.out


def test_a_broken_plugin_is_listed_and_the_others_work(process: Splito, tmp_path: Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[splito.bots]\nbroken = no_such_module:choose\n")
    run = process("bots", PYTHONPATH=str(tmp_path))
    assert run.code == 0
    assert "broken" in run.out
    assert "bad-bot" in run.out
    assert "random" in run.out


def test_version_prints_the_version_of_the_distribution(splito: Splito) -> None:
    assert splito("--version") == (0, version("splito-arena") + "\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str, splito: Splito) -> None:
    run = splito(command, "--help")
    assert run.code == 0
    assert f"splito {command}" in run.out.partition("Examples:")[2]


def test_help_lists_all_commands(splito: Splito) -> None:
    assert all(f" {command} " in splito("--help").out for command in COMMANDS)
    assert splito().code == 0


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_rules_are_markdown_in_a_pipe(game: str, language: str, splito: Splito) -> None:
    run = splito("rules", game, "--lang", language)
    assert (run.code, run.out) == (0, games()[game].rulebook(language))  # pyright: ignore[reportArgumentType]


def test_rules_are_laid_out_on_a_terminal_unless_raw(splito: Splito, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = games()["splitter"].rulebook("en")
    splito("games")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert splito("rules", "splitter", "--raw").out == raw
    laid_out = splito("rules", "splitter").out
    assert "\x1b[" in laid_out
    assert "**T1**" not in laid_out


WRONG = [
    ("play chess", "unknown-game", "splito games"),
    ("rules chess", "unknown-game", "splito games"),
    ("simulate chess", "unknown-game", "splito games"),
    ("play splitter --bots nobody", "bad-bot", "splito bots"),
    ("simulate splitter --bots nobody", "bad-bot", "splito bots"),
    ("play splitter --players 1 --bots random", "bad-bot", "splito bots"),
    ("play splitter --option colour=red", "bad-option", "(options of splitter: sheet)"),
    ("play splitter --option sheet=C", "bad-option", "sheet"),
    ("play splitter --option sheet", "bad-option", "as in deals=3"),
    ("play splitter --option sheet=A --option sheet=B", "bad-option", "twice"),
    ("play splitter --seat 1", "bad-option", "the seats are 0 to 0"),
    ("play splitter --players 13", "wrong-players", "--players"),
    ("play splitter --seed é", "bad-option", "a seed is"),
    ("play splitter --record no/such/folder/x.json", "bad-option", "a folder that exists"),
    ("play splitter --lang es", "usage", "--help"),
    ("play splitter --players many", "usage", "--help"),
    ("play splitter --colour red", "usage", "--help"),
    ("play", "usage", "--help"),
    ("chess", "usage", "--help"),
    ("verify", "usage", "--help"),
    ("simulate splitter --bots random --deals 0", "bad-option", "at least 1"),
    ("simulate splitter --bots random --jobs 0", "bad-option", "at least 1"),
    ("simulate splitter --bots random --deals 1 --records /dev/null/x", "unwritable", "another place"),
]


@pytest.mark.parametrize(("words", "code", "advice"), WRONG)
def test_an_error_is_printed_in_one_line(words: str, code: str, advice: str, splito: Splito) -> None:
    run = splito(*words.split(), typed="1\n")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"splito: {code}: ")
    assert run.err.count("\n") == 1
    assert advice in run.err


def test_the_exit_code_of_the_process_is_the_code_of_the_command(process: Splito) -> None:
    run = process("play", "chess")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)


def test_a_terminal_without_our_symbols_gets_question_marks(process: Splito) -> None:
    run = process("play", "splitter", typed="quit\n", PYTHONIOENCODING="ascii")
    assert run.code == 0
    assert "?" in run.out


def test_options_are_json_scalars_or_texts() -> None:
    pairs = ("deals=3", "talk=true", "deck=my deck.toml", 'name="3"', "ratio=0.5", "none=null", "list=[1]", "empty=")
    assert read_pairs(pairs) == {
        "deals": 3,
        "talk": True,
        "deck": "my deck.toml",
        "name": "3",
        "ratio": 0.5,
        "none": None,
        "list": "[1]",
        "empty": "",
    }


def test_an_option_needs_a_name() -> None:
    with pytest.raises(BadOption):
        read_pairs(["=3"])
