"""Outbox, deliverer and webhook store of one process, with a clock that the tests move."""

from functools import partial
from time import time

import msgspec

from splito_arena.net.http_client import Caller
from splito_service.ids import new_id
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.webhooks.delivery import Deliverer, Sender
from splito_service.webhooks.delivery_store import REST, Deliveries
from splito_service.webhooks.model import (
    EVENTS,
    PAUSES,
    Event,
    Logged,
    StoredHook,
    Try,
    proved,
)
from splito_service.webhooks.store import Hooks, Outbox
from tests.service.receiver import Receiver

HOUR = 3_600_000  # milliseconds
REFUSED = Try(at=0, status=None, elapsed_ms=1, error="the connection was refused", response="")


class News(msgspec.Struct):
    """An event of an unknown kind, because the deliverer does not look into events."""

    text: str


class Post:
    """Outbox, deliverer and receiver in one process."""

    def __init__(self, link: Link, caller: Caller) -> None:
        self.link, self.caller, self.signer = link, caller, Signer(link)
        self.hooks, self.deliveries, self.outbox = Hooks(link), Deliveries(link), Outbox(link)
        self.owner = new_id()
        self.now = int(1000 * time())

    def deliverer(self, allow_private: bool = True, limit: float = 60) -> Deliverer:
        sender = Sender(self.signer, self.caller, allow_private, limit)
        return Deliverer(self.hooks, self.deliveries, sender, lambda: self.now)

    async def hook(self, receiver: Receiver, *events: Event) -> StoredHook:
        """Return a webhook of the owner that has proved its secret."""
        made = await self.hooks.create(self.owner, receiver.url, events or EVENTS)
        return await self.hooks.change(made.id, partial(proved, url=made.url))

    async def proved(self, owner: str, url: str) -> StoredHook:
        """Return a webhook of that owner that has proved its secret."""
        made = await self.hooks.create(owner, url, EVENTS)
        return await self.hooks.change(made.id, partial(proved, url=url))

    async def put(self, subject: str, event: Event = "match.finished") -> int:
        return await self.outbox.put(self.owner, event, subject, News(subject), self.now)

    async def deliver(self, after: int = 0) -> None:
        """Move the clock by `after` milliseconds and send every delivery that is due."""
        self.now += after
        await self.deliverer().deliver_due()

    async def log(self, hook: StoredHook) -> list[Logged]:
        rows, _ = await self.deliveries.page(hook.id, None, 1000)
        return rows

    async def only(self, hook: StoredHook) -> Logged:
        (row,) = await self.log(hook)
        return row

    async def look(self, hook: StoredHook) -> tuple[bool, int, int]:
        """Return whether the webhook is enabled, how many deliveries wait, and how many in a row were given up."""
        seen = await self.hooks.get(self.owner, hook.id)
        return seen.hook.enabled, seen.waiting, seen.hook.failures


async def give_up(post: Post, *subjects: str) -> None:
    """Have the receiver refuse events about these subjects until they are given up; then pass the rest period."""
    for subject in subjects:
        await post.put(subject)
    await post.deliver()
    for pause in PAUSES:
        await post.deliver(after=pause)
    post.now += REST
