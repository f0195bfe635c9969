"""Delivery of events to the webhooks of owners: signed, sent only to allowed addresses, and repeated until accepted.

Any number of processes deliver. Each claims hooks that have due deliveries and sends several at a time until none is
left; one process at a time serves a hook, so a hook that hangs delays no other hook. A delivery is accepted when the
answer is 2xx. It is tried again after growing pauses, always under the same id. A hook that accepts nothing is left
alone for a while, so that an owner cannot flood a stranger; after many failures it is disabled, and its owner can read
the reason.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import time

from msgspec.structs import replace

from splito_arena.bots.push_client import PATIENCE
from splito_arena.errors import BadAddress, LookupFailed
from splito_arena.faults import Fault, cut
from splito_arena.net.allowed_addresses import Lookup, read_address, resolve
from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target, write_request
from splito_arena.net.http_response import Reply
from splito_arena.net.resolver import Resolver, ask_dns
from splito_arena.net.signing import signed_lines
from splito_service.errors import Unavailable, UnknownHook
from splito_service.ids import Milliseconds
from splito_service.signing import Signer
from splito_service.webhooks.delivery_store import Claim, Deliveries
from splito_service.webhooks.model import PAUSES, DeliveryState, Parcel, StoredHook, Try
from splito_service.webhooks.store import Hooks

LIMIT = 10.0
"""Time limit of a try in seconds, from the end of the DNS look-up."""
FAILURES = 5
"""Number of failed deliveries in a row that disables a hook."""
GONE = 410
"""HTTP status by which a hook refuses all further events."""
PAUSE = 1.0
"""Seconds between two looks for due deliveries, which is also the largest delay of a delivery."""
MOST = 32
"""Number of hooks that one process serves at a time."""
SHOWN = 1000
"""Number of bytes of an answer that are stored."""

log = logging.getLogger("splito.webhooks")


class Sender:
    """The sender of requests to hooks. Its caller must accept any answer: `http_response.AnyReader`."""

    def __init__(
        self,
        signer: Signer,
        caller: Caller,
        allow_private: bool,
        limit: float = LIMIT,
        lookup: Lookup | Resolver = ask_dns,
    ) -> None:
        self.clock = caller.clock
        self._signer, self._caller = signer, caller
        self._allow_private, self._limit, self._lookup = allow_private, limit, lookup

    async def send(
        self, hook: StoredHook, parcel: Parcel, permit: Callable[[str], Awaitable[None]] | None = None
    ) -> Reply:
        """Send a parcel to a hook and return the answer. The host is looked up every time, and the checked address is
        called.

        `permit` is called with that address before anything is sent, and may raise. Raise `Fault` or `BadAddress` for
        failures of the hook, `LookupFailed` if its host could not be looked up.
        """
        place = read_address(hook.url, any_port=self._allow_private)
        lookup = self._lookup.of(hook.owner) if isinstance(self._lookup, Resolver) else self._lookup
        try:
            async with asyncio.timeout(PATIENCE):
                address = await resolve(place, self._allow_private, lookup)
        except TimeoutError:
            raise LookupFailed(f"{place.host} could not be looked up in time") from None
        if permit is not None:
            await permit(address)
        deadline = self.clock() + self._limit
        target = Target(place.host, address, place.port, place.tls, place.path)
        lines = signed_lines(await self._signer.key(hook.secrets, hook.id), parcel.message, int(time()), parcel.body)
        return await self._caller.send(target, write_request("POST", target, lines, parcel.body), deadline)


class Deliverer:
    """The deliverer of one process, in its event loop. `clock` replaces the Redis clock for due times."""

    def __init__(
        self, hooks: Hooks, deliveries: Deliveries, sender: Sender, clock: Callable[[], Milliseconds] | None = None
    ) -> None:
        self._hooks, self._deliveries, self._sender, self._clock = hooks, deliveries, sender, clock
        self._serving: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Deliver due events until cancelled."""
        while True:
            try:
                await self._claim()
            except Unavailable:
                pass  # due deliveries stay due
            except Exception:
                log.exception("due webhooks could not be claimed")
            await asyncio.sleep(PAUSE)

    async def deliver_due(self) -> None:
        """Deliver all events that are due now, for as many hooks as a process serves at a time."""
        await self._claim()
        await asyncio.gather(*self._serving)

    async def aclose(self) -> None:
        """Stop. Deliveries under way are sent again when their claim has expired."""
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _claim(self) -> None:
        free = MOST - len(self._serving)
        for claim in await self._deliveries.claim(free, self._now()) if free > 0 else ():
            task = asyncio.create_task(self._serve(claim))
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)

    async def _serve(self, claim: Claim) -> None:
        try:
            while (taken := await self._deliveries.take(claim, self._now())) is not None:
                hook, parcels = taken
                tries = await asyncio.gather(*(self._try(hook, parcel) for parcel in parcels))
                await self._note(claim, hook, parcels, tries)
                if all(tried.error for tried in tries):
                    await self._deliveries.rest(claim, self._now())
                    return
        except UnknownHook:
            pass  # the hook has been deleted
        # trouble of the arena itself does not count against the hook
        except (Unavailable, LookupFailed, OSError) as error:
            log.warning("deliveries of webhook %s wait: %s", claim.hook, error)
        except Exception:
            log.exception("deliveries of webhook %s failed", claim.hook)

    async def _try(self, hook: StoredHook, parcel: Parcel) -> Try:
        begun, clock = self._now() or int(1000 * time()), self._sender.clock
        started = clock()
        try:
            reply = await self._sender.send(hook, parcel)
        except Fault as fault:
            return _tried(begun, clock() - started, None, str(fault))
        except LookupFailed as error:
            if not error.theirs:
                raise
            return _tried(begun, clock() - started, None, error.message)
        except BadAddress as error:
            return _tried(begun, clock() - started, None, error.message)
        wrong = None if 200 <= reply.status < 300 else f"the status is {reply.status}, not 2xx"
        return _tried(begun, clock() - started, reply, wrong)

    async def _note(self, claim: Claim, hook: StoredHook, parcels: Sequence[Parcel], tries: Sequence[Try]) -> None:
        notes = [
            self._deliveries.note(claim, parcel.delivery, tried, PAUSES, self._now())
            for parcel, tried in zip(parcels, tries, strict=True)
        ]
        states = await asyncio.gather(*notes)
        gone = any(tried.status == GONE for tried in tries)
        if gone or "failed" in states or (hook.failures and "delivered" in states):
            why = next((tried.error for tried in reversed(tries) if tried.error), "")
            await self._hooks.change(hook.id, partial(_after, states=states, gone=gone, why=why))

    def _now(self) -> Milliseconds | None:
        return self._clock() if self._clock else None


@asynccontextmanager
async def delivering(deliverer: Deliverer) -> AsyncGenerator[None]:
    """Run the deliverer in the background."""
    running = asyncio.create_task(deliverer.run())
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await deliverer.aclose()


def _after(hook: StoredHook, states: Sequence[DeliveryState | None], gone: bool, why: str) -> StoredHook:
    """Return the hook after these deliveries: failures counted, disabled if there were too many."""
    failures = hook.failures
    for state in states:
        failures = 0 if state == "delivered" else failures + (state == "failed")
    if gone:
        return replace(hook, failures=failures, enabled=False, reason=f"it answered {GONE}, which ends its events")
    if failures < FAILURES:
        return replace(hook, failures=failures)
    return replace(hook, failures=failures, enabled=False, reason=f"{failures} deliveries in a row given up: {why}")


def _tried(at: Milliseconds, seconds: float, reply: Reply | None, error: str | None) -> Try:
    return Try(
        at=at,
        status=reply.status if reply else None,
        elapsed_ms=round(1000 * seconds, 1),
        error=error,
        response=cut(reply.body.decode("utf-8", "replace"), SHOWN) if reply else "",
    )
