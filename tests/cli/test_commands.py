"""The table of commands: what is imported when, summaries, missing extras, completion in a shell."""

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from inspect import getdoc
from pathlib import Path

import pytest

from splito_cli import extras
from splito_cli.commands import COMMANDS, Command
from splito_cli.extras import EXTRAS, missing_extra
from splito_service.http.app import ENDPOINTS
from splito_service.http.contract.document import HOUSE, bot_contract, contract
from tests.cli.conftest import Splito
from tests.contract.reader import read_yaml

LIMIT = 120
"""Seconds for a command."""
COMMAND_MODULES = sorted({f"splito_cli.{command.target.partition(':')[0]}" for command in COMMANDS})
SLOW = ("rich.markdown", "msgspec", "httpx", "asyncio", "splito_arena", "splito_service", "splito_bot", "numpy")
"""Modules that take long to import."""
HEAVY = sorted({package for packages in EXTRAS.values() for package in packages})
BASE = [command for command in COMMANDS if command.extra is None]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_the_summary_of_a_command_is_the_first_paragraph_of_its_docstring(command: Command) -> None:
    function, examples = command.load()
    assert " ".join((getdoc(function) or "").partition("\n\n")[0].split()) == command.summary
    assert any(f"splito {command.words}" in example for example in examples)


def imported(words: str, watched: list[str], folder: Path) -> list[str]:
    """Return those of the watched modules that the program imports to run these words."""
    script = f"""
import sys
from splito_cli.main import main
code = main({words.split()!r})
sys.stderr.write(" ".join(name for name in {watched!r} if name in sys.modules))
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT, check=True, cwd=folder
    )
    assert done.stdout
    return done.stderr.split()


@pytest.mark.parametrize("words", ["--help", "--version", "bot --help", "tournament --help"])
def test_the_list_of_commands_is_printed_without_importing_any_command(words: str, tmp_path: Path) -> None:
    assert imported(words, [*COMMAND_MODULES, *SLOW], tmp_path) == []


@pytest.mark.parametrize("command", BASE, ids=lambda command: command.words)
def test_a_command_of_the_base_imports_no_package_of_an_extra(command: Command, tmp_path: Path) -> None:
    assert imported(f"{command.words} --help", HEAVY, tmp_path) == []


def test_a_command_imports_no_other_command(tmp_path: Path) -> None:
    assert imported("games", COMMAND_MODULES, tmp_path) == ["splito_cli.catalogue.games"]


NEEDED = {
    "serve": ("litestar", "service"),
    "worker --help": ("rq", "service"),
    "settings": ("platformdirs", "service"),
    "openapi bot": ("yaml", "service"),
    "keys list": ("redis", "service"),
}


@pytest.mark.parametrize("words", NEEDED)
def test_a_command_that_lacks_its_extra_says_how_to_install_it(
    words: str, splito: Splito, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, extra = NEEDED[words]

    def find(name: str) -> ModuleSpec | None:
        return None if name == package else find_spec(name)

    monkeypatch.setattr(extras, "find_spec", find)
    run = splito(*words.split())
    assert (run.code, run.out) == (2, "")
    command = " ".join(words.split()[:2] if words.split(maxsplit=1)[0] == "keys" else words.split()[:1])
    assert run.err == (
        f"splito: missing-extra: splito {command} needs the extra `{extra}`, and {package} is not installed. "
        f"Next: pip install 'splito-arena[{extra}]'.\n"
    )


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_package_that_is_missing_later_is_reported_with_its_extra(extra: str) -> None:
    error = missing_extra(ModuleNotFoundError("no", name=f"{EXTRAS[extra][0]}.sub"))
    assert error is not None
    assert error.advice == f"pip install 'splito-arena[{extra}]'"
    assert missing_extra(ModuleNotFoundError("no", name="someone_elses")) is None


def test_the_packages_of_extras_can_be_imported_here() -> None:
    for package in HEAVY:
        assert import_module(package)


class Shell:
    """bash with the completion installed, in a home folder of its own."""

    def __init__(self, program: str, home: Path) -> None:
        self._program, self._home = program, home

    def complete(self, *words: str) -> set[str]:
        """Return what the Tab key offers after these words."""
        script = """
        source ~/.bashrc
        function=$(complete -p splito | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        $function splito "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
        run = subprocess.run(
            [self._program, "--norc", "-c", script, "bash", *words],
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
            env={**os.environ, "HOME": str(self._home)},
        )
        return set(run.stdout.split())


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [sys.executable, "-m", "splito_cli", "--install-completion", "--shell", "bash"],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
        env={**os.environ, "HOME": str(home)},
    )
    assert "Start a new shell" in done.stdout
    return Shell(bash, home)


def test_bash_completes_the_names_of_commands(shell: Shell) -> None:
    assert shell.complete("splito", "tour") == {"tournament"}
    assert shell.complete("splito", "se") == {"serve", "settings"}
    assert {command.words.partition(" ")[0] for command in COMMANDS} <= shell.complete("splito", "")


def test_bash_completes_the_names_of_commands_in_a_group_and_options(shell: Shell) -> None:
    assert shell.complete("splito", "bot", "") >= {"new", "serve", "check", "resend"}
    assert shell.complete("splito", "play", "--rec") == {"--record"}


def test_a_shell_that_cannot_be_detected_must_be_named(process: Splito) -> None:
    run = process("--install-completion", SHELL="", BASH_VERSION="", ZSH_VERSION="", FISH_VERSION="", PSModulePath="")
    assert run.code == 2
    assert run.err.startswith("splito: bad-option: the shell cannot be detected: name it with --shell")


def test_openapi_prints_the_contract_of_the_service_in_yaml(splito: Splito) -> None:
    run = splito("openapi")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("openapi: 3.1.0\n")
    assert read_yaml(run.out)["paths"].keys() >= contract(HOUSE, ENDPOINTS)["paths"].keys()


def test_openapi_prints_the_contract_of_a_bot_in_json(splito: Splito) -> None:
    run = splito("openapi", "bot", "--json")
    assert (run.code, run.err) == (0, "")
    assert json.loads(run.out)["paths"].keys() == bot_contract(HOUSE)["paths"].keys()


def test_openapi_knows_no_other_document(splito: Splito) -> None:
    run = splito("openapi", "client")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("splito: usage: ")
