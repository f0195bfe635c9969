"""The state of Redis as one process sees it: asked for by `GET /health/ready`, and watched so that the log says why.

A ping is not enough: a Redis without memory answers it. So each look reads INFO and writes one small key.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

from redis.exceptions import RedisError

from splito_service.errors import Unavailable
from splito_service.storage.client import Link
from splito_service.storage.trouble import WrongServer, check_server, logged, read_info, trouble_of

AGE = 1.0
"""Seconds for which a look is cached, because any client may ask for the readiness as often as it likes."""
PAUSE = 5.0
"""Seconds between two looks of the watcher."""
AGAIN = 600.0
"""Seconds after which a trouble that lasts is logged again, also if another trouble came in between."""
KEY = "ready"
KEPT = 60
"""Seconds after which the key that each look writes expires."""
NO_FILE = (
    "Redis keeps no append-only file: a restart loses everything since its last snapshot, or everything without one."
    " Set appendonly yes, in its configuration and with CONFIG SET"
)

log = logging.getLogger("splito.redis")


class RedisHealth:
    """The health of Redis. Used in the event loop of its link."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._look: asyncio.Task[None] | None = None
        self._looked = 0.0
        self._trouble = ""
        """Code of the trouble at the last look; empty if there was none."""
        self._logged = dict[str, float]()
        """Time of the last log line of each trouble since Redis worked, by its code."""
        self._has_file = True

    async def check(self) -> None:
        """Raise `Unavailable` with the kind of trouble, as seen at most `AGE` seconds ago."""
        now = asyncio.get_running_loop().time()
        if self._look is None or (self._look.done() and now >= self._looked + AGE):
            self._looked = now
            self._look = asyncio.create_task(self._check())
        await asyncio.shield(self._look)

    async def watch(self) -> None:
        """Look for ever, so that the log tells of trouble also when no client asks for the readiness."""
        while True:
            with suppress(Unavailable):
                await self.check()
            await asyncio.sleep(PAUSE)

    async def aclose(self) -> None:
        if self._look is not None:
            self._look.cancel()
            await asyncio.gather(self._look, return_exceptions=True)

    async def _check(self) -> None:
        try:
            info = await self._info()
            check_server(info)
            await self._link.call("SET", KEY, 1, "EX", KEPT)
        except (Unavailable, RedisError, WrongServer) as error:
            self._note(error)
            raise Unavailable(trouble_of(error).summary) from error
        self._note(None)
        self._note_file(info)

    async def _info(self) -> Mapping[str, str]:
        """Return the fields of INFO; none if this user of Redis may not ask for it."""
        try:
            return read_info(await self._link.call("INFO"))
        except Unavailable as error:
            if trouble_of(error).code != "permission":
                raise
            return {}

    def _note(self, error: Exception | None) -> None:
        code = "" if error is None else trouble_of(error).code
        now = asyncio.get_running_loop().time()
        if error is not None and now >= self._logged.get(code, -AGAIN) + AGAIN:
            self._logged[code] = now
            log.error("%s", logged(error))
        elif error is None and self._trouble:
            log.info("Redis works again")
            self._logged.clear()
        self._trouble = code

    def _note_file(self, info: Mapping[str, str]) -> None:
        has_file = info.get("aof_enabled") != "0"
        if self._has_file and not has_file:
            log.warning("%s", NO_FILE)
        self._has_file = has_file


@asynccontextmanager
async def watching(link: Link) -> AsyncGenerator[RedisHealth]:
    """Watch the health in the background, also while Redis does not answer yet."""
    health = RedisHealth(link)
    watcher = asyncio.create_task(health.watch())
    try:
        yield health
    finally:
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)
        await health.aclose()
