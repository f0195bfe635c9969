"""Queue of shifts in RQ: slots for shifts, waiting jobs and running shifts.

A shift is a job that plays blocks of any tournament. There is one slot per worker, each a key in Redis that holds the
id of the job: without expiry while the job waits in the queue, and with a lease of some seconds while the shift runs
and renews it. So the slot of a killed worker is free after some seconds and filled anew. RQ's own registries are only
for people, because RQ takes minutes to notice an abandoned job and may run it twice at once.
"""

import asyncio
from typing import Any
from urllib.parse import unquote

import redis
from redis.exceptions import RedisError
from redis.sentinel import Sentinel
from rq import Queue

from splito_service.errors import Unavailable
from splito_service.ids import Milliseconds, new_id
from splito_service.redis_address import read_redis_address
from splito_service.storage.client import Link
from splito_service.storage.connect import SENTINEL_LIMIT
from splito_service.storage.rq_keys import QUEUE, WORKERS
from splito_service.storage.scripts import source

JOB = "splito_service.workers.shift.play"
SERIALIZER = "json"
WAITING = f"rq:queue:{QUEUE}"  # the key of the jobs that wait for a worker

LEASE: Milliseconds = 5000
"""Lease of a slot in milliseconds; the shift renews it."""
GRACE: Milliseconds = 5000
"""Milliseconds for a job that has left the queue to begin."""
FAILURES_KEPT = 3600
"""Seconds for which RQ keeps a failed job."""
CONNECT_LIMIT = 5.0


class ShiftSlots:
    """The slots of shifts in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        scripts = (link.script(source(f"workers/slot_{name}")) for name in ("post", "begin", "renew", "end"))
        self._post, self._begin, self._renew, self._end = scripts

    async def places(self) -> int:
        """Return the number of slots: one for each worker that RQ knows, at least one."""
        return max(1, await self._link.call("SCARD", WORKERS))

    async def wants(self, number: int) -> str | None:
        """Return the id of a job to queue for that slot; None if a job has the slot."""
        job = new_id()
        return job if await self._post([place(number), WAITING], [job, GRACE]) else None

    async def begin(self, number: int, job: str) -> bool:
        """Take the slot for a job that begins. Return False if a later job has it."""
        return bool(await self._begin([place(number)], [job, LEASE]))

    async def renew(self, number: int, job: str) -> None:
        await self._renew([place(number)], [job, LEASE])

    async def end(self, number: int, job: str) -> None:
        await self._end([place(number)], [job])


class Jobs:
    """RQ's side of the queue. It blocks, so it is used in threads."""

    def __init__(self, url: str) -> None:
        self._connection = connect(url, socket_timeout=CONNECT_LIMIT, socket_connect_timeout=CONNECT_LIMIT)
        self._queue: Any = Queue(QUEUE, connection=self._connection, serializer=SERIALIZER)

    async def put(self, number: int, job: str) -> None:
        """Queue a job without a time limit, because a shift ends on its own and an alarm would hit it at a random
        place.
        """
        try:
            await asyncio.to_thread(self._put, number, job)
        except RedisError as error:
            raise Unavailable("the shift could not be queued") from error

    def _put(self, number: int, job: str) -> None:
        settings = {"job_id": job, "job_timeout": -1, "result_ttl": 0, "failure_ttl": FAILURES_KEPT}
        self._queue.enqueue(JOB, number, job, **settings)

    def close(self) -> None:
        self._connection.close()


def connect(url: str, **options: Any) -> Any:
    """Return a blocking client of redis-py, which RQ needs, for every address that `storage.connect` accepts."""
    clients: Any = redis
    address = read_redis_address(url)
    if not address.has_sentinels:
        return clients.Redis.from_url(url, **options)
    server = {**clients.connection.parse_url(address.server_url), **options}
    for_them: dict[str, Any] = {
        "username": server.pop("sentinel_username", None),
        "password": server.pop("sentinel_password", None),
        "socket_connect_timeout": SENTINEL_LIMIT,
        "socket_timeout": SENTINEL_LIMIT,
    }
    sentinels: Any = Sentinel(list(address.places), sentinel_kwargs=for_them)
    return sentinels.master_for(unquote(address.master), **server)


def place(number: int) -> str:
    """Return the Redis key of a slot."""
    return f"shift:{number}"
