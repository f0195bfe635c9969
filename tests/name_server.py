"""A DNS server on loopback for tests: names under `silent` are never answered, others at once."""

import asyncio
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address
from typing import cast

NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 0, 2, 3
A, NS = 1, 2


class NameServer(asyncio.DatagramProtocol):
    """Made by `name_server`. Answers with `address`, except for the names below; with `down`, nothing at all.

    `x.silent.example` gets no answer, `x.broken.example` a server failure, `x.none.example` is no name. Answers must
    not be cached: their time to live is 0.
    """

    def __init__(self) -> None:
        self.address = IPv4Address("127.0.0.1")
        self.down = False
        self.asked: list[str] = []
        self._transport: asyncio.DatagramTransport | None = None
        self._news = asyncio.Event()

    @property
    def place(self) -> str:
        assert self._transport is not None
        return f"127.0.0.1:{self._transport.get_extra_info('sockname')[1]}"

    async def wait_for(self, name: str) -> None:
        while name not in self.asked:
            self._news.clear()
            await self._news.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name, kind, question = _read(data)
        self.asked.append(name)
        self._news.set()
        if self.down or ".silent." in name:
            return
        code, answers = self._answer(name, kind)
        head = data[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(answers), 0, 0)
        assert self._transport is not None
        self._transport.sendto(head + question + b"".join(answers), addr)

    def _answer(self, name: str, kind: int) -> tuple[int, list[bytes]]:
        if ".broken." in name:
            return SERVER_FAILURE, []
        if ".none." in name:
            return NO_SUCH_NAME, []
        if name == "" and kind == NS:
            return NO_ERROR, [_record(NS, b"\x01a\x00")]
        return NO_ERROR, [_record(A, self.address.packed)] if kind == A else []


@asynccontextmanager
async def name_server() -> AsyncGenerator[NameServer]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(NameServer, local_addr=("127.0.0.1", 0))
    try:
        yield server
    finally:
        transport.close()


def _read(data: bytes) -> tuple[str, int, bytes]:
    """Return the name, the type and the bytes of the question."""
    at, labels = 12, list[str]()
    while length := data[at]:
        labels.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels), struct.unpack_from("!H", data, at + 1)[0], data[12 : at + 5]


def _record(kind: int, value: bytes) -> bytes:
    """Return a record for the name of the question, to which it points back."""
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(value)) + value
