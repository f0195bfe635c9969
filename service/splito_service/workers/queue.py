"""Shifts in RQ's queue: which there ought to be, which wait for a worker, and which are on.

A shift is a job that plays whatever there is to play. There are as many places for shifts as there are workers, each a
key in Redis. It holds the id of the job: without end while that waits in the queue, and for a few seconds at a time
while the shift is on and renews it. So whatever is killed, a place that nobody fills any more is free after some
seconds, and is filled anew. What RQ knows of its jobs is only looked at by people: its own way to find out that a job
was abandoned takes minutes, and may have it run twice at once.
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

JOB = "splito_service.workers.shift.play"
SERIALIZER = "json"
WAITING = f"rq:queue:{QUEUE}"  # the key of the jobs that wait for a worker

LEASE: Milliseconds = 5000
"""For which a shift has its place, if it does not renew it."""
GRACE: Milliseconds = 5000
"""For a job that has left the queue to begin."""
FAILURES_KEPT = 3600
"""Seconds for which RQ remembers a job that failed."""
CONNECT_LIMIT = 5.0

POST = """
-- KEYS  1 the place (string), 2 what waits (list)
-- ARGV  1 the new job, 2 for how long one that has left the queue may take to begin
local job = redis.call('GET', KEYS[1])
if not job then
  redis.call('SET', KEYS[1], ARGV[1])
  return 1
end
if redis.call('PTTL', KEYS[1]) == -1 and not redis.call('LPOS', KEYS[2], job) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
"""
BEGIN = """
-- KEYS  1 the place (string)  ARGV  1 the job, 2 its lease
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
"""
RENEW = """
-- KEYS  1 the place (string)  ARGV  1 the job, 2 its lease
local job = redis.call('GET', KEYS[1])
if not job or job == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
"""
END = """
-- KEYS  1 the place (string)  ARGV  1 the job
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


class ShiftSlots:
    """The places of one Redis, for any number of processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._post, self._begin, self._renew, self._end = map(link.script, (POST, BEGIN, RENEW, END))

    async def places(self) -> int:
        """One for each worker that RQ knows; if it knows of none, one for the first to come."""
        return max(1, await self._link.call("SCARD", WORKERS))

    async def wants(self, number: int) -> str | None:
        """The id of a job to put into the queue for that place; none if somebody fills it, or will."""
        job = new_id()
        return job if await self._post([place(number), WAITING], [job, GRACE]) else None

    async def begin(self, number: int, job: str) -> bool:
        """Whether the place is this job's, and not that of another that came after it."""
        return bool(await self._begin([place(number)], [job, LEASE]))

    async def renew(self, number: int, job: str) -> None:
        await self._renew([place(number)], [job, LEASE])

    async def end(self, number: int, job: str) -> None:
        await self._end([place(number)], [job])


class Jobs:
    """RQ's own side of the queue. It waits for answers, so it is used in threads."""

    def __init__(self, url: str) -> None:
        self._connection = connect(url, socket_timeout=CONNECT_LIMIT, socket_connect_timeout=CONNECT_LIMIT)
        self._queue: Any = Queue(QUEUE, connection=self._connection, serializer=SERIALIZER)

    async def put(self, number: int, job: str) -> None:
        """Without a time limit: a shift ends by itself, and an alarm in the middle of it would be nobody's."""
        try:
            await asyncio.to_thread(self._put, number, job)
        except RedisError as error:
            raise Unavailable("the shift could not be put into the queue") from error

    def _put(self, number: int, job: str) -> None:
        settings = {"job_id": job, "job_timeout": -1, "result_ttl": 0, "failure_ttl": FAILURES_KEPT}
        self._queue.enqueue(JOB, number, job, **settings)

    def close(self) -> None:
        self._connection.close()


def connect(url: str, **options: Any) -> Any:
    """A client of redis-py that waits, as RQ needs one; to all addresses that `storage.connect` knows."""
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
    """Its key."""
    return f"shift:{number}"
