"""The way to Redis: `redis://`, `rediss://` or `unix://`."""

from typing import Any, TypeAlias

import redis.asyncio

Client: TypeAlias = Any
"""A `redis.asyncio.Redis`. Its own annotations are half unknown, which strict checking refuses at every call."""

CONNECTIONS = 32
"""Per process. Whoever finds all of them busy waits; nobody is turned away."""


def connect(url: str) -> Client:
    pools: Any = redis.asyncio.BlockingConnectionPool
    return redis.asyncio.Redis.from_pool(pools.from_url(url, max_connections=CONNECTIONS, timeout=None))
