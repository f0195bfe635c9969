"""Clients of redis-py for an address `redis://`, `rediss://` or `unix://`, or for Sentinels that know the server:

    redis+sentinel://[user[:password]@]host[:port][,host[:port]...]/master-name[/db]

User and password are those of the server with the data; the Sentinels have their own as `sentinel_username` and
`sentinel_password` in the query.
"""

from typing import Any, TypeAlias
from urllib.parse import unquote

import redis.asyncio
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff

from splito_service.redis_address import RedisAddress, read_redis_address

Client: TypeAlias = Any
"""A `redis.asyncio.Redis`. Its own annotations are half unknown, which strict checking refuses at every call."""

CONNECTIONS = 32
"""Maximum number of connections per process. A caller that finds all of them busy waits."""
SENTINEL_LIMIT = 0.5
"""Seconds for one Sentinel to answer, so that a dead one leaves time to ask the next."""


class Sentinels(Sentinel):
    """The Sentinels. No connection to them is kept, because they are needed again only after a failover."""

    async def discover_master(self, service_name: str) -> Any:
        asked: Any = super()
        try:
            return await asked.discover_master(service_name)
        finally:
            await self.aclose()


def connect(url: str) -> Client:
    """Return a client that has not connected yet. Raise `ValueError` for an invalid address."""
    address = read_redis_address(url)
    if address.has_sentinels:
        return _behind_sentinels(address)
    pools: Any = redis.asyncio.BlockingConnectionPool
    return redis.asyncio.Redis.from_pool(pools.from_url(url, max_connections=CONNECTIONS, timeout=None))


def has_sentinels(url: str) -> bool:
    return read_redis_address(url).has_sentinels


def _behind_sentinels(address: RedisAddress) -> Client:
    options: dict[str, Any] = {**parse_url(address.server_url)}
    for_them: dict[str, Any] = {
        "username": options.pop("sentinel_username", None),
        "password": options.pop("sentinel_password", None),
        "socket_connect_timeout": SENTINEL_LIMIT,
        "socket_timeout": SENTINEL_LIMIT,
        "retry": Retry(NoBackoff(), 0),
    }
    sentinels: Any = Sentinels(list(address.places), sentinel_kwargs=for_them)
    return sentinels.master_for(unquote(address.master), **options)
