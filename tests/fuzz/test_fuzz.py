"""schemathesis, with all its phases and checks, against a running service: whatever it says, the answer is as promised.

It knows the contract and nothing else; `hooks.py` gives it matches to play at and the tokens of their seats, and makes
it an owner of bots.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.fuzz import hooks_names
from tests.service.holding import SHORT, Organiser, working
from tests.service.matches.test_api import OPEN, Table, persons
from tests.service.process import running

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
ALONE = "examples,coverage,fuzzing"
"""Phases in which every request is for itself."""
ALL = f"{ALONE},stateful"
EXAMPLES = 100 if os.environ.get("SPLITO_JOURNEYS") == "long" else 15
"""Per operation and phase. They are always the same ones, so `make journeys` tries more of them than `make test`."""
GAMES = ("splito", "splitit", "splitter")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with open_server(tmp_path_factory.mktemp("redis")) as server, running(server.url) as process:
        yield process.url


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """A service with a tournament and an experiment that are over. Its worker has gone: nothing more is played."""
    with open_server(tmp_path_factory.mktemp("arena")) as server, running(server.url) as process:
        with working(server.url), httpx.Client(base_url=process.url, timeout=60) as api:
            ada = Organiser(api)
            paths = [ada.hold(), ada.experiment(**SHORT)]
            for path in paths:
                ada.wait(path)
        tournament, experiment = (path.rpartition("/")[2] for path in paths)
        yield process.url, {"tournaments": [tournament], "experiments": [experiment]}


def make_tables(url: str, game: str) -> dict[str, list[str | None]]:
    """Make some running matches, one with an open seat, and one that is over."""
    with httpx.Client(base_url=url, timeout=60) as api:
        tables = [Table(api, game, persons(2)) for _ in range(4)]
        tables.append(Table(api, game, [*persons(1), OPEN]))
        tables[0].play_out()
        return {table.path: table.tokens for table in tables}


def become_owner(url: str) -> dict[str, Any]:
    """Register an owner with some bots of each kind, and return its key and ids."""
    with httpx.Client(base_url=url, timeout=60) as api:
        key = api.post("/v1/owners", json={"name": "Ada"}).json()["key"]
        headers = {"Authorization": f"Bearer {key}"}
        wanted = [
            {"name": "Marvin", "kind": "push", "url": "http://localhost:8000"},
            {"name": "Trillian", "kind": "pull"},
        ]
        made = [api.post("/v1/bots", json=body, headers=headers).json() for body in 4 * wanted]
        polls = api.post("/v1/bots", json=wanted[1], headers=headers).json()["bot"]["id"]
        info = {"name": "Trillian", "author": "Ada", "version": "1", "games": GAMES, "concurrency": 256}
        assert api.put(f"/v1/bots/{polls}/info", json=info, headers=headers).is_success
        ids = [one["bot"]["id"] for one in made]
        return {"key": key, "bots": ids, "polls": polls, "tournaments": [], "experiments": []}


def fuzz(
    url: str, folder: Path, tables: dict[str, list[str | None]], *words: str, held: dict[str, list[str]] | None = None
) -> Counter[str]:
    """How often each operation gave each status. Fails with what schemathesis found."""
    (folder / "tables.json").write_bytes(msgspec.json.encode(tables))
    (folder / "owner.json").write_bytes(msgspec.json.encode(become_owner(url) | (held or {})))
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(HERE / "schemathesis.toml")]
    command += ["run", str(ROOT / "openapi" / "service.yaml"), "--url", url, "--checks", "all"]
    command += ["--max-examples", str(EXAMPLES), "--no-color", "--continue-on-failure", *words]
    environment = {
        **os.environ,
        hooks_names.TABLES: str(folder / "tables.json"),
        hooks_names.OWNER: str(folder / "owner.json"),
        hooks_names.ANSWERS: str(folder / "answers"),
        hooks_names.SERVICE: url,
        "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-2000:]
    return Counter((folder / "answers").read_text("utf-8").splitlines())


@pytest.mark.parametrize("game", GAMES)
def test_every_operation_of_a_game_answers_as_in_the_contract(url: str, game: str, tmp_path: Path) -> None:
    answers = fuzz(url, tmp_path, make_tables(url, game), "--phases", ALL, "--include-path-regex", f"^/v1/{game}/")
    assert sum(answers.values()) > 500
    match = f"/v1/{game}/matches/{{match}}"
    for answer in (
        f"POST /v1/{game}/matches 201",
        f"GET {match} 200",
        f"PUT {match}/turns/{{turn}}/seats/{{seat}} 200",
        f"PUT {match}/turns/{{turn}}/seats/{{seat}} 409",
        f"PUT {match}/turns/{{turn}}/seats/{{seat}} 401",
        f"DELETE {match}/seats/{{seat}} 204",
        f"GET {match}/record 200",
        f"GET {match}/events 200",
    ):
        assert answers[answer] > 0, f"never {answer}: the fuzzer did not get far enough"


def test_catalogue_and_health_answer_as_in_the_contract(url: str, tmp_path: Path) -> None:
    answers = fuzz(
        url, tmp_path, {}, "--phases", ALONE, "--include-path-regex", "^/(v1/(games|house|problems)|health/)"
    )
    assert answers["GET /v1/games 200"] > 0


def test_operations_of_owners_answer_as_in_the_contract(url: str, tmp_path: Path) -> None:
    answers = fuzz(url, tmp_path, {}, "--phases", ALL, "--include-path-regex", "^/v1/(owners|keys|bots|signing-key)")
    for answer in (
        "POST /v1/owners 201",
        "POST /v1/keys 201",
        "GET /v1/keys 200",
        "DELETE /v1/keys/{key} 204",
        "POST /v1/bots 201",
        "POST /v1/bots 401",
        "POST /v1/bots 409",
        "GET /v1/bots/{bot} 200",
        "GET /v1/bots/{bot} 404",
        "PUT /v1/bots/{bot} 200",
        "PUT /v1/bots/{bot}/info 200",
        "POST /v1/bots/{bot}/proof 409",
        "POST /v1/bots/{bot}/secret 201",
        "DELETE /v1/bots/{bot}/secret 204",
        "DELETE /v1/bots/{bot} 204",
        "POST /v1/bots/{bot}/checks 202",
        "POST /v1/bots/{bot}/checks 409",
        "GET /v1/bots/{bot}/checks 200",
        "GET /v1/bots/{bot}/checks/{check} 200",
        "GET /v1/bots/{bot}/checks/{check} 404",
    ):
        assert answers[answer] > 0, f"never {answer}: the fuzzer did not get far enough"


def test_operations_of_organisers_answer_as_in_the_contract(
    arena: tuple[str, dict[str, list[str]]], tmp_path: Path
) -> None:
    url, held = arena
    paths = ("--include-path-regex", "^/v1/(tournaments|experiments|splito/leaderboard)")
    answers = fuzz(url, tmp_path, {}, "--phases", ALL, *paths, held=held)
    one = "/v1/tournaments/{tournament}"
    for answer in (
        "POST /v1/tournaments 201",
        "POST /v1/tournaments 401",
        "POST /v1/tournaments 409",
        "POST /v1/tournaments/dry-run 200",
        "GET /v1/tournaments 200",
        f"GET {one} 200",
        f"GET {one} 404",
        f"PUT {one}/state 200",
        f"PUT {one}/state 403",
        f"PUT {one}/state 409",
        f"PUT {one}/blocks 200",
        f"DELETE {one}/bots/{{bot}} 204",
        f"GET {one}/standings 200",
        f"GET {one}/crosstable 200",
        f"GET {one}/neighbours 200",
        f"GET {one}/blocks 200",
        f"GET {one}/blocks/{{block}} 200",
        f"GET {one}/blocks/{{block}} 404",
        f"GET {one}/events 200",
        f"GET {one}/dump 200",
        f"GET {one}/exports/{{file}} 200",
        f"GET {one}/report 200",
        "POST /v1/experiments 201",
        "GET /v1/experiments/{experiment} 200",
        "PUT /v1/experiments/{experiment}/state 200",
        "GET /v1/experiments/{experiment}/events 200",
        "GET /v1/splito/leaderboard 200",
    ):
        assert answers[answer] > 0, f"never {answer}: the fuzzer did not get far enough"


def test_operations_of_webhooks_answer_as_in_the_contract(url: str, tmp_path: Path) -> None:
    answers = fuzz(url, tmp_path, {}, "--phases", ALL, "--include-path-regex", "^/v1/hooks")
    for answer in (
        "POST /v1/hooks 201",
        "POST /v1/hooks 401",
        "POST /v1/hooks 409",
        "GET /v1/hooks 200",
        "GET /v1/hooks/{hook} 200",
        "GET /v1/hooks/{hook} 404",
        "PUT /v1/hooks/{hook} 200",
        "POST /v1/hooks/{hook}/secret 201",
        "DELETE /v1/hooks/{hook}/secret 204",
        "GET /v1/hooks/{hook}/deliveries 200",
        "GET /v1/hooks/{hook}/deliveries/{delivery} 404",
        "POST /v1/hooks/{hook}/deliveries/{delivery}/redelivery 404",
        "DELETE /v1/hooks/{hook} 204",
    ):
        assert answers[answer] > 0, f"never {answer}: the fuzzer did not get far enough"


def test_operations_of_pull_bots_answer_as_in_the_contract(url: str, tmp_path: Path) -> None:
    answers = fuzz(url, tmp_path, {}, "--phases", ALONE, "--include-path-regex", "^/v1/bot/")
    for status in (200, 400, 401, 404):
        assert answers[f"GET /v1/bot/asks {status}"] > 0
        assert answers[f"PUT /v1/bot/splito/asks/{{ask}} {status}"] > 0
    assert answers["PUT /v1/bot/splito/asks/{ask} 409"] > 0
