"""Store of registered bots in Redis: one document per bot, changed by compare-and-set.

A change is computed from the document that was read and stored only if that document is still there; otherwise it is
computed again. So two changes at the same time are both kept. The sorted set `due` of bots that need a health check
follows from their state and changes in the same script call. Every bot is read together with its ban or that of its
owner, in one call.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from splito_arena.net.signing import new_secret
from splito_service.bots.model import ID, OPEN_TO, Kind, OpenTo, Registered
from splito_service.errors import NoRoom, UnknownBot
from splito_service.ids import Milliseconds, new_id
from splito_service.owners.bans import BANS
from splito_service.owners.model import Ban
from splito_service.signing_secrets import Secrets
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

SHELF = "bots"
DUE = "bots:due"
MOST_BOTS = 100
"""Number of bots that one owner may have."""


class Page(NamedTuple):
    bots: list[Registered]
    next: str | None
    """Cursor of the next page; None on the last page."""


class Bots:
    """The store of bots in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        names = ("create", "change", "delete", "claim", "read")
        scripts = (link.script(source(f"bots/bot_{name}")) for name in names)
        self._create, self._change, self._delete, self._claim, self._read = scripts

    async def create(
        self, owner: str, kind: Kind, name: str, url: str | None = None, open_to: OpenTo = OPEN_TO
    ) -> Registered:
        """Store and return a new bot. Raise `NoRoom` if the owner has too many."""
        secrets = Secrets(new_secret()) if kind == "push" else None
        bot = Registered(id=new_id(), owner=owner, kind=kind, name=name, url=url, secrets=secrets, open_to=open_to)
        keys = [_bot(bot.id), SHELF, _of_owner(owner)]
        if not await self._create(keys, [bot.id, _encode(bot), MOST_BOTS]):
            raise NoRoom(f"an owner has at most {MOST_BOTS} bots: delete one that is not needed", field="bots")
        return bot

    async def get(self, bot_id: str) -> Registered:
        """Return a bot, with its ban or that of its owner. Raise `UnknownBot` if there is none."""
        return (await self._load(bot_id))[1]

    async def change(self, bot_id: str, how: Callable[[Registered], Registered]) -> Registered:
        """Change a bot with the function `how` and return it. `how` may be called several times and may raise."""
        while True:
            raw, before = await self._load(bot_id)
            after = how(before)
            arguments = [bot_id, raw, _encode(after), int(after.watched)]
            if after == before or await self._change([_bot(bot_id), DUE], arguments):
                return after

    async def delete(self, bot: Registered) -> None:
        await self._delete([_bot(bot.id), SHELF, DUE, _of_owner(bot.owner)], [bot.id])

    async def of_owner(self, owner: str) -> list[Registered]:
        """Return the bots of an owner, newest first."""
        return await self._find(await self._link.call("ZRANGE", _of_owner(owner), 0, -1, "REV"))

    async def page(self, cursor: str | None, limit: int, owner: str | None = None) -> Page:
        """Return a page of all bots, or of the bots of one owner, newest first, from before the bot at the cursor."""
        shelf, latest = _of_owner(owner) if owner else SHELF, f"({cursor}" if cursor else "+"
        ids = await self._link.call("ZRANGE", shelf, latest, "-", "BYLEX", "REV", "LIMIT", 0, limit)
        return Page(await self._find(ids), ids[-1].decode() if len(ids) == limit else None)

    async def due(self, again: Milliseconds, limit: int, now: Milliseconds | None = None) -> list[str]:
        """Return ids of bots that need a health check.

        Other processes do not get them again for `again` milliseconds.
        """
        found = await self._claim([DUE], [again, limit, "" if now is None else now])
        return [bot_id.decode() for bot_id in found]

    async def _find(self, ids: list[bytes]) -> list[Registered]:
        keys = [BANS, *(_bot(bot_id.decode()) for bot_id in ids)]
        found: list[bytes] = await self._read(keys, []) if ids else []
        return [_with_ban(raw, ban) for raw, ban in zip(found[::2], found[1::2], strict=True)]

    async def _load(self, bot_id: str) -> tuple[bytes, Registered]:
        """Return the stored document of a bot, and the bot with its ban. Raise `UnknownBot`."""
        found: list[bytes] = await self._read([BANS, _bot(bot_id)], []) if ID.fullmatch(bot_id) else []
        if not found:
            raise UnknownBot(f"there is no bot {bot_id!r}", field="bot")
        raw, ban = found
        return raw, _with_ban(raw, ban)


def _bot(bot_id: str) -> str:
    return f"bot:{bot_id}"


def _of_owner(owner: str) -> str:
    return f"owner:{owner}:bots"


def _with_ban(raw: bytes, ban: bytes) -> Registered:
    bot = _decode(raw)
    return replace(bot, ban=msgspec.json.decode(ban, type=Ban)) if ban else bot


def _encode(bot: Registered) -> bytes:
    """Return the document of a bot. Its ban is not in it, because organisers change that elsewhere."""
    return msgspec.json.encode(replace(bot, ban=None))


_decode = msgspec.json.Decoder(Registered).decode
