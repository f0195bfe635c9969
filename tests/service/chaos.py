"""Badly behaved clients: they play many matches at once and send repeated, contradictory and late moves.

They speak HTTP over connections of their own, as lean as can be, and note whatever was acknowledged to them.
"""

import asyncio
from random import Random
from typing import Any

import msgspec

ACKNOWLEDGED, CONFLICT, UNAVAILABLE = 200, 409, 503


class Table(msgspec.Struct, frozen=True):
    game: str
    id: str
    tokens: list[str | None]

    @property
    def path(self) -> str:
        return f"/v1/{self.game}/matches/{self.id}"


class Said(msgspec.Struct, frozen=True):
    match: str
    turn: int
    seat: int
    move: str
    """As JSON."""


class Journal(msgspec.Struct):
    """Moves that the clients have sent, and the moves that the service has acknowledged."""

    sent: set[Said] = set()
    acknowledged: list[Said] = []


class Gone(Exception):
    """The process was killed, or is not there yet."""


class Connections:
    """To all processes of the service; one at a time is used."""

    def __init__(self, ports: list[int], rng: Random) -> None:
        self._ports, self._rng = ports, rng
        self._open: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def ask(self, method: str, path: str, token: str | None = None, body: Any = None) -> tuple[int, Any]:
        """Any of the processes: status and body."""
        port = self._rng.choice(self._ports)
        try:
            if port not in self._open:
                self._open[port] = await asyncio.open_connection("127.0.0.1", port)
            return await self._exchange(*self._open[port], _request(method, path, token, body))
        except (OSError, EOFError) as error:
            if port in self._open:
                self._open.pop(port)[1].close()
            raise Gone from error

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
    ) -> tuple[int, Any]:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        raw = await reader.readexactly(length)
        return int(head.split(b" ", 2)[1]), msgspec.json.decode(raw)

    def close(self) -> None:
        for _, writer in self._open.values():
            writer.close()


def _request(method: str, path: str, token: str | None, body: Any) -> bytes:
    raw = b"" if body is None else msgspec.json.encode(body)
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(raw)}"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += ["Content-Type: application/json"] if raw else []
    return "\r\n".join([*lines, "", ""]).encode() + raw


async def persist(connections: Connections, *request: Any) -> tuple[int, Any]:
    """Repeat a request until a server process answers."""
    while True:
        try:
            status, body = await connections.ask(*request)
        except Gone:
            await asyncio.sleep(0.05)
            continue
        if status != UNAVAILABLE:
            return status, body


async def misbehave(ports: list[int], tables: list[Table], seed: str, journal: Journal) -> None:
    """Until all these matches are over."""
    rng = Random(seed)
    connections, going = Connections(ports, rng), list(tables)
    while going:
        table = rng.choice(going)
        try:
            if await _act(connections, table, rng, journal):
                going.remove(table)
        except Gone:
            await asyncio.sleep(0.02)
    connections.close()


async def _act(connections: Connections, table: Table, rng: Random, journal: Journal) -> bool:
    """Make one decision for a seat; return True if the match is over."""
    seat, token = rng.choice([(seat, token) for seat, token in enumerate(table.tokens) if token])
    status, own = await connections.ask("GET", table.path, token)
    if status != ACKNOWLEDGED or own["status"] == "over" or not own["legal_moves"]:
        return status == ACKNOWLEDGED and own["status"] == "over"
    turn, move = own["turn"], rng.choice(own["legal_moves"])
    if turn and rng.random() < 0.1:
        turn -= 1  # an answer to yesterday's question
    said = Said(table.id, turn, seat, msgspec.json.encode(move).decode())
    journal.sent.add(said)
    for _ in range(rng.choice((1, 1, 2))):
        path = f"{table.path}/turns/{turn}/seats/{seat}"
        status, answer = await connections.ask("PUT", path, token, {"move": move})
        assert status in (ACKNOWLEDGED, CONFLICT, UNAVAILABLE), answer
        if status == ACKNOWLEDGED:
            journal.acknowledged.append(said)
    return False
