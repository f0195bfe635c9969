"""A bot that is called over HTTP and keeps what it was sent, and questions to ask it."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.faults import Fault
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import AskOutcome, asked
from splito_arena.match.question import History, Question, question
from splito_arena.net.allowed_addresses import Lookup
from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target
from splito_arena.net.signing import Key, new_secret
from splito_engine.game import AnyGame
from splito_engine.games import splito
from splito_engine.match import Match, start
from splito_engine.player import Answer, Time
from tests.arena.net.servers import HOST, LONG, NAME, answer, read_request

GAME: AnyGame = splito
LIMIT_MS = 1000 * int(LONG)
SECRET = new_secret()
KEY = Key(SECRET)


class Served(msgspec.Struct):
    """One request as it came."""

    what: str
    headers: dict[str, str]
    body: bytes

    @property
    def asks(self) -> list[dict[str, Any]]:
        said = json.loads(self.body)
        return said["asks"] if self.what == "batch" else [said]

    @property
    def ids(self) -> list[str]:
        return [ask["id"] for ask in self.asks]


def first_moves(served: Served) -> bytes:
    answers = [{"ask": ask["id"], "index": 0} for ask in served.asks]
    return json.dumps({"answers": answers} if served.what == "batch" else answers[0]).encode()


class Bots:
    """A server of bots that counts its simultaneous requests. While its `gate` is shut it answers no request."""

    def __init__(self, reply: Callable[[Served], bytes] = first_moves, *, shut: bool = False) -> None:
        self.served: list[Served] = []
        self.busy = self.busiest = 0
        self.came = asyncio.Condition()
        self.gate = asyncio.Semaphore(0 if shut else 1_000_000)
        self._reply = reply

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            served = Served(*_path_and_headers(head), body)
            if served.what in {"ask", "batch"}:
                self.busy += 1
                self.busiest = max(self.busiest, self.busy)
            async with self.came:
                self.served.append(served)
                self.came.notify_all()
            await self.gate.acquire()
            await asyncio.sleep(0)  # so that others may come meanwhile
            if served.what in {"ask", "batch"}:
                self.busy -= 1
                writer.write(answer(self._reply(served)))
            else:
                writer.write(answer(b"{}"))

    async def wait_for(self, requests: int) -> None:
        async with self.came, asyncio.timeout(LONG):
            await self.came.wait_for(lambda: len(self.served) >= requests)

    def open(self, requests: int = 1_000_000) -> None:
        for _ in range(min(requests, 1000)):
            self.gate.release()

    @property
    def ids(self) -> list[list[str]]:
        return [served.ids for served in self.served]


def _path_and_headers(head: Sequence[bytes]) -> tuple[str, dict[str, str]]:
    path = head[0].split(b" ")[1].decode()
    return path.removeprefix("/"), dict(line.decode().split(": ", 1) for line in head[1:])


async def lookup(_host: str, _port: int) -> Sequence[str]:
    return [HOST]


def push(caller: Caller, target: Target | int, dns: Lookup = lookup, key: Key = KEY, **info: Any) -> Push:
    port = target if isinstance(target, int) else target.port
    client = BotClient(caller, f"http://{NAME}:{port}", key, allow_private=True, lookup=dns)
    return Push(client, BotInfo(name="Ada", author="Grace", version="1", games=["splito"], **info))


def ask(match: str, seat: int = 0, *, allowed_ms: int = LIMIT_MS, game: AnyGame = splito) -> Question:
    dealt: Match = start(game, 4, "7")
    return question(dealt, seat, match, History(), time=Time(allowed_ms, allowed_ms, 0))


def asks(count: int, game: AnyGame = splito, name: str = "m") -> list[Question]:
    return [ask(f"{name}{number}", number % 4, game=game) for number in range(count)]


async def all_asked(player: Push, questions: Iterable[Question]) -> list[AskOutcome]:
    async with asyncio.timeout(LONG):
        return await asyncio.gather(*(asked(player, one) for one in questions))


def code(heard: AskOutcome) -> str:
    if isinstance(heard.answer, Answer):
        return "ok"
    assert isinstance(heard.answer, Fault)
    return heard.answer.code
