"""Bots over HTTP that keep to the contract: a function from an ask, as JSON, to an answer."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias

from splito_engine.registry import games
from tests.arena.net.servers import Serve, answer, read_request

Reply: TypeAlias = Callable[[dict[str, Any]], Any]
Check: TypeAlias = Callable[[dict[str, str], bytes], None]


def first(_ask: dict[str, Any]) -> dict[str, Any]:
    return {"index": 0}


def last(ask: dict[str, Any]) -> dict[str, Any]:
    return {"move": ask["moves"][-1], "debug": f"turn {ask['turn']}"}


def plays(reply: Reply = first, check: Check | None = None, **info: Any) -> Serve:
    """Anything but an object is sent as it is. `check` sees the headers and the body of every ask."""
    told = {"name": "guest", "author": "a test", "version": "1", "games": [*games()], "concurrency": 64, **info}

    def respond(path: str, headers: dict[str, str], body: bytes) -> bytes:
        if path.endswith("/info"):
            return answer(json.dumps(told).encode())
        if check is not None:
            check(headers, body)
        if path.endswith("/batch"):
            asks = json.loads(body)["asks"]
            return answer(json.dumps({"answers": [{"ask": ask["id"], **reply(ask)} for ask in asks]}).encode())
        said: Any = reply(json.loads(body)) if path.endswith("/ask") else {}
        return said if isinstance(said, bytes) else answer(json.dumps(said).encode())

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            fields = (line.decode().partition(": ") for line in head[1:])
            headers = {name.lower(): value for name, _, value in fields}
            writer.write(respond(head[0].decode().split()[1], headers, body))

    return serve
