"""Both distributions as people install them: built as wheels, in clean environments, used outside the repository."""

import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from splito_cli.extras import EXTRAS
from tests.arena.reports.dumps import dumped, head_of
from tests.arena.tournaments import ledger
from tests.deploy.installed import LIMIT, Environment, built, closure, environ, environment, pinned

MOST_MEGABYTES = 80
OURS = ("arena.py", "bots.py", "cli.py", "service.py", "engine/__init__.py", "splito.py")
"""Modules of an author that have names like parts of this project."""
MY_BOT = "def choose(ask):\n    return ask.moves[0]\n"


class Installed(NamedTuple):
    arena: Environment
    """splito-arena without extras."""
    sdk: Environment
    """splito-bot alone."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    wheels = built(folder)
    of_sdk = [name for name in closure(["splito-bot"]) if name != "splito-bot"]
    return Installed(
        environment(folder / "arena", [*wheels.values()], pinned("base.txt")),
        environment(folder / "sdk", [wheels["splito_bot"]], of_sdk),
    )


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder of a bot author whose modules have the names of ours; all but the bot fail when they are imported."""
    for name in OURS:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"raise RuntimeError('{name} of the author was imported')\n")
    (tmp_path / "my_bot.py").write_text(MY_BOT)
    return tmp_path


def test_the_base_install_is_small_and_has_no_package_of_an_extra(installed: Installed) -> None:
    assert installed.arena.megabytes < MOST_MEGABYTES
    names = {path.name for path in installed.arena.packages.iterdir()}
    assert names.isdisjoint(package for packages in EXTRAS.values() for package in packages)
    assert {path.name for path in installed.sdk.packages.iterdir() if path.name.startswith("splito")} == {
        "splito_bot",
        next(path.name for path in installed.sdk.packages.glob("splito_bot-*.dist-info")),
    }


AUTHOR = {
    "list the bots": ("splito bots", "planner"),
    "list the games": ("splito games", "splitter"),
    "read the rules": ("splito rules splitter", "# Splitter"),
    "play a match": ("splito match splitter my_bot:choose random --deals 2 --json", '"my_bot:choose"'),
    "simulate": ("splito simulate splitter --players 2 --bots my_bot:choose,random --deals 2", "my_bot:choose"),
    "check the bot": ("splito bot check my_bot:choose --quick", "✓"),
    "begin another bot": ("splito bot new owl", "owl"),
    "run it as a module": ("python -m splito_cli match splitter my_bot:choose random --deals 1 --json", "my_bot"),
    "see the commands": ("splito --help", "tournament"),
}


@pytest.mark.parametrize("name", AUTHOR)
def test_modules_of_an_author_disturb_no_command(name: str, installed: Installed, work: Path) -> None:
    words, printed = AUTHOR[name]
    done = installed.arena.run(*words.split(), cwd=work)
    assert done.code == 0, done.err
    assert printed in done.out
    assert "of the author was imported" not in done.out + done.err


def test_a_person_plays_with_typed_input(installed: Installed, work: Path) -> None:
    done = installed.arena.run(
        "splito", "play", "splitter", "--seed", "7", "--record", "match.json", cwd=work, typed="1\n" * 22
    )
    assert done.code == 0, done.err
    assert json.loads((work / "match.json").read_bytes())["game"] == "splitter"
    assert installed.arena.run("splito", "verify", "match.json", cwd=work).code == 0


def test_the_base_install_verifies_the_dump_of_a_tournament(installed: Installed, work: Path) -> None:
    entries = ledger()
    (work / "cup.ndjson").write_bytes(dumped(head_of(entries, "study"), entries))
    done = installed.arena.run("splito", "tournament", "verify", "cup.ndjson", cwd=work)
    assert (done.code, done.err) == (0, "")
    assert "every move was legal" in done.out
    assert "splito-arena[report]" in done.out


@pytest.mark.parametrize("words", ["serve", "worker", "keys list", "openapi", "settings"])
def test_a_command_without_its_extra_says_what_to_install(words: str, installed: Installed, work: Path) -> None:
    done = installed.arena.run("splito", *words.split(), cwd=work)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(
        r"splito: missing-extra: splito .* needs the extra `service`, and \w+ is not installed\. "
        r"Next: pip install 'splito-arena\[service\]'\.\n",
        done.err,
    )


def test_completion_is_installed_without_the_commands_of_extras(installed: Installed, tmp_path: Path) -> None:
    done = installed.arena.run("splito", "--install-completion", "--shell", "bash", cwd=tmp_path)
    assert done.code == 0, done.err
    [script] = tmp_path.rglob("completions/splito")
    assert "simulate" in script.read_text("utf-8")


@pytest.mark.parametrize(
    "words", [("splito-bot", "serve", "my_bot:choose", "--port", "0"), ("splito", "bot", "serve", "my_bot:choose")]
)
def test_a_bot_is_served_from_the_folder_of_its_author(
    words: tuple[str, ...], installed: Installed, work: Path
) -> None:
    of_sdk = words[0] == "splito-bot"
    place = installed.sdk if of_sdk else installed.arena
    command = [place.bin / words[0], *words[1:], *(() if of_sdk else ("--port", "0", "--json"))]
    with subprocess.Popen(
        command, cwd=work, env=environ(work), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            told = process.stderr if of_sdk else process.stdout
            assert told is not None
            url = re.search(r"http://127\.0\.0\.1:\d+", told.readline())
            assert url is not None
            info = httpx.get(f"{url[0]}/info").json()
        finally:
            process.terminate()
            process.wait(LIMIT)
    assert sorted(info["games"]) == ["splitit", "splito", "splitter"]


def test_the_smallest_program_of_the_sdk_plays_its_first_move(installed: Installed, work: Path) -> None:
    (work / "program.py").write_text(
        "from splito_bot import Bot, GAMES, load_bot\nbot = load_bot('my_bot')\nprint(bot.info.name, *GAMES)\n"
    )
    done = installed.sdk.run("python", "program.py", cwd=work)
    assert (done.code, done.out) == (0, "my_bot splito splitit splitter\n"), done.err
    assert installed.sdk.run("splito-bot", "--version", cwd=work).out.strip()
