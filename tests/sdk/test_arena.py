"""The two halves together: bots of the SDK at a real service are proved, checked, and play a match to its end."""

import asyncio
import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx
import pytest

from splito_bot import SPLITO, Client, NewBot
from splito_bot.bot import Bot
from splito_bot.contract import AnyAsk, AnyMove, BotInfo
from splito_bot.running.connect import Place, pull
from splito_bot.running.routes import Gate
from splito_bot.serve import HOST, serving
from splito_engine.record import verify
from splito_service.processes.embedded_redis import open_server
from tests.service.polling import eventually
from tests.service.process import NO_LIMITS, running

INFO = BotInfo(name="last", author="Ada", version="1", games=["splito", "splitit", "splitter"], concurrency=3)


def last(ask: AnyAsk) -> AnyMove:
    return ask.moves[-1]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with (
        open_server(tmp_path_factory.mktemp("arena")) as redis,
        running(redis.url, {**NO_LIMITS, "SPLITO_ALLOW_PRIVATE_BOTS": "1"}) as process,
    ):
        yield process.url


@pytest.fixture(scope="module")
def owner(url: str) -> Iterator[httpx.Client]:
    key = httpx.post(f"{url}/v1/owners", json={"name": "Ada"}).json()["key"]
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        yield client


@contextmanager
def pushed(owner: httpx.Client) -> Generator[str]:
    """A bot that the arena calls: its id."""
    with socket.create_server((HOST, 0)) as found:
        port = found.getsockname()[1]
    registration = {"name": "pushed", "kind": "push", "url": f"http://{HOST}:{port}"}
    made = owner.post("/v1/bots", json=registration).json()
    with serving(Bot(last, INFO), Gate([made["secret"]]), HOST, port):
        assert owner.post(f"/v1/bots/{made['bot']['id']}/proof").json()["state"] == "ready"
        yield made["bot"]["id"]


@contextmanager
def pulling(owner: httpx.Client) -> Generator[str]:
    """A bot that asks the arena for work: its id."""
    bot = owner.post("/v1/bots", json={"name": "pulling", "kind": "pull"}).json()["bot"]["id"]
    told = {"name": "last", "author": "Ada", "version": "1", "games": INFO.games, "concurrency": 3}
    assert owner.put(f"/v1/bots/{bot}/info", json=told).json()["state"] == "ready"
    place = Place(str(owner.base_url), bot, owner.headers["Authorization"].removeprefix("Bearer "))
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = Thread(target=loop.run_until_complete, args=[pull(Bot(last, INFO), place, stop)])
    thread.start()
    try:
        yield bot
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def checked(owner: httpx.Client, bot: str) -> dict[str, Any]:
    """Return the findings of the arena's checks."""
    path = owner.post(f"/v1/bots/{bot}/checks", json={"quick": True}).headers["Location"]
    return eventually(lambda: owner.get(path).json(), lambda found: found["state"] != "running")["report"]


@pytest.mark.parametrize("reached", [pushed, pulling])
def test_a_bot_of_the_sdk_passes_the_checks_of_the_arena(owner: httpx.Client, reached: Any) -> None:
    with reached(owner) as bot:
        report = checked(owner, bot)
    assert report["passed"], report
    assert report["matches"] > 0


def test_push_and_pull_bots_of_the_sdk_play_a_live_match(url: str, owner: httpx.Client) -> None:
    key = owner.headers["Authorization"].removeprefix("Bearer ")
    with pushed(owner) as one, pulling(owner) as two, Client(url) as client:
        match = client.create(SPLITO, [NewBot(one), NewBot(two), NewBot("random")], key=key).match
        events = list(client.events(SPLITO, match.id))
        record, _ = verify(client.record(SPLITO, match.id))
        logged = [owner.get(f"/v1/bots/{bot}/asks", params={"limit": 100}).json()["asks"] for bot in (one, two)]
    assert len(events) == 1 + 13 + 1
    assert record.names == ("pushed", "pulling", "random")
    for seat, asks in enumerate(logged):
        assert [(ask["turn"], ask["seat"], ask["fault"]) for ask in reversed(asks)] == [
            (turn, seat, None) for turn in range(13)
        ]
