"""`splito verify`: what it says of good records, of changed ones and of files that are none."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from tests.cli.conftest import Splito


def test_verify_accepts_an_unchanged_record(splito: Splito, record: Path) -> None:
    run = splito("verify", str(record))
    assert run.code == 0
    assert run.out.count("✓ verified") == 4
    assert "Splitter  ·  rules 1.0  ·  1 player" in run.out
    assert "★ you" in run.out


CHANGES = [
    ('"seed":"7"', '"seed":"8"', "bad-record", "digest"),
    ('"names":["you"]', '"names":["ann"]', "bad-record", "digest"),
    ('"version":"1.0"', '"version":"0.9"', "unknown-version", "version"),
    ('"format":1', '"format":2', "unknown-version", "format"),
    ('"game":"splitter"', '"game":"chess"', "unknown-game", "game"),
    ('"players":1', '"players":"1"', "bad-record", None),
]


@pytest.mark.parametrize(("old", "new", "code", "field"), CHANGES)
def test_a_changed_record_is_refused(  # noqa: PLR0913, PLR0917 (a row of the table and two fixtures)
    old: str, new: str, code: str, field: str | None, splito: Splito, record: Path
) -> None:
    text = record.read_text()
    assert text.count(old) == 1
    record.write_text(text.replace(old, new))
    run = splito("verify", str(record))
    assert run.code == 1
    assert f"✗ refused  {record}" in run.out.replace("\n", "")
    assert code in run.out
    (verdict,) = json.loads(splito("verify", str(record), "--json").out)
    assert (verdict["verified"], verdict["code"], verdict["field"]) == (False, code, field)


@pytest.mark.parametrize("content", [b"", b"not a record", b"\xff\xfe", b"[]", b"{}"])
def test_a_file_that_is_no_record_is_refused(content: bytes, splito: Splito, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    run = splito("verify", str(tmp_path / "x.json"))
    assert run.code == 1
    assert "bad-record" in run.out


def test_a_missing_file_or_a_folder_is_shown_as_unreadable(splito: Splito, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        run = splito("verify", str(path))
        assert run.code == 2
        assert "✗ unreadable" in run.out


def test_several_records_are_listed_in_one_table(splito: Splito, record: Path, tmp_path: Path) -> None:
    bad, missing = tmp_path / "bad.json", tmp_path / "missing.json"
    bad.write_text("{}")
    assert splito("verify", str(record), str(record)).code == 0
    assert splito("verify", str(record), str(missing)).code == 2
    run = splito("verify", str(record), str(bad), str(missing))
    assert run.code == 1
    assert [run.out.count(mark) for mark in ("✓ verified", "✗ refused", "✗ unreadable")] == [1, 1, 1]


def test_verify_prints_json(splito: Splito, record: Path, tmp_path: Path) -> None:
    run = splito("verify", "--json", str(record), str(tmp_path / "missing.json"))
    good, missing = json.loads(run.out)
    assert run.code == 2
    assert (good["verified"], good["game"], good["names"], good["turns"]) == (True, "splitter", ["you"], 22)
    assert good["winners"] == [0]
    assert (missing["verified"], missing["code"]) == (False, "unreadable")


MARKUP = ("[/nope]", "[red]x[/red]", "[link=x]y[/link]", ":smile:")
STEERING = "a\x1b[2J\x1b]0;title\x07\r\nb\u202ec\udcff.json"


@pytest.mark.parametrize("name", MARKUP)
def test_a_file_name_is_shown_as_it_is_and_not_as_markup(
    name: str, splito: Splito, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(record.parent)
    odd = Path(name)
    odd.parent.mkdir(parents=True, exist_ok=True)
    odd.write_bytes(record.read_bytes())
    for words in ((odd,), (odd, odd), ("missing", odd)):
        assert name in splito("verify", *map(str, words)).out


def test_control_characters_of_a_file_name_do_not_reach_the_terminal(splito: Splito, record: Path) -> None:
    odd = record.with_name(STEERING)
    odd.write_bytes(record.read_bytes())
    for words in ((str(odd),), (str(odd), str(odd)), (str(odd), f"{odd}x"), (f"{odd}x",)):
        run = splito("verify", *words)
        assert not {"\x1b", "\x07", "\r", "\u202e", "\udcff"} & {*run.out}
    assert json.loads(splito("verify", str(odd), "--json").out)[0]["verified"]


@pytest.fixture
def with_deck(process: Splito, tmp_path: Path) -> tuple[Path, Path]:
    """A record of a match that was played with a deck file, and the file."""
    deck = tmp_path / "mine.toml"
    deck.write_bytes(files("splito_engine.games.splito").joinpath("cards.toml").read_bytes() + b"\n# of my own\n")
    words = ("--option", f"deck={deck}", "--deals", "1", "--players", "2", "--records", "played")
    run = process("simulate", "splito", "--bots", "random", *words)
    assert run.code == 0, run.err
    return next((tmp_path / "played").iterdir()), deck


def test_verifying_a_record_opens_no_other_file(process: Splito, with_deck: tuple[Path, Path]) -> None:
    record, deck = with_deck
    run = process("verify", str(record), "--json")
    assert (run.code, json.loads(run.out)[0]["code"]) == (1, "bad-deck")
    assert "--deck" in json.loads(run.out)[0]["reason"]
    deck.unlink()
    assert process("verify", str(record), "--json").out == run.out, "nor does it say whether the file is there"


def test_a_given_deck_file_verifies_the_record_from_any_folder(process: Splito, with_deck: tuple[Path, Path]) -> None:
    record, deck = with_deck
    moved = deck.rename(deck.with_name("moved.toml"))
    assert process("verify", str(record), "--deck", str(moved)).code == 0
    moved.write_bytes(moved.read_bytes() + b"# changed\n")
    assert process("verify", str(record), "--deck", str(moved)).code == 1
    assert "bad-deck" in process("verify", str(record), "--deck", str(deck)).err
