"""Secrets have one form in all commands: alone, with a URL, in a file, or in an environment variable."""

from pathlib import Path

import pytest

from splito_arena.errors import BadSecret
from splito_arena.net.signing import new_secret
from splito_cli.bot_secrets import VARIABLE, bare_secrets, read_secrets
from splito_engine.errors import BadOption, GameError

ONE, OTHER = "http://localhost:8001", "http://localhost:8002"
A, B = new_secret(), new_secret()
FORMS: dict[str, tuple[list[str], dict[str, str]]] = {
    "none": ([], {}),
    "for all": ([A], {ONE: A, OTHER: A}),
    "for one": ([f"{ONE}={A}"], {ONE: A}),
    "for each": ([f"{ONE}={A}", f"{OTHER}={B}"], {ONE: A, OTHER: B}),
    "one and the others": ([f"{ONE}={A}", B], {ONE: A, OTHER: B}),
    "with commas": ([f"{ONE}={A},{OTHER}={B}"], {ONE: A, OTHER: B}),
    "the newest first": ([f"{A},{B}"], {ONE: A, OTHER: A}),
}


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("way", ["command line", "file", "variable"])
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_has_the_same_form_everywhere(
    form: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, found = FORMS[form]
    if way == "variable":
        monkeypatch.setenv(VARIABLE, ",".join(given))
        given = []
    elif way == "file":
        (tmp_path / "secrets").write_text("# of my bots\n" + "\n".join(",".join(given).split(",")) + "\n")
        given = [f"@{tmp_path / 'secrets'}"]
    assert read_secrets(given, ["random", ONE, OTHER]) == found


WRONG = {
    "no secret": ("nonsense", "a secret is whsec_"),
    "of another bot": (f"http://h:1={A}", "names a URL that no bot here has"),
    "no file": ("@no-such-file", "cannot be read for secrets: FileNotFoundError"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_secret_is_refused_without_quoting_it(name: str) -> None:
    given, said = WRONG[name]
    with pytest.raises(GameError, match=said) as refused:
        read_secrets([given], [ONE])
    assert A not in refused.value.message


def test_a_short_secret_and_a_secret_for_a_function_are_refused() -> None:
    with pytest.raises(BadSecret, match="24 to 64 bytes"):
        read_secrets(["whsec_x"], [ONE])
    with pytest.raises(BadOption, match="nothing is sent to a function"):
        read_secrets([A], ["my_bot:choose"])


def test_a_bot_that_is_served_takes_secrets_without_a_url() -> None:
    assert bare_secrets([A, B]) == bare_secrets([f"{A},{B}"]) == [A, B]
    with pytest.raises(BadOption, match="has no URL yet"):
        bare_secrets([f"{ONE}={A}"])
