"""The program `splito-bot`, run as its users do: words in, text and exit code out."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from splito_arena.match.question import read_answer
from splito_arena.net.signing import Key, new_secret, sign
from splito_bot.program import main
from tests.sdk.asks import question_of
from tests.sdk.signatures import PRIVATE, PUBLIC

BOT = "def choose(ask):\n    return ask.moves[-1]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_bot.py").write_text(BOT, "utf-8")
    return tmp_path


@contextmanager
def program(folder: Path, *words: str, **environment: str) -> Generator[subprocess.Popen[str]]:
    """Run the program of the SDK; it is stopped at the end if it has not ended by then."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    with subprocess.Popen(
        [sys.executable, "-m", "splito_bot", *words],
        cwd=folder,
        env={**clean, **environment},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            yield running
        finally:
            running.terminate()


def line(running: subprocess.Popen[str]) -> str:
    assert running.stderr is not None
    return running.stderr.readline()


def ending(running: subprocess.Popen[str], number: int) -> tuple[int, str]:
    """The exit code after a signal, and what is said to it."""
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    return running.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_runs_until_sigterm(folder: Path, number: int) -> None:
    with program(folder, "serve", "my_bot:choose", "--port", "0", "--name", "Owl") as running:
        said = line(running)
        assert said.startswith("splito-bot: Owl 1 plays splito, splitit, splitter at http://127.0.0.1:")
        assert "WARNING: without --secret, every program" in line(running)
        url = (re.findall(r"http://\S+\d", said) or [""])[0]
        question = question_of("splito")
        answer = httpx.post(f"{url}/ask", content=question.encoded(), headers={"Content-Type": "application/json"})
        assert read_answer(question, answer.content).move == question.ask.moves[-1]
        assert httpx.get(f"{url}/info").json()["name"] == "Owl"
        assert ending(running, number) == (0, "splito-bot: stopping\n")


def test_the_secret_may_come_from_the_environment(folder: Path) -> None:
    secrets = f"{new_secret()}, {new_secret()}"
    with program(folder, "serve", "my_bot", "--port", "0", SPLITO_BOT_SECRET=secrets) as running:
        url = (re.findall(r"http://\S+\d", line(running)) or [""])[0]
        assert httpx.get(f"{url}/info").status_code == 401
        code, said = ending(running, signal.SIGTERM)
        assert (code, said.splitlines()[-1]) == (0, "splito-bot: stopping")
        assert "refused GET /info from 127.0.0.1: 401 missing-header" in said


def test_a_bot_with_a_public_key_asks_for_ed25519_signatures(folder: Path) -> None:
    with program(folder, "serve", "my_bot", "--port", "0", "--public-key", PUBLIC, "--bot-id", "owl") as running:
        url = (re.findall(r"http://\S+\d", line(running)) or [""])[0]
        headers = sign(Key(new_secret(), ed25519=(PRIVATE.sign,), recipient="owl"), "msg_1", int(time.time()), b"")
        assert httpx.get(f"{url}/info", headers=headers).json()["ed25519"] is True


WRONG = {
    "serve no_such_bot": "'no_such_bot' cannot be imported: ModuleNotFoundError",
    "serve json:nothing": "json has no function 'nothing': name it as module:function",
    "serve json:dumps --secret abc": "write the secret as whsec_ and 24 to 64 bytes in base64",
    f"serve json:dumps --public-key {PUBLIC}": "--public-key needs the id of the bot",
    "serve json:dumps --bot-id owl --public-key abc": "write the public key as whpk_ and 32 bytes in base64",
    "serve json:dumps --concurrency 0": "INFO is wrong: Expected `int` >= 1 - at `$.concurrency`",
    "serve json:dumps --batch 65": "INFO is wrong: Expected `int` <= 64 - at `$.batch`",
    "serve json:dumps --host 203.0.113.1": "the bot cannot listen at this address",
    "serve json:dumps --port 70000": "there is no port 70000: the last one is 65535",
    "connect json:dumps --url localhost --bot b --key k": "it has no scheme. Next: write http://localhost",
    "connect json:dumps --url http://localhost --bot b": "you are not logged in at http://localhost. Next: log in with",
}


@pytest.mark.parametrize(("words", "said"), WRONG.items())
def test_an_error_is_printed_in_one_line(
    words: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SPLITO_BOT_SECRET", "SPLITO_BOT_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert main(words.split()) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert "Next: " in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["serve"], ["serve", "json:dumps", "--port", "x"], ["connect"]])
def test_wrong_arguments_print_the_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: splito-bot" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"], ["connect", "--help"]])
def test_every_command_has_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert "my_bot:choose" in capsys.readouterr().out
