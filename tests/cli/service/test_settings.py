"""`splito settings`: what can be set, and what is."""

import json

import pytest

from splito_service.settings import TABLE, variable
from tests.cli.conftest import Splito


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    for field in TABLE:
        monkeypatch.delenv(variable(field), raising=False)


def test_all_settings_are_listed_with_their_meanings(splito: Splito) -> None:
    run = splito("settings")
    assert run.code == 0
    words = " ".join(run.out.split())
    assert all(f"{variable(field)} " in words for field in TABLE)
    assert "SPLITO_REDIS_URL none (default)" in words


def test_json_has_values_and_defaults(splito: Splito, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLITO_DURABILITY", "always")
    run = splito("settings", "--json")
    assert run.code == 0
    assert {line["name"]: line for line in json.loads(run.out)}["SPLITO_DURABILITY"] == {
        "name": "SPLITO_DURABILITY",
        "value": "always",
        "default": "everysec",
        "meaning": TABLE["durability"].meaning,
    }


@pytest.mark.parametrize("words", [["settings"], ["settings", "--json"]])
def test_a_password_is_never_shown(words: list[str], splito: Splito, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLITO_REDIS_URL", "redis://me:secret@h:6379")
    run = splito(*words)
    assert (run.code, "secret" in run.out) == (0, False)
    assert "redis://me:***@h" in run.out


@pytest.mark.parametrize(("name", "value"), [("SPLITO_COLOUR", "red"), ("SPLITO_DURABILITY", "never")])
def test_an_error_is_printed_in_one_line(
    name: str, value: str, splito: Splito, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    run = splito("settings")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith("splito: bad-setting: ")
    assert name in run.err


def test_help_has_examples(splito: Splito) -> None:
    assert "splito settings" in splito("settings", "--help").out.partition("Examples:")[2]
