"""The tools of users accept the contracts: two linters, and code generators for two languages."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.reader import read_yaml
from tests.contract.tools import BOT, PACKAGES, SERVICE, needs_packages, run, run_package

SETTINGS = """
post_hooks: []
content_type_overrides:
  application/x-ndjson: text/plain
"""
"""Lines of JSON are a text to a generator that knows of none."""

every_contract = pytest.mark.parametrize("contract", [SERVICE, BOT], ids=lambda path: path.stem)


def test_the_lock_file_names_no_registry() -> None:
    """The lock file of npm would name the host that a package came from."""
    locked = json.loads((PACKAGES / "package-lock.json").read_bytes())["packages"]
    assert [name for name, package in locked.items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in locked.items() if name)


@needs_packages
@every_contract
def test_spectral_finds_no_fault(tmp_path: Path, contract: Path) -> None:
    rules = ["--ruleset", PACKAGES / "spectral.yaml", "--fail-severity", "hint"]
    run_package(tmp_path, "spectral", "lint", *rules, contract)


@needs_packages
def test_redocly_misses_only_4xx_responses_of_health_checks(tmp_path: Path) -> None:
    """No request can be wrong about health, so there is no 4xx."""
    assert missed(tmp_path, SERVICE) == [
        ("operation-4xx-response", f"#/paths/~1health~1{path}/get/responses") for path in ("live", "ready")
    ]


@needs_packages
def test_redocly_notes_only_the_example_server_of_a_bot(tmp_path: Path) -> None:
    """A bot that is being written is on the machine of its author."""
    assert missed(tmp_path, BOT) == [("no-server-example.com", "#/servers/0/url")]


def missed(folder: Path, contract: Path) -> list[tuple[str, str]]:
    found = run_package(folder, "redocly", "lint", "--extends", "recommended", "--format", "json", contract)
    return [(problem["ruleId"], problem["location"][0]["pointer"]) for problem in json.loads(found)["problems"]]


def test_a_generated_python_client_plays_a_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str) -> None:
    generate_client(tmp_path, SERVICE)
    monkeypatch.syspath_prepend(tmp_path)  # pyright: ignore[reportUnknownMemberType]
    clients, models = module("client"), module("models")
    seats = [models.NewPerson(kind="person", name="Ada"), models.NewBot(kind="bot", bot="greedy")]
    wanted = models.SplitoNewMatch(seats=seats)
    with clients.Client(service) as anybody:
        made = module("api.splito.create_splito_match").sync(client=anybody, body=wanted)
        assert module("api.splito.get_splito_record").sync(made.match.id, client=anybody).code == "not-over"
        key = module("api.owners.create_owner").sync(client=anybody, body=models.NewOwner(name="Ada")).key
    with clients.AuthenticatedClient(service, made.tokens[0]) as ada:
        match = module("api.splito.get_splito_match").sync(made.match.id, client=ada)
        decision = models.SplitoDecision(move=match.legal_moves[0])
        sealed = module("api.splito.seal_splito_move").sync(match.id, 0, 0, client=ada, body=decision)
    assert isinstance(sealed, models.Sealed)
    cup = {"name": "Cup", "game": "splitter", "players": 2, "bots": ["greedy", "random"]}
    wanted = models.SplitterNewTournament(**cup, format_=models.RoundRobin(kind="round-robin", blocks=3))
    with clients.AuthenticatedClient(service, key) as ada:
        assert module("api.tournaments.estimate_tournament").sync(client=ada, body=wanted).games == 6


def test_generated_python_models_read_asks_and_write_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate_client(tmp_path, BOT)
    monkeypatch.syspath_prepend(tmp_path)  # pyright: ignore[reportUnknownMemberType]
    models, examples = module("models", BOT), read_yaml(BOT.read_bytes())["components"]["examples"]
    for game in ("Splito", "Splitit", "Splitter"):
        shown = examples[f"{game}Ask"]["value"]
        ask = getattr(models, f"{game}Ask").from_dict(shown)
        answer = getattr(models, f"{game}Answer")(ask=ask.id, move=ask.moves[0])
        assert ask.to_dict()["view"] == shown["view"]
        assert answer.to_dict() == {"ask": shown["id"], "move": shown["moves"][0]}


def generate_client(folder: Path, contract: Path) -> None:
    (folder / "settings.yaml").write_text(SETTINGS, "utf-8")
    generator = Path(sys.executable).with_name("openapi-python-client")
    options = ["--meta", "none", "--config", "settings.yaml", "--fail-on-warning"]
    run(folder, generator, "generate", "--path", contract, "--output-path", package_of(contract), *options)


def module(name: str, contract: Path = SERVICE) -> Any:
    return importlib.import_module(f"{package_of(contract)}.{name}")


def package_of(contract: Path) -> str:
    return f"generated_{contract.stem}"
