"""A bot that is not the limit of a benchmark: it answers with the first legal move, and implements little of HTTP.

python -m benchmarks.playing.bot PORT BATCH
"""

import asyncio
import re
import sys

import msgspec
import uvloop
from httptools import HttpRequestParser

from benchmarks.serving.server import HOST
from splito_arena.match.messages import BotInfo

ANSWER = b'{"index":0}'
ID = re.compile(rb'\{"game":"[a-z]+","id":"([A-Za-z0-9_-]+)"')
"""Pattern of the first bytes of an ask."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Talk(asyncio.Protocol):
    def __init__(self, info: bytes) -> None:
        self._info = info
        self._parser = HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._path, self._parts = b"", list[bytes]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # pyright: ignore[reportAttributeAccessIssue] (uvloop's is one in all but name)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self._path = url
        self._parts.clear()

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)

    def on_message_complete(self) -> None:
        body = ANSWER
        if self._path == b"/info":
            body = self._info
        elif self._path == b"/batch":
            ids = ID.findall(b"".join(self._parts))
            body = b'{"answers":[%b]}' % b",".join(b'{"ask":"%b","index":0}' % one for one in ids)
        if self._transport is not None:
            self._transport.write(HEAD % len(body) + body)


async def main(port: int, batch: int) -> None:
    info = BotInfo(
        name="first", author="bench", version="1", games=["splito", "splitit", "splitter"], batch=batch, concurrency=256
    )
    told = msgspec.json.encode(info)
    server = await asyncio.get_running_loop().create_server(lambda: Talk(told), HOST, port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
