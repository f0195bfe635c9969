"""Killed processes do not change the result of a tournament: the same ledger, and no game counted twice."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from splito_arena.blocks.ledger import unpack
from splito_arena.formats import RoundRobin
from splito_arena.stats.tournament_table import standings
from splito_service.errors import Unavailable
from splito_service.processes.embedded_redis import Server, open_server
from splito_service.settings import Durability
from splito_service.storage.client import Link
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.store import Tournaments
from tests.service.playing import (
    Outcome,
    Playing,
    WorkerProcess,
    entrant,
    house,
    outcome,
    put,
    registered,
    tournament,
    until,
    worker,
)
from tests.service.process import Process, kill_redis, running
from tests.service.pushed import INFO, PushBot, serving

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc"),
]
SEED = "5"
TURNS = 22
"""Of Splitter: in each of them everybody answers."""
VICTIMS = ("redis", "service", "parent", "worker", "shift")
PRIVATE = {"SPLITO_ALLOW_PRIVATE_BOTS": "1", "SPLITO_HEALTH_SECONDS": "0"}


def by_its_dice(ask: Any) -> Any:
    """A bot that repeats itself."""
    return {"index": int(ask["seed"], 16) % len(ask["moves"])}


@pytest.fixture
def push() -> Iterator[PushBot]:
    with serving() as bot:
        bot.info = {**INFO, "games": ["splitter"]}
        bot.choose = by_its_dice
        yield bot


class Cup:
    """Each two of four bots, two of them over HTTP, some blocks each."""

    def __init__(self, push: PushBot, blocks: int) -> None:
        self.bots = [registered(push), registered(push, name="Trillian")]
        players = (*house("planner", "random"), *map(entrant, self.bots))
        self.kept = tournament(RoundRobin(blocks=blocks), *players, ranked=True)

    async def hold(self, link: Link, url: str) -> Playing:
        playing = Playing(link, url)
        await put(link, *self.bots)
        await playing.organiser.hold(self.kept)
        return playing

    async def undisturbed(self, folder: Path) -> Outcome:
        with open_server(folder) as server:
            async with Link(server.url) as link:
                playing = await self.hold(link, server.url)
                assert (await playing.finish(self.kept)).state == "finished"
                return await outcome(link, self.kept)


class Scene:
    """Everything that can be killed, and how far the tournament is."""

    def __init__(self, server: Server, service: Process, workers: list[WorkerProcess], link: Link, cup: Cup) -> None:
        self._server, self._service, self._workers = server, service, workers
        self._tournaments, self._ledger, self._id = Tournaments(link), Ledger(link), cup.kept.id
        self.kills: list[str] = []

    async def disturb(self, rng: Random) -> None:
        """Everything at least once, each after some more blocks. After a kill of Redis there may be fewer of them."""
        victims = [*VICTIMS, rng.choice(VICTIMS)]
        rng.shuffle(victims)
        for victim in victims:
            await self._more(rng.randint(1, 8))
            self.kills.append(victim)
            await asyncio.to_thread(getattr(self, f"_kill_{victim}"), rng)

    async def over(self) -> bool:
        try:
            return (await self._tournaments.get(self._id)).state == "finished"
        except Unavailable:
            return False

    async def _more(self, blocks: int) -> None:
        goal = await self._done() + blocks

        async def reached() -> bool:
            return await self._done() >= goal or await self.over()

        await until(reached)

    async def _done(self) -> int:
        try:
            return (await self._ledger.counts(self._id)).done
        except Unavailable:
            return 0

    def _kill_redis(self, _: Random) -> None:
        kill_redis(self._server)

    def _kill_service(self, _: Random) -> None:
        self._service.kill()
        self._service.restart()

    def _kill_parent(self, rng: Random) -> None:
        """Kill the parent process of a worker, and start the worker again."""
        victim = rng.choice(self._workers)
        victim.kill(0)
        victim.restart()

    def _kill_worker(self, rng: Random) -> None:
        rng.choice(self._workers).kill(1)

    def _kill_shift(self, rng: Random) -> None:
        rng.choice(self._workers).kill(2)


@pytest.mark.parametrize("durability", ["everysec", "always"])
async def test_the_ledger_after_kills_equals_that_of_an_undisturbed_run(
    push: PushBot, tmp_path: Path, durability: Durability
) -> None:
    seed = f"{durability} {SEED}"
    cup = Cup(push, blocks=12)
    expected = await cup.undisturbed(tmp_path / "undisturbed")
    with open_server(tmp_path / "disturbed", durability) as server, ExitStack() as stack:
        service = stack.enter_context(running(server.url, PRIVATE))
        workers = [stack.enter_context(worker(server.url)) for _ in range(2)]
        async with Link(server.url) as link:
            await cup.hold(link, server.url)
            scene = Scene(server, service, workers, link, cup)
            await scene.disturb(Random(seed))
            await until(scene.over)
            found = await outcome(link, cup.kept)
    story = f"seed {seed!r}, killed: {', '.join(scene.kills)}"
    assert found.ledger == expected.ledger, story
    assert found == expected, story
    assert table_of(found) == table_of(expected), story
    check_counts(found)


def check_counts(found: Outcome) -> None:
    """Every game and every answer is counted once, and every block is rated once."""
    entries = [unpack(packed) for packed in found.ledger.values()]
    blocks = Counter(bot for entry in entries for bot in entry.bots)
    games = Counter(bot for entry in entries for _ in entry.games for bot in entry.bots)
    assert found.games == sum(len(entry.games) for entry in entries)
    assert found.rated == {bot: (games[bot], blocks[bot]) for bot in blocks}
    assert found.answers == {bot: TURNS * games[bot] for bot in games}


def table_of(found: Outcome) -> Any:
    return standings([unpack(found.ledger[block]) for block in sorted(found.ledger)])


async def test_blocks_of_killed_workers_are_played_by_a_new_worker_within_a_minute(
    push: PushBot, tmp_path: Path
) -> None:
    cup = Cup(push, blocks=30)
    with open_server(tmp_path) as server:
        async with Link(server.url) as link:
            ledger = (await cup.hold(link, server.url)).ledger

            async def is_played() -> bool:
                return (await ledger.counts(cup.kept.id)).claimed > 0

            with worker(server.url) as first:
                await until(is_played)
                first.kill_all()
            held = {*await link.call("HKEYS", f"tournament:{cup.kept.id}:claims")}

            async def is_taken_up() -> bool:
                return not held & {*await link.call("HKEYS", f"tournament:{cup.kept.id}:claims")}

            with worker(server.url):
                await until(is_taken_up, 60)
