"""A receiver of webhooks in the event loop of the test: it answers with any bytes, or not at all."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from tests.listening import listening
from tests.service.pushed import Called


def answer(status: int, body: bytes = b"", *headers: str) -> bytes:
    lines = "".join(f"{line}\r\n" for line in headers)
    return f"HTTP/1.1 {status} So\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Receiver:
    """A receiver of webhooks, made by `receiving`. A test may change its answer while it runs."""

    def __init__(self) -> None:
        self.url = ""
        self.answer: bytes | None = answer(204)
        """Nothing is no answer at all, for as long as the other side waits."""
        self.called: list[Called] = []
        self.came = asyncio.Event()
        """Something has."""

    @property
    def ids(self) -> list[str]:
        return [called.headers["webhook-id"] for called in self.called]

    @property
    def bodies(self) -> list[Any]:
        return [msgspec.json.decode(called.body) for called in self.called]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            await self._hear(head, reader)
            if self.answer is not None:
                writer.write(self.answer)

    async def _hear(self, head: bytes, reader: asyncio.StreamReader) -> None:
        first, *lines = head.decode().strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.called.append(Called(first, headers, body))
        self.came.set()


@asynccontextmanager
async def receiving() -> AsyncGenerator[Receiver]:
    receiver = Receiver()
    async with listening(receiver.serve, host="127.0.0.1", port=0) as server:
        receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/arena?of=ada"
        yield receiver
