"""Registry of bots: proof of ownership, health checks, and the secrets that sign requests.

A process claims a proved bot now and then and sends it a health check. The registry disables a bot after some failures
in a row, enables it again after some passes in a row, and tells the owner the reason through webhooks. A DNS look-up
without an answer is not a failure of the bot: it changes nothing if the resolver of the arena is in trouble, and
otherwise disables the bot only after a longer time.
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
from splito_arena.faults import FAULTS, Fault, explained
from splito_arena.match.messages import BotInfo
from splito_arena.net.allowed_addresses import Lookup, check_literal, read_address
from splito_arena.net.http_client import Caller
from splito_arena.net.resolver import Resolver, ask_dns
from splito_arena.net.signing import Key
from splito_service.bots.announce import announce_disabled
from splito_service.bots.conduct import Conduct
from splito_service.bots.model import Kind, Registered, covers
from splito_service.bots.store import Bots
from splito_service.errors import NotProved, Unavailable, UnknownBot
from splito_service.ids import Milliseconds
from splito_service.signing import Signer
from splito_service.webhooks.store import Outbox

FAILURES = 3
"""Number of failed health checks in a row that disables a bot."""
SILENCES = 10  # number of health checks in a row without an answer of DNS that disables a bot
PASSES = 2
"""Number of passed health checks in a row that enables a disabled bot."""
PAUSE = 1.0
"""Seconds between two sweeps, which is also the largest delay of a health check."""
BATCH = 32
"""Number of bots that one sweep checks concurrently."""
AT_ONCE = 256  # health checks that a process runs concurrently, so that slow bots do not delay others

log = logging.getLogger("splito.registry")


class Registry:
    """The registry of one event loop."""

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
        """Make a registry.

        Without an outbox it sends no events; without a resolver it does not limit look-ups per owner.
        """
        self._bots, self._signer, self._caller = bots, signer, caller
        self._allow_private, self._outbox, self._resolver = allow_private, outbox, resolver
        self.conduct = Conduct(bots, outbox)
        """The conduct of the bots at their tables and checks."""
        self._looks: set[asyncio.Task[None]] = set()

    async def address(self, bot: Registered) -> Address:
        """Return the address of a push bot and the key that signs its requests."""
        return Address(bot.url or "", await self._key(bot), self._allow_private, self._lookup(bot))

    async def client(self, bot: Registered) -> BotClient:
        """Return the HTTP client for a push bot. Raise `BadAddress` if its address is no longer allowed."""
        return (await self.address(bot)).client(self._caller)

    def check_url(self, kind: Kind, url: str | None) -> None:
        """Raise `BadAddress` if a push bot has no unambiguous address that may be called, or a pull bot has one."""
        if kind == "pull" and url is not None:
            raise BadAddress("the arena does not call a pull bot: leave out its address", field="url")
        if kind == "push":
            if url is None:
                raise BadAddress("the arena calls a push bot: give its address", field="url")
            check_literal(read_address(url, any_port=self._allow_private), self._allow_private)

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
        """Send a health check to the bot and store the outcome.

        Trouble of the arena itself does not count against the bot.
        """
        try:
            bot = await self._bots.get(bot_id)
            if bot.watched and bot.ban is None:
                after = await self._bots.change(bot_id, partial(_if_same, seen=bot, how=await self._ask(bot)))
                if self._outbox is not None and bot.state == "ready" and after.state == "disabled":
                    await announce_disabled(self._outbox, after)
        except (Unavailable, UnknownBot, OSError) as error:
            log.warning("the health of bot %s could not be checked: %s", bot_id, error)

    async def _ask(self, bot: Registered) -> Callable[[Registered], Registered]:
        try:
            client = await self._first_client(bot)
            return partial(_answered, info=await client.info())
        except LookupFailed as error:
            log.warning("bot %s: %s", bot.id, error)
            return partial(_silent, why=str(error)) if error.theirs else _same
        except Fault as fault:
            return partial(_failed, why=explained(fault))
        except BadAddress as error:
            return partial(_failed, why=str(error))

    async def _first_client(self, bot: Registered) -> BotClient:
        """Return a client for requests that may change which signatures the bot wants."""
        key = await self._full_key(bot)
        return BotClient(self._caller, bot.url or "", key, self._allow_private, self._lookup(bot))

    async def _key(self, bot: Registered) -> Key | None:
        """Return the key that signs the requests of matches; None for a pull bot, which gets no requests."""
        key = await self._full_key(bot)
        return key if key is None or (bot.info and bot.info.ed25519) else replace(key, ed25519=())

    async def _full_key(self, bot: Registered) -> Key | None:
        """Return the key of the first requests to a bot, before it is known which signatures it wants."""
        return None if bot.secrets is None else await self._signer.key(bot.secrets, bot.id)

    def _lookup(self, bot: Registered) -> Lookup:
        return ask_dns if self._resolver is None else self._resolver.of(bot.owner)

    async def sweep(self, seconds: int) -> None:
        """Send each bot a health check every `seconds` until cancelled. A slow bot does not delay the others."""
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
                pass  # bots that are due stay due
            except Exception:
                log.exception("due health checks could not be claimed")
            await asyncio.sleep(PAUSE)

    def _look_soon(self, ids: Sequence[str]) -> None:
        for bot_id in ids:
            look = asyncio.create_task(self.look(bot_id))
            self._looks.add(look)
            look.add_done_callback(self._looks.discard)

    async def sweep_once(self, seconds: int, now: Milliseconds | None = None) -> int:
        """Send health checks to one batch of due bots and return their number. `now` replaces the Redis clock."""
        ids = await self._bots.due(1000 * seconds, BATCH, now)
        await asyncio.gather(*(self.look(bot_id) for bot_id in ids))
        return len(ids)


@asynccontextmanager
async def sweeping(registry: Registry, seconds: int) -> AsyncGenerator[None]:
    """Run the sweep in the background, with a health check of each bot every `seconds`; 0 turns it off."""
    sweeper = asyncio.create_task(registry.sweep(seconds)) if seconds else None
    try:
        yield
    finally:
        if sweeper is not None:
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper


def passed(bot: Registered, seen: Registered) -> Registered:
    """Return the bot with a passed check, if it is still the version and the address that was checked."""
    if bot.info is None or seen.info is None or bot.url != seen.url or not covers(seen.info, bot.info):
        return bot
    return replace(bot, passed=bot.info.version, failing=None, recovered=0)


def _proved(bot: Registered, seen: Registered, info: BotInfo) -> Registered:
    if bot.url != seen.url:
        raise NotProved("its address was changed meanwhile: prove the new address", field="url")
    return replace(
        bot.told(info), state="ready", reason=None, failing=None, recovered=0, failures=0, silences=0, passes=0
    )


def _if_same(bot: Registered, seen: Registered, how: Callable[[Registered], Registered]) -> Registered:
    """Return the changed bot; the same bot if its address changed, because the outcome belongs to the old address."""
    return how(bot) if bot.watched and bot.url == seen.url else bot


def _answered(bot: Registered, info: BotInfo) -> Registered:
    passes = min(bot.passes + 1, PASSES)
    bot = replace(bot.told(info), passes=passes, failures=0, silences=0)
    return replace(bot, state="ready", reason=None) if bot.state == "ready" or passes == PASSES else bot


def _same(bot: Registered) -> Registered:
    return bot


def _silent(bot: Registered, why: str) -> Registered:
    """Return the bot after one more health check without an answer of DNS. The count of failures stays as it is."""
    silences = bot.silences + 1
    if silences < SILENCES:
        return replace(bot, silences=silences, passes=0)
    reason = f"{why} (at {silences} health checks in a row)"
    return replace(bot, state="disabled", reason=reason, silences=silences, passes=0)


def _failed(bot: Registered, why: str) -> Registered:
    failures = bot.failures + 1
    state = "disabled" if failures >= FAILURES else bot.state
    reason = f"{failures} failed health check{'' if failures == 1 else 's in a row'}: {why}"
    return replace(bot, state=state, reason=reason, failures=failures, silences=0, passes=0)
