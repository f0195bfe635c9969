"""Tournaments that tests play: entrants, workers that can be killed, and the outcome."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from splito_arena.formats import Format
from splito_arena.match.messages import BotInfo
from splito_arena.match.seat import Clock
from splito_service.bots.consent import Organisers
from splito_service.bots.model import Registered
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.settings import Settings
from splito_service.signing_secrets import Secrets
from splito_service.storage.client import Link
from splito_service.tournaments.installed_versions import house_version
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.ratings.store import Ratings
from splito_service.tournaments.store import Tournaments
from splito_service.workers.queue import ShiftSlots
from splito_service.workers.shift import Shift, opened
from tests.service.pushed import PushBot

LIMIT = 120.0
"""Seconds, on a machine that is busy with other things."""
SECRET = "5ec2e7" * 10
PATIENT = Clock(20_000, 60_000)
"""A clock so long that no bot is late on a machine that is busy with other tests."""


def registered(push: PushBot, **told: Any) -> Registered:
    """A push bot that has proved itself and passed its checks."""
    info = msgspec.convert({**push.info, "concurrency": 8, **told}, BotInfo)
    secrets = Secrets(push.secret)
    return Registered(
        id=new_id(),
        owner=new_id(),
        kind="push",
        name=info.name,
        url=push.url,
        info=info,
        secrets=secrets,
        state="ready",
        passed=info.version,
    )


async def put(link: Link, *bots: Registered) -> None:
    """Store these bots as registered, in any Redis."""
    for bot in bots:
        await link.call("SET", f"bot:{bot.id}", msgspec.json.encode(bot))


def house(*names: str) -> tuple[StoredEntrant, ...]:
    return tuple(StoredEntrant(bot=name, name=name, version=house_version(name)) for name in names)


def entrant(bot: Registered) -> StoredEntrant:
    return StoredEntrant(bot=bot.id, name=bot.name, version=bot.info.version if bot.info else "", owner=bot.owner)


def tournament(of: Format, *entrants: StoredEntrant, ranked: bool = False, **more: Any) -> StoredTournament:
    """Two at a table of Splitter, and its deals are always the same."""
    kept = StoredTournament(
        id=new_id(),
        owner="",
        name="Cup",
        game="splitter",
        players=2,
        format=of,
        entrants=entrants,
        clock=PATIENT,
        secret=SECRET,
        ranked=ranked,
    )
    return msgspec.structs.replace(kept, **more)


class Outcome(msgspec.Struct, frozen=True):
    """All that must not depend on what happened on the way."""

    ledger: dict[str, bytes]
    games: int
    answers: dict[str, int]
    """How many of each version were counted."""
    rated: dict[str, tuple[int, int]]
    """Games and blocks that each version was rated for."""


async def outcome(link: Link, kept: StoredTournament) -> Outcome:
    flat = await link.call("HGETALL", f"tournament:{kept.id}:ledger")
    ledger = Ledger(link)
    ratings = await Ratings(link).table(kept.game, kept.players)
    return Outcome(
        ledger={block.decode(): raw for block, raw in zip(flat[::2], flat[1::2], strict=True)},
        games=(await ledger.counts(kept.id)).games,
        answers={bot: sum(times.values()) for bot, times in (await ledger.times(kept.id)).items()},
        rated={bot: (rating.games, rating.blocks) for bot, rating in ratings.items()},
    )


async def until(happened: Callable[[], Awaitable[bool]], limit: float = LIMIT) -> None:
    async with asyncio.timeout(limit):
        while not await happened():  # noqa: ASYNC110 (it happens in Redis)
            await asyncio.sleep(0.02)


class Playing:
    """A shift in this process."""

    def __init__(self, link: Link, url: str) -> None:
        self.link, self._url = link, url
        self.nameservers: tuple[str, ...] = ()
        self.organiser = Organiser(link, Bots(link), Organisers(["*"]))
        self.tournaments, self.ledger = Tournaments(link), Ledger(link)

    async def shift(self, told: asyncio.Event, number: int = 0) -> None:
        settings = Settings(redis_url=self._url, allow_private_bots=True, nameservers=self.nameservers)
        async with opened(settings, self._url, self.link) as tools:
            await Shift(tools, ShiftSlots(self.link), number, new_id()).run(told)

    async def play(self, kept: StoredTournament) -> StoredTournament:
        """To its end, or until it is paused."""
        await self.organiser.hold(kept)
        return await self.finish(kept)

    async def finish(self, kept: StoredTournament) -> StoredTournament:
        told = asyncio.Event()
        shift = asyncio.create_task(self.shift(told))
        try:
            await until(lambda: self.over(kept.id))
        finally:
            told.set()
            await shift
        return await self.tournaments.get(kept.id)

    async def over(self, tournament_id: str) -> bool:
        return (await self.tournaments.get(tournament_id)).state != "running"


class WorkerProcess:
    """`splito worker` with one process, which forks for its shifts: three generations to kill."""

    def __init__(self, environ: Mapping[str, str], log: Path | None = None) -> None:
        self._environ, self._log = environ, log
        self.popen = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "splito_cli", "worker", "--json"]
        if self._log is None:
            return subprocess.Popen(command, env=self._environ, stdout=subprocess.DEVNULL)
        with self._log.open("ab") as log:
            return subprocess.Popen(command, env=self._environ, stdout=subprocess.DEVNULL, stderr=log)

    @property
    def family(self) -> list[int]:
        """The process, the worker, and its shift if it has one."""
        found = [self.popen.pid]
        while born := children(found[-1]):
            found.append(born[0])
        return found[:3]

    def kill(self, generation: int) -> bool:
        """At once, without a word. False if there is no such process now."""
        family = self.family
        if len(family) <= generation:
            return False
        os.kill(family[generation], signal.SIGKILL)
        if generation == 0:
            self.popen.wait(LIMIT)
        return True

    def kill_all(self) -> None:
        for process in self.family:
            os.kill(process, signal.SIGKILL)
        self.popen.wait(LIMIT)

    def restart(self) -> None:
        self.popen = self._start()

    def stop(self) -> int:
        self.popen.terminate()
        return self.popen.wait(LIMIT)


@contextmanager
def worker(
    redis_url: str, environ: Mapping[str, str] | None = None, log: Path | None = None
) -> Generator[WorkerProcess]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    settings = {"SPLITO_REDIS_URL": redis_url, "SPLITO_ALLOW_PRIVATE_BOTS": "1", **(environ or {})}
    process = WorkerProcess({**clean, **settings}, log)
    try:
        yield process
    finally:
        process.stop()


def children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    except OSError:
        return []
    return [int(child) for child in text.split()]
