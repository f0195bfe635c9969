"""Clients of push bots with a name server and a recorder of requests of the test."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from splito_arena.bots.push_client import BotClient, Letter
from splito_arena.faults import Fault
from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import Reply
from splito_arena.net.signing import Key
from tests.arena.net.servers import HOST, LONG, NAME, answer, read_request


class Dns:
    """Gives its answers in turn, the last one for ever, and notes for whom it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers[min(len(self.asked), len(self.answers)) - 1].split()


class Requests:
    """A server that notes what came, and answers the same to all of it."""

    def __init__(self, body: bytes = b"{}") -> None:
        self.heads: list[list[str]] = []
        self.bodies: list[bytes] = []
        self._answer = answer(body)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            self.heads.append([line.decode() for line in head])
            self.bodies.append(body)
            writer.write(self._answer)

    @property
    def headers(self) -> list[dict[str, str]]:
        return [dict(line.split(": ", 1) for line in head[1:]) for head in self.heads]

    @property
    def lines(self) -> list[str]:
        return [head[0] for head in self.heads]


def client_of(  # noqa: PLR0913 (what a client is made of)
    caller: Caller,
    port: int,
    dns: Callable[[str, int], Awaitable[Sequence[str]]] | None = None,
    *,
    key: Key | None = None,
    scheme: str = "http",
    path: str = "/",
) -> BotClient:
    url = f"{scheme}://{NAME}:{port}{path}"
    return BotClient(caller, url, key, allow_private=True, lookup=dns or Dns(HOST))


async def sent(client: BotClient, limit: float = LONG, letter: str = "x-1") -> tuple[str | bytes, float]:
    """The body of what came, or the code of the fault; and after how many seconds in all."""
    begun = client.clock()
    outcome = await asyncio.wait_for(client.sent(Letter("ask", letter, b"{}", limit)), LONG)
    total = client.clock() - begun
    if isinstance(outcome, Reply):
        return outcome.body, total
    if isinstance(outcome, Fault):
        return outcome.code, total
    raise outcome


async def outcome(client: BotClient, limit: float = LONG) -> str | bytes:
    return (await sent(client, limit))[0]
