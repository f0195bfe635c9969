"""An answer of unknown length, sent piece by piece: event streams and dumps."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from litestar.types import Receive, Scope, Send

from splito_service.http.answers.responses import Headers
from splito_service.http.common import wait_for_leave
from splito_service.http.limits.streams import Place


class Streamed:
    """Sends what a generator yields, until it ends or the client leaves.

    The next piece is asked for when the server has taken the one before, so a client that reads slowly delays its own
    stream only, and nothing is kept for it.
    """

    def __init__(
        self, pieces: AsyncGenerator[bytes], kind: str, headers: Headers = (), place: Place | None = None
    ) -> None:
        self._pieces, self._place = pieces, place
        self._headers = [(b"content-type", kind.encode()), *headers]

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            await _first_to_end(self._pump(send), wait_for_leave(receive))
        finally:
            if self._place is not None:
                self._place.close()
            await self._pieces.aclose()

    async def _pump(self, send: Send) -> None:
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _first_to_end(*works: Any) -> None:
    """Run all until one of them ends, cancel the others, and raise what that one raised."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
