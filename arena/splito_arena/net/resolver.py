"""An asynchronous resolver of host names with limits per owner, because the slow DNS of one owner must delay no other.

The system's `getaddrinfo` runs in a small pool of threads, and a time-out does not free its thread; a few names without
an answer would therefore hold up every other look-up. c-ares needs no threads. It reads /etc/hosts and /etc/resolv.conf
as the system does, but no other source of names.

A look-up ends in one of three ways: addresses; `OSError` if the name has none, which the owner must repair; or
`LookupFailed` if there is no answer, which never counts as a fault of a bot.
"""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from ipaddress import ip_address
from time import monotonic
from typing import Any, Self

import aiodns
import pycares
from aiodns.error import DNSError

from splito_arena.errors import LookupFailed
from splito_arena.net.fair_queue import FairQueue, QueueFull

LIMIT = 5.0  # seconds for the answer to a look-up, and before that as long again to wait for a slot
AT_ONCE = 512  # look-ups at once in a process
PER_OWNER = 4  # look-ups at once of one owner
WAITING = 256  # look-ups of one owner that wait for a slot
KEPT = 30.0  # seconds for which an answer is used again, by all owners
REMEMBERED = 4096  # answers kept in memory
AGAIN = 5.0  # seconds after a failed look-up before the same owner's name, or the resolver itself, is tried again
TRY = 1.0  # seconds for the first try of c-ares; it doubles the time for each further one
TRIES = 3  # tries of c-ares in a row; more follow while there is time

_codes: Any = pycares.errno  # untyped, because pycares has no types for them
NONE = (_codes.ARES_ENOTFOUND, _codes.ARES_ENODATA, _codes.ARES_EBADNAME)
"""Codes of c-ares that mean: the name does not exist, or has no address."""
ROOT = "."


class Resolver:
    """The resolver for all bots and webhooks of a process. It is used and closed in one event loop."""

    def __init__(
        self,
        nameservers: Sequence[str] = (),
        *,
        limit: float | None = None,
        per_owner: int = PER_OWNER,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Make a resolver. `nameservers` are IP addresses with or without a port; by default those of resolv.conf."""
        self._nameservers, self._limit, self._clock = nameservers, limit or LIMIT, clock
        self._queue = FairQueue(AT_ONCE, per_client=per_owner, waiting=WAITING)
        self._channel: aiodns.DNSResolver | None = None
        self._answers: OrderedDict[str, tuple[float, list[str]]] = OrderedDict()
        self._failures: OrderedDict[tuple[str, str], tuple[float, LookupFailed]] = OrderedDict()
        self._running: dict[tuple[str, str], asyncio.Task[list[str]]] = {}
        self._probe: tuple[float, asyncio.Task[bool]] | None = None

    def of(self, owner: str) -> Callable[[str, int], Any]:
        """Return the look-up function that counts against the limit of this owner."""
        return partial(self.look_up, owner=owner)

    async def look_up(self, host: str, _port: int = 0, *, owner: str = "") -> list[str]:
        """Return the addresses of a host. Raise `OSError` if it has none, `LookupFailed` if there is no answer."""
        now, key = self._clock(), (owner, host)
        known = self._answers.get(host)
        if known is not None and known[0] > now:
            return known[1]
        failed = self._failures.get(key)
        if failed is not None and failed[0] > now:
            raise LookupFailed(failed[1].message, theirs=failed[1].theirs)
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self._search(host, owner))
            task.add_done_callback(lambda _: self._running.pop(key, None))
            task.add_done_callback(_retrieve)
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        tasks: list[asyncio.Task[Any]] = [*self._running.values(), *([self._probe[1]] if self._probe else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._channel is not None:
            await self._channel.close()
            self._channel = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _search(self, host: str, owner: str) -> list[str]:
        queued = True
        try:
            async with asyncio.timeout(self._limit) as patience, self._queue.slot(owner):
                queued = False
                patience.reschedule(asyncio.get_running_loop().time() + self._limit)
                found = await self._ask(host)
        except QueueFull:
            raise LookupFailed(f"{host} was not looked up: too many other names of its owner wait") from None
        except TimeoutError:
            if queued:
                raise LookupFailed(f"{host} was not looked up: other names of its owner took too long") from None
            raise await self._failed(host, owner, f"no answer within {self._limit:g} s") from None
        except DNSError as error:
            raise await self._failed(host, owner, str(error.args[-1])) from None
        _remember(self._answers, host, (self._clock() + KEPT, found))
        return found

    async def _ask(self, host: str) -> list[str]:
        """Return the addresses of a host.

        Raise `OSError` if there are none, `DNSError` for any other error except a time-out.
        """
        if self._channel is None:
            self._channel = self._open()
        while True:
            try:
                found = await self._channel.getaddrinfo(host, type=socket.SOCK_STREAM)
            except DNSError as error:
                if error.args[0] in NONE:
                    raise OSError(f"{host}: {error.args[-1]}") from None
                if error.args[0] != _codes.ARES_ETIMEOUT:
                    raise
            else:
                return _ordered([_text(node) for node in found.nodes])

    async def _failed(self, host: str, owner: str, why: str) -> LookupFailed:
        """Return the error for a look-up without an answer, after checking whether our own resolver answers at all."""
        ours = not await self._answers_at_all()
        who = "our resolver does not answer" if ours else "the name servers of that name do not answer"
        failure = LookupFailed(f"{host} could not be looked up: {why}; {who}", theirs=not ours)
        _remember(self._failures, (owner, host), (self._clock() + AGAIN, failure))
        return failure

    async def _answers_at_all(self) -> bool:
        now = self._clock()
        if self._probe is None or (self._probe[0] <= now and self._probe[1].done()):
            self._probe = (now + AGAIN, asyncio.create_task(self._find_root()))
        return await asyncio.shield(self._probe[1])

    async def _find_root(self) -> bool:
        """True if our resolver knows the root of DNS.

        The query has a channel of its own, because c-ares caches answers.
        """
        channel = self._open()
        try:
            async with asyncio.timeout(self._limit):
                await channel.query_dns(ROOT, "NS")
        except DNSError as error:
            return error.args[0] in NONE
        except TimeoutError:
            return False
        finally:
            await channel.close()
        return True

    def _open(self) -> aiodns.DNSResolver:
        return aiodns.DNSResolver(self._nameservers or None, timeout=TRY, tries=TRIES)


async def ask_dns(host: str, port: int) -> list[str]:
    """Return the addresses of a name for a program of one user; a process for many owners shares a `Resolver`."""
    async with Resolver() as resolver:
        return await resolver.look_up(host, port)


def _ordered(addresses: list[str]) -> list[str]:
    """Return the addresses, IPv4 first if all are of this machine, because bots in development mostly listen at
    127.0.0.1.
    """
    if all(ip_address(one).is_loopback for one in addresses):
        return sorted(addresses, key=lambda one: ip_address(one).version)
    return addresses


def _text(node: Any) -> str:
    """Return the address in a result of pycares, which holds it as bytes."""
    address: bytes | str = node.addr[0]
    return address.decode() if isinstance(address, bytes) else address


def _remember(memory: "OrderedDict[Any, Any]", key: object, value: object) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > REMEMBERED:
        memory.popitem(last=False)


def _retrieve(task: "asyncio.Task[list[str]]") -> None:
    """Mark the error as seen, because every task that waited for it may have been cancelled."""
    if not task.cancelled():
        task.exception()
