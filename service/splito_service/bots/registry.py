"""What is done with registered bots: is it the owner's, does it still live, which secrets sign what it is sent.

A bot that has proved itself is looked at now and then by whichever process claims it. It is disabled when it has failed
some times in a row, and enabled again when it has answered some times in a row; the owner is told what was wrong, by
the hooks that want to know at once. A look-up of its name without an answer is no failure of the bot: it changes
nothing if our own resolver is in trouble, and otherwise disables the bot only after a longer time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

from msgspec.structs import replace

from splito_arena.bots.push_client import BotClient
from splito_arena.checks import Address
from splito_arena.errors import BadAddress, LookupFailed
from splito_arena.faults import FAULTS, Fault
from splito_arena.match.messages import BotInfo
from splito_arena.net.allowed_addresses import Lookup, read_address
from splito_arena.net.http_client import Caller
from splito_arena.net.resolver import Resolver, ask_dns
from splito_arena.net.signing import Key
from splito_service.bots.announce import announce_disabled
from splito_service.bots.model import Kind, Registered, covers
from splito_service.bots.store import Bots
from splito_service.errors import NotProved, Unavailable, UnknownBot
from splito_service.ids import Milliseconds
from splito_service.signing import Signer
from splito_service.webhooks.store import Outbox

FAILURES = 3
"""Looks in a row after which a bot is disabled."""
SILENCES = 10  # looks in a row whose look-up of the name had no answer, after which a bot is disabled
PASSES = 2
"""Looks in a row after which it is enabled again."""
PAUSE = 1.0
"""Seconds between two sweeps: how late a look may be."""
BATCH = 32
"""Bots that one sweep looks at, all at once."""
AT_ONCE = 256  # bots that one process looks at, so that slow ones hold up no others

log = logging.getLogger("splito.registry")


class Registry:
    """Used in the event loop of its caller."""

    def __init__(  # noqa: PLR0913 (what a registry works with)
        self,
        bots: Bots,
        signer: Signer,
        caller: Caller,
        allow_private: bool,
        outbox: Outbox | None = None,
        *,
        resolver: Resolver | None = None,
    ) -> None:
        """Without an outbox no owner is told of a disabled bot; without a resolver no owner has a limit of look-ups."""
        self._bots, self._signer, self._caller = bots, signer, caller
        self._allow_private, self._outbox, self._resolver = allow_private, outbox, resolver
        self._looks: set[asyncio.Task[None]] = set()

    async def address(self, bot: Registered) -> Address:
        """Where a push bot is asked, and with what it is signed."""
        return Address(bot.url or "", await self._key(bot), self._allow_private, self._lookup(bot))

    async def client(self, bot: Registered) -> BotClient:
        """The way to a push bot. Raises `BadAddress` if its address is no longer one that we call."""
        return (await self.address(bot)).client(self._caller)

    def check_url(self, kind: Kind, url: str | None) -> None:
        """A push bot has an address that can be read in one way only, and a pull bot has none. Raises `BadAddress`."""
        if kind == "pull" and url is not None:
            raise BadAddress("a pull bot is not called: leave out its address", field="url")
        if kind == "push":
            if url is None:
                raise BadAddress("a push bot is called: say at which address", field="url")
            read_address(url, any_port=self._allow_private)

    async def prove(self, bot: Registered) -> Registered:
        """Return the bot, ready to play, after its address has shown that it knows the secret and what it plays.

        Raise `NotProved` if it has not, `LookupFailed` if its name could not be looked up.
        """
        client = await self._first_client(bot)
        try:
            info = await client.info()
            await client.prove()
        except Fault as fault:
            raise NotProved(f"{fault}; {FAULTS[fault.code].advice}", field="url") from None
        return await self._bots.change(bot.id, partial(_proved, seen=bot, info=info))

    async def look(self, bot_id: str) -> None:
        """Is it still there? If we are in trouble ourselves, that is not held against it."""
        try:
            bot = await self._bots.get(bot_id)
            if bot.watched:
                after = await self._bots.change(bot_id, partial(_if_same, seen=bot, how=await self._ask(bot)))
                if self._outbox is not None and bot.state == "ready" and after.state == "disabled":
                    await announce_disabled(self._outbox, after)
        except (Unavailable, UnknownBot, OSError) as error:
            log.warning("bot %s could not be looked at: %s", bot_id, error)

    async def _ask(self, bot: Registered) -> Callable[[Registered], Registered]:
        try:
            client = await self._first_client(bot)
            return partial(_answered, info=await client.info())
        except LookupFailed as error:
            log.warning("bot %s: %s", bot.id, error)
            return partial(_silent, why=str(error)) if error.theirs else _same
        except (Fault, BadAddress) as error:
            return partial(_failed, why=str(error))

    async def _first_client(self, bot: Registered) -> BotClient:
        """For what may change which signatures it wants."""
        key = await self._full_key(bot)
        return BotClient(self._caller, bot.url or "", key, self._allow_private, self._lookup(bot))

    async def _key(self, bot: Registered) -> Key | None:
        """Return the key of all that this bot is sent while it plays; None for a pull bot, which is sent nothing."""
        key = await self._full_key(bot)
        return key if key is None or (bot.info and bot.info.ed25519) else replace(key, ed25519=())

    async def _full_key(self, bot: Registered) -> Key | None:
        """Return the key of the first requests to a bot, before it is known which signatures it wants."""
        return None if bot.secrets is None else await self._signer.key(bot.secrets, bot.id)

    def _lookup(self, bot: Registered) -> Lookup:
        return ask_dns if self._resolver is None else self._resolver.of(bot.owner)

    async def sweep(self, seconds: int) -> None:
        """Look at each bot every so many seconds, for ever. Nothing waits for a bot that is slow."""
        try:
            await self._sweep(seconds)
        finally:
            for look in self._looks:
                look.cancel()
            await asyncio.gather(*self._looks, return_exceptions=True)

    async def _sweep(self, seconds: int) -> None:
        while True:
            try:
                while (room := AT_ONCE - len(self._looks)) > 0:
                    ids = await self._bots.due(1000 * seconds, min(BATCH, room))
                    self._look_soon(ids)
                    if len(ids) < BATCH:
                        break
            except Unavailable:
                pass  # whoever is due stays due
            except Exception:
                log.exception("sweep failed")
            await asyncio.sleep(PAUSE)

    def _look_soon(self, ids: Sequence[str]) -> None:
        for bot_id in ids:
            look = asyncio.create_task(self.look(bot_id))
            self._looks.add(look)
            look.add_done_callback(self._looks.discard)

    async def sweep_once(self, seconds: int, now: Milliseconds | None = None) -> int:
        """How many bots were due, now or at that time."""
        ids = await self._bots.due(1000 * seconds, BATCH, now)
        await asyncio.gather(*(self.look(bot_id) for bot_id in ids))
        return len(ids)


@asynccontextmanager
async def sweeping(registry: Registry, seconds: int) -> AsyncGenerator[None]:
    """Meanwhile every bot is looked at each so many seconds; with 0, none is."""
    sweeper = asyncio.create_task(registry.sweep(seconds)) if seconds else None
    try:
        yield
    finally:
        if sweeper is not None:
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper


def passed(bot: Registered, seen: Registered) -> Registered:
    """What was seen has passed the checks; the bot has, if it is still that."""
    if bot.info is None or seen.info is None or bot.url != seen.url or not covers(seen.info, bot.info):
        return bot
    return replace(bot, passed=bot.info.version)


def _proved(bot: Registered, seen: Registered, info: BotInfo) -> Registered:
    if bot.url != seen.url:
        raise NotProved("its address was changed meanwhile: prove that one", field="url")
    return replace(bot.told(info), state="ready", reason=None, failures=0, silences=0, passes=0)


def _if_same(bot: Registered, seen: Registered, how: Callable[[Registered], Registered]) -> Registered:
    """What was seen at another address says nothing about this one."""
    return how(bot) if bot.watched and bot.url == seen.url else bot


def _answered(bot: Registered, info: BotInfo) -> Registered:
    passes = min(bot.passes + 1, PASSES)
    bot = replace(bot.told(info), passes=passes, failures=0, silences=0)
    return replace(bot, state="ready", reason=None) if bot.state == "ready" or passes == PASSES else bot


def _same(bot: Registered) -> Registered:
    return bot


def _silent(bot: Registered, why: str) -> Registered:
    """Return the bot after one more look without an answer of DNS. Failures neither grow nor are forgotten."""
    silences = bot.silences + 1
    if silences < SILENCES:
        return replace(bot, silences=silences, passes=0)
    reason = f"{why} ({silences} times in a row when we looked)"
    return replace(bot, state="disabled", reason=reason, silences=silences, passes=0)


def _failed(bot: Registered, why: str) -> Registered:
    failures = bot.failures + 1
    state = "disabled" if failures >= FAILURES else bot.state
    reason = f"{'once' if failures == 1 else f'{failures} times'} in a row when we looked: {why}"
    return replace(bot, state=state, reason=reason, failures=failures, silences=0, passes=0)
