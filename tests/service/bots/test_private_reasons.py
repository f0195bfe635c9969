"""Only the owner of a bot is told the reason of its failure and its address."""

import asyncio
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from msgspec.structs import replace

from splito_service.bots.model import Registered
from splito_service.bots.store import Bots
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from tests.contract.documents import service_document
from tests.service.holding import SHORT, SMALL, Organiser, working
from tests.service.owners.test_keys import Ada
from tests.service.polling import GREEDY, PRIVATE, Polling
from tests.service.process import running

HOST = "bots.ada-lovelace.internal"
REASON = f"3 failed health checks in a row: no host can be reached at this address: {HOST} is private"
PUBLIC = [call for call in service_document().calls if not call.operation["security"] and call.method == "get"]


class Scene(NamedTuple):
    """A disabled bot of an owner, in a tournament of a stranger that is over."""

    redis: str
    owner: Ada
    stranger: Organiser
    bot: str
    tournament: str
    experiment: str


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with (
        open_server(tmp_path_factory.mktemp("reasons")) as server,
        running(server.url, PRIVATE) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        owner, stranger = Ada(api), Organiser(api, "Bob")
        bot = Polling(owner).id
        tournament = stranger.hold(bots=[bot, "greedy", "random"], ranked=False)
        experiment = stranger.experiment(**SHORT | {"field": [bot]})
        asyncio.run(disable(server.url, bot))
        yield Scene(server.url, owner, stranger, bot, tournament, experiment)


async def disable(redis_url: str, bot: str) -> None:
    """Disable the bot as a look at its address does that fails for the third time."""

    def disabled(kept: Registered) -> Registered:
        return replace(kept, state="disabled", url=f"https://{HOST}/bot", reason=REASON)

    async with Link(redis_url) as link:
        await Bots(link).change(bot, disabled)


def attempts(scene: Scene) -> dict[str, tuple[str, Any]]:
    """Return all requests that would let the bot play, by name."""
    bots = [scene.bot, "greedy"]
    wanted = SMALL | {"bots": bots, "ranked": False}
    return {
        "match": ("/v1/splitter/matches", {"seats": [{"kind": "bot", "bot": scene.bot}, GREEDY]}),
        "tournament": ("/v1/tournaments", wanted),
        "ranked tournament": ("/v1/tournaments", wanted | {"ranked": True}),
        "dry run": ("/v1/tournaments/dry-run", wanted),
        "experiment": ("/v1/experiments", SHORT | {"field": [scene.bot]}),
    }


@pytest.mark.parametrize("attempt", ["match", "tournament", "ranked tournament", "dry run", "experiment"])
def test_another_owner_who_enters_the_bot_is_told_only_that_it_is_not_ready(scene: Scene, attempt: str) -> None:
    path, body = attempts(scene)[attempt]
    answer = scene.stranger.ask("POST", path, body)
    assert answer.status_code == 409
    assert "it is not ready" in answer.json()["detail"]
    assert not leaks(answer.text)


def test_a_client_without_a_key_is_told_only_that_the_bot_is_not_ready(scene: Scene) -> None:
    path, body = attempts(scene)["match"]
    answer = scene.stranger.api.post(path, json=body)
    assert "it is not ready" in answer.json()["detail"]
    assert not leaks(answer.text)


@pytest.mark.parametrize("attempt", ["match", "tournament", "dry run", "experiment"])
def test_the_owner_who_enters_the_bot_is_told_the_reason(scene: Scene, attempt: str) -> None:
    path, body = attempts(scene)[attempt]
    assert REASON in scene.owner.ask("POST", path, body).json()["detail"]


def test_another_owner_who_enters_the_bot_in_a_ladder_is_told_only_that_it_is_not_ready(scene: Scene) -> None:
    ladder = scene.stranger.hold(bots=["greedy", "random"], ranked=False, format={"kind": "ladder", "blocks": 1})
    answer = scene.stranger.ask("PUT", f"{ladder}/bots/{scene.bot}")
    assert "it is not ready" in answer.json()["detail"]
    assert not leaks(answer.text)


def test_no_public_answer_shows_the_url_or_the_failure_of_a_bot(scene: Scene) -> None:
    with working(scene.redis):
        scene.stranger.wait(scene.tournament)
        scene.stranger.wait(scene.experiment)
    names = {
        "{tournament}": scene.tournament.rpartition("/")[2],
        "{experiment}": scene.experiment.rpartition("/")[2],
        "{bot}": scene.bot,
    }
    blocks = scene.stranger.ask("GET", f"{scene.tournament}/blocks?limit=100").json()["blocks"]
    assert any("disabled" in (block["skipped"] or "") for block in blocks), "the bot was missing somewhere"
    found = list[str]()
    for call in PUBLIC:
        for block in blocks[:3]:
            for file in ("standings.csv", "games.json", "crosstable.csv", "ratings.json"):
                path = filled(call.path, names | {"{block}": block["block"], "{file}": file})
                if path is not None:
                    found.append(path)
    for path in {*found, f"/v1/bots/{scene.bot}"}:
        for headers in ({}, scene.stranger.headers):
            answer = scene.stranger.api.get(path, headers=headers)
            assert answer.status_code < 500, path
            assert not leaks(answer.text), path
    assert len({*found}) > 30


def test_the_owner_reads_the_reason_in_the_view_of_the_bot(scene: Scene) -> None:
    assert scene.owner.ask("GET", f"/v1/bots/{scene.bot}").json()["own"]["reason"] == REASON


def filled(path: str, names: dict[str, str]) -> str | None:
    """Return the path with all its parameters; None if one of them is of something else."""
    for name, value in names.items():
        path = path.replace(name, value)
    return None if "{" in path else path


def leaks(text: str) -> bool:
    return HOST in text or "failed health check" in text
