"""Bots over HTTP for the checks: a good one, and others that are each wrong in one thing."""

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from random import Random
from typing import Any

import msgspec

from splito_arena.bots.push_client import proof
from splito_arena.checks import Address
from splito_arena.errors import BadSignature
from splito_arena.match.messages import AskOf, BotInfo
from splito_arena.net.signing import Key, Seen, new_secret, verify
from tests.arena.net.servers import HOST, bot

SECRET = new_secret()


class Refused(Exception):
    """`Refused(404)`."""


class GoodBot:
    """A bot without faults; broken bots override what they do wrongly."""

    INFO = BotInfo(name="owl", author="me", version="3", games=["splitit"], batch=8, concurrency=4, notices=True)

    def __init__(self, secret: str | None = SECRET) -> None:
        self.secret = secret
        self.seen = Seen(100_000)
        self.over = asyncio.Event()
        """Event that ends the waiting of bots that hang."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            path, headers, body = await read_request(reader)
            try:
                said, status = await self.respond(path, headers, body), 200
            except Refused as refused:
                said, status = {}, refused.args[0]
            writer.write(response(status, self.encode(said)))

    async def respond(self, path: str, headers: Mapping[str, str], body: bytes) -> Any:
        self.admit(headers, body)
        if path == "/info":
            return self.info()
        handle = {"/ask": self.ask, "/batch": self.batch, "/challenge": self.meet}.get(path, self.note)
        return await handle(msgspec.json.decode(body))

    def admit(self, headers: Mapping[str, str], body: bytes) -> None:
        if self.secret is not None:
            try:
                self.seen.admit(verify([self.secret], headers, body, time.time()), time.time())
            except BadSignature:
                raise Refused(401) from None

    def info(self) -> Any:
        return self.INFO

    async def ask(self, ask: dict[str, Any]) -> Any:
        return {"ask": ask["id"], "move": Random(ask["seed"]).choice(ask["moves"])}

    async def batch(self, batch: dict[str, Any]) -> Any:
        return {"answers": [await self.ask(ask) for ask in reversed(batch["asks"])]}

    async def meet(self, challenge: dict[str, str]) -> Any:
        return {"answer": proof(self.secret or "", challenge["challenge"])}

    async def note(self, _: Any) -> Any:
        return {}

    def encode(self, said: Any) -> bytes:
        return msgspec.json.encode(said)


class ByIndex(GoodBot):
    async def ask(self, ask: dict[str, Any]) -> Any:
        return {"index": Random(ask["seed"]).randrange(len(ask["moves"])), "debug": "at random"}

    async def batch(self, batch: dict[str, Any]) -> Any:
        return {"answers": [{"ask": ask["id"], **await self.ask(ask)} for ask in batch["asks"]]}


class QuietNotices(GoodBot):
    """Says nothing to a notice, which is allowed."""

    async def note(self, _: Any) -> Any:
        raise Refused(204)


class CountsFromOne(ByIndex):
    async def ask(self, ask: dict[str, Any]) -> Any:
        return {"index": len(ask["moves"])}


class NoJson(GoodBot):
    INFO = msgspec.structs.replace(GoodBot.INFO, batch=0)

    def encode(self, said: Any) -> bytes:
        return super().encode(said) if isinstance(said, BotInfo) or "move" not in said else b"left, please"


class FourAreTooMany(GoodBot):
    async def ask(self, ask: dict[str, Any]) -> Any:
        if ask["players"] == 4:
            raise Refused(500)
        return await super().ask(ask)


class HangsWithFour(GoodBot):
    async def ask(self, ask: dict[str, Any]) -> Any:
        if ask["players"] == 4:
            await self.over.wait()
        return await super().ask(ask)


class ForgetsIds(GoodBot):
    async def batch(self, batch: dict[str, Any]) -> Any:
        return {"answers": [{"move": ask["moves"][0]} for ask in batch["asks"]]}


class AnswersFour(GoodBot):
    """Of eight, as it has declared."""

    async def batch(self, batch: dict[str, Any]) -> Any:
        return await super().batch({"asks": batch["asks"][:4]})


class Remembers(GoodBot):
    """Plays on only where it has seen the beginning."""

    def __init__(self, secret: str | None = SECRET) -> None:
        super().__init__(secret)
        self.begun: set[str] = set()

    async def ask(self, ask: dict[str, Any]) -> Any:
        if ask["turn"] == 0:
            self.begun.add(ask["match"])
        if ask["match"] not in self.begun:
            raise Refused(500)
        return await super().ask(ask)


class OneConnection(GoodBot):
    """Hangs up on a second one."""

    INFO = msgspec.structs.replace(GoodBot.INFO, batch=0, concurrency=1, notices=False)
    connected = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.connected:
            return
        self.connected = True
        try:
            await super().serve(reader, writer)
        finally:
            self.connected = False


class Wavers(GoodBot):
    """The same ask, another answer."""

    def __init__(self, secret: str | None = SECRET) -> None:
        super().__init__(secret)
        self.count = itertools.count()

    async def ask(self, ask: dict[str, Any]) -> Any:
        return {"ask": ask["id"], "move": ask["moves"][next(self.count) % len(ask["moves"])]}


class Correct(GoodBot):
    """And never to be corrected."""

    async def ask(self, ask: dict[str, Any]) -> Any:
        if ask["rejected"] is not None:
            raise Refused(500)
        return await super().ask(ask)


class Strict(GoodBot):
    async def ask(self, ask: dict[str, Any]) -> Any:
        if not ask.keys() <= {"game", *AskOf.__struct_fields__}:
            raise Refused(400)
        return await super().ask(ask)


class Boasts(GoodBot):
    """Says 64 at once, and can do 8."""

    INFO = msgspec.structs.replace(GoodBot.INFO, concurrency=64)
    busy = 0

    async def ask(self, ask: dict[str, Any]) -> Any:
        self.busy += 1
        try:
            for _ in range(100):
                await asyncio.sleep(0)
            if self.busy > 8:
                raise Refused(503)
            return await super().ask(ask)
        finally:
            self.busy -= 1


class Defers(GoodBot):
    """A bot that answers the previous ask when it is asked again."""

    deferred: dict[str, Any] | None = None

    async def ask(self, ask: dict[str, Any]) -> Any:
        if ask["time"]["allowed_ms"] < 10:
            self.deferred = ask
            await self.over.wait()
        first, self.deferred = self.deferred or ask, None
        return await super().ask(first)


class WantsNoNotices(GoodBot):
    """But says so."""

    async def note(self, _: Any) -> Any:
        raise Refused(404)


class Trusts(GoodBot):
    def admit(self, headers: Mapping[str, str], body: bytes) -> None:
        """Anybody may come."""


class NeverForgetsOnce(GoodBot):
    """Verifies, but lets the same come twice."""

    def admit(self, headers: Mapping[str, str], body: bytes) -> None:
        self.seen = Seen(100_000)
        super().admit(headers, body)


class BreaksOnForgery(GoodBot):
    def admit(self, headers: Mapping[str, str], body: bytes) -> None:
        try:
            super().admit(headers, body)
        except Refused:
            raise Refused(500) from None


class LostItsSecret(GoodBot):
    async def meet(self, challenge: dict[str, str]) -> Any:
        return {"answer": proof(new_secret(), challenge["challenge"])}


class Nameless(GoodBot):
    def info(self) -> Any:
        return {"author": "me", "version": "3", "games": ["splitit"]}


class OfTomorrow(GoodBot):
    def info(self) -> Any:
        return {**msgspec.to_builtins(self.INFO), "contract": 2}


class PlaysChess(GoodBot):
    INFO = msgspec.structs.replace(GoodBot.INFO, games=["chess"])


class PlaysChessToo(GoodBot):
    INFO = msgspec.structs.replace(GoodBot.INFO, games=["chess", "splitit"])


@asynccontextmanager
async def address_of(good: GoodBot, secret: str | None = SECRET) -> AsyncGenerator[Address]:
    async with bot(good.serve) as target:
        url = f"http://{HOST}:{target.port}"
        try:
            yield Address(url, Key(secret) if secret else None, allow_private=True)
        finally:
            good.over.set()


async def read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
    headers = dict(line.split(": ", 1) for line in lines[1:])
    return lines[0].split()[1], headers, await reader.readexactly(int(headers.get("Content-Length", 0)))


def response(status: int, body: bytes) -> bytes:
    if status == 204:
        return b"HTTP/1.1 204 No Content\r\n\r\n"
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
