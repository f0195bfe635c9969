"""A webhook and its deliveries as they are stored, and the changes that can be made to a webhook."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from time import time
from typing import Literal, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec.structs import replace

from splito_service.errors import NotProved
from splito_service.ids import Milliseconds, created
from splito_service.signing_secrets import Secrets

Event: TypeAlias = Literal["match.finished", "block.rated", "tournament.finished", "bot.disabled"]
EVENTS: tuple[Event, ...] = get_args(Event)
PROOF_MS: Milliseconds = 24 * 3600 * 1000
"""Milliseconds that a hook at a new address has to prove itself; then it is deleted."""


class StoredHook(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    owner: str
    url: str
    events: tuple[Event, ...]
    """What it wants to be told."""
    secrets: Secrets
    note: str = ""
    enabled: bool = True
    reason: str | None = None
    """Why we have disabled it."""
    failures: int = 0
    """Deliveries in a row that were given up."""
    disabled_ms: Milliseconds | None = None
    """When it was disabled; None while it is enabled."""
    proved: bool = True
    """False until its address has met the challenge. A hook stored before there was a proof counts as proved."""

    @property
    def active(self) -> bool:
        """True if events are delivered to it."""
        return self.enabled and self.proved

    @property
    def created(self) -> datetime:
        return created(self.id)


class SeenHook(NamedTuple):
    hook: StoredHook
    waiting: int
    """Deliveries."""
    dropped: int
    """Events that did not become deliveries, because too many waited."""
    expires: Milliseconds | None = None
    """When the hook is deleted unless it proves itself; None if it is proved."""


def event_id(event: Event, subject: str) -> str:
    """The same for the same event, so that whoever is told twice knows."""
    return "event-" + hashlib.sha256(f"{event} {subject}".encode()).hexdigest()[:32]


def in_order(events: Sequence[Event]) -> tuple[Event, ...]:
    """Each once."""
    return tuple(event for event in EVENTS if event in events)


def proved(hook: StoredHook, url: str) -> StoredHook:
    """Return the hook as one whose address has met the challenge. Raise `NotProved` if it has another URL by now."""
    if hook.url != url:
        raise NotProved("its address was changed meanwhile: prove that one", field="url")
    return replace(hook, proved=True)


def enabled(hook: StoredHook) -> StoredHook:
    """With a clean slate."""
    return replace(hook, enabled=True, reason=None, failures=0)


def dated(hook: StoredHook) -> StoredHook:
    """Return the hook with the time since which it is disabled."""
    if hook.enabled:
        return replace(hook, disabled_ms=None)
    return hook if hook.disabled_ms is not None else replace(hook, disabled_ms=int(1000 * time()))


def rotated(hook: StoredHook, secret: str) -> StoredHook:
    """Signed with both, until `settled`. A secret from before these two is gone."""
    return replace(hook, secrets=Secrets(secret, hook.secrets.current))


def settled(hook: StoredHook) -> StoredHook:
    return replace(hook, secrets=replace(hook.secrets, previous=None))


DeliveryState: TypeAlias = Literal["waiting", "delivered", "failed"]
SECOND = 1000
PAUSES = tuple(SECOND * seconds for seconds in (5, 30, 120, 600, 3600, 6 * 3600))
"""After the first failure, the second and so on. After one more it is given up."""


class Try(msgspec.Struct, frozen=True, kw_only=True):
    """How it went."""

    at: Milliseconds
    status: int | None
    """Nothing if no answer came."""
    elapsed_ms: float
    error: str | None
    """Nothing if it was taken."""
    response: str
    """How the answer begins."""


class Parcel(NamedTuple):
    delivery: str
    message: str
    """The id under which it is sent, every time."""
    body: bytes


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery."""

    id: str
    message: str
    event: Event
    put: Milliseconds
    state: DeliveryState
    due: Milliseconds | None
    """When it is tried next."""
    tried: int
    tries: tuple[Try, ...]
    """The last ones, in order."""
    body: bytes


PROOFS = 10
"""Challenges that are sent in a minute for one owner, and to one network address, at most."""
