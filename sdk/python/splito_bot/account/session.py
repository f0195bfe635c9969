"""Requests of a command to its service, with every failure as `Trouble`."""

import os
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from urllib.parse import quote

import msgspec

from splito_bot.account.access import Access, Given, find_access
from splito_bot.account.profiles import Profiles
from splito_bot.account.trouble import RefusedByService, Trouble, nonsense, translated
from splito_bot.schemas.bots import Bot, BotPage, BotSummary, OwnAccount
from splito_bot.transport import Query, Transport

T = TypeVar("T")

CONNECT = 10.0
"""Seconds to connect to the service."""
WAIT = 50.0
"""Seconds that the service may take longer than that, because it calls the bot before it answers some requests."""
PAGE = 100
"""Bots or asks in one request: the most that the service allows."""


class Session:
    """A service and a key, and the profile that has both. It is a context manager, because it keeps connections."""

    def __init__(self, access: Access, profiles: Profiles) -> None:
        self.url, self.profile, self.profiles = access.url, access.profile, profiles
        self.key = access.key or ""
        """The key; empty without one."""
        self._transport = Transport(access.url, retries=1, timeout=CONNECT)

    @classmethod
    def open(cls, given: Given, environ: Mapping[str, str] = os.environ) -> Self:
        """Return the session of a command with these options. Raise `Trouble` without a service and a key."""
        profiles = Profiles.of_user(environ)
        return cls(find_access(given, environ, profiles), profiles)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._transport.close()

    def get(self, path: str, kind: type[T], query: Query | None = None, *, public: bool = False) -> T:
        """Return what is at this path. A `public` request carries no key."""
        return self._decoded(self._send("GET", path, query=query, key=None if public else self.key), kind)

    def send(self, method: str, path: str, kind: type[T], body: object = None) -> T:
        return self._decoded(self._send(method, path, body, key=self.key), kind)

    def delete(self, path: str) -> None:
        self._send("DELETE", path, key=self.key)

    def account(self) -> OwnAccount:
        """Return the owner of the key, and its scopes."""
        return self.get("/v1/owner", OwnAccount)

    def bots(self) -> list[BotSummary]:
        """Return all bots of the owner, newest first."""
        owner, found, cursor = self.account().id, list[BotSummary](), ""
        while True:
            page = self.get("/v1/bots", BotPage, {"owner": owner, "limit": PAGE, "cursor": cursor or None})
            found += page.bots
            if page.next is None:
                return found
            cursor = page.next

    def bot(self, bot_id: str) -> Bot:
        """Return a bot; with a key that may not read the fields of its owner, without these."""
        path = path_of("bots", bot_id)
        try:
            return self.get(path, Bot)
        except RefusedByService as error:
            if error.refusal != "wrong-scope":
                raise
            return self.get(path, Bot, public=True)

    def _send(
        self, method: str, path: str, body: object = None, *, query: Query | None = None, key: str | None
    ) -> bytes:
        with translated(self.url):
            return self._transport.send(method, path, query=query, body=body, token=key, wait=WAIT)

    def _decoded(self, answer: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise nonsense(self.url, error) from None


def path_of(*parts: str) -> str:
    """Return the path of a thing: `path_of("bots", bot_id, "checks")`."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def pick(bots: list[BotSummary], word: str | None) -> BotSummary:
    """Return the bot with this id or name; without a word, the only bot. Raise `Trouble` if that is not one bot."""
    found = [bot for bot in bots if word in (None, bot.id)] or [bot for bot in bots if bot.name == word]
    if len(found) == 1:
        return found[0]
    if not bots:
        raise Trouble("unknown-bot", "you have no bot here", "register one: `splito-bot register NAME --pull`")
    if not found:
        raise Trouble("unknown-bot", f"you have no bot {word!r} here", f"name one of yours: {_named(bots)}")
    what = "you have several bots" if word is None else f"several of your bots are called {word!r}"
    raise Trouble("unknown-bot", what, f"name one, by its id if need be: {_named(found)}")


def _named(bots: list[BotSummary]) -> str:
    shown = ", ".join(f"{bot.name} ({bot.id})" for bot in bots[:5])
    return shown if len(bots) <= 5 else f"{shown}, …"


def encoded(data: Any) -> str:
    """Return the JSON that `--json` prints."""
    return msgspec.json.encode(data).decode()
