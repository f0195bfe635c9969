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

Event: TypeAlias = Literal[
    "match.finished", "block.rated", "tournament.changed", "tournament.finished", "bot.failing", "bot.disabled"
]
EVENTS: tuple[Event, ...] = get_args(Event)
PROOF_MS: Milliseconds = 24 * 3600 * 1000
"""Milliseconds that a hook with a new address has to prove itself; then it is deleted."""


class StoredHook(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    owner: str
    url: str
    events: tuple[Event, ...]
    """Kinds of events that the hook is subscribed to."""
    secrets: Secrets
    note: str = ""
    enabled: bool = True
    reason: str | None = None
    """Reason for which the arena disabled the hook; None if it did not."""
    failures: int = 0
    """Number of failed deliveries in a row."""
    disabled_ms: Milliseconds | None = None
    """Time at which the hook was disabled; None while it is enabled."""
    proved: bool = True
    """False until the address has answered the challenge. A hook stored before proofs existed counts as proved."""

    @property
    def active(self) -> bool:
        """True if events are delivered to the hook."""
        return self.enabled and self.proved

    @property
    def created(self) -> datetime:
        return created(self.id)


class SeenHook(NamedTuple):
    hook: StoredHook
    waiting: int
    """Number of waiting deliveries."""
    dropped: int
    """Number of events that were dropped because too many deliveries waited."""
    expires: Milliseconds | None = None
    """Time at which the hook is deleted unless it proves itself; None if it is proved."""


def event_id(event: Event, subject: str) -> str:
    """Return the id of an event: equal for the same event, so that a receiver recognises a repetition."""
    return "event-" + hashlib.sha256(f"{event} {subject}".encode()).hexdigest()[:32]


def in_order(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the kinds of events in a fixed order, each once."""
    return tuple(event for event in EVENTS if event in events)


def proved(hook: StoredHook, url: str) -> StoredHook:
    """Return the hook as proved. Raise `NotProved` if its URL has changed since the challenge."""
    if hook.url != url:
        raise NotProved("its address was changed meanwhile: prove the new address", field="url")
    return replace(hook, proved=True)


def enabled(hook: StoredHook) -> StoredHook:
    """Return the hook as enabled, without counted failures."""
    return replace(hook, enabled=True, reason=None, failures=0)


def dated(hook: StoredHook) -> StoredHook:
    """Return the hook with the time at which it was disabled."""
    if hook.enabled:
        return replace(hook, disabled_ms=None)
    return hook if hook.disabled_ms is not None else replace(hook, disabled_ms=int(1000 * time()))


def rotated(hook: StoredHook, secret: str) -> StoredHook:
    """Return the hook with a new secret.

    Deliveries are signed with the new and the previous secret until `settled`; older secrets are dropped.
    """
    return replace(hook, secrets=Secrets(secret, hook.secrets.current))


def settled(hook: StoredHook) -> StoredHook:
    return replace(hook, secrets=replace(hook.secrets, previous=None))


DeliveryState: TypeAlias = Literal["waiting", "delivered", "failed"]
SECOND = 1000
PAUSES = tuple(SECOND * seconds for seconds in (5, 30, 120, 600, 3600, 6 * 3600))
"""Pauses in milliseconds after the first failure, the second and so on.

After one more failure the delivery is given up.
"""


class Try(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one try."""

    at: Milliseconds
    status: int | None
    """HTTP status of the answer; None if none arrived."""
    elapsed_ms: float
    error: str | None
    """Reason of the failure; None if the delivery was accepted."""
    response: str
    """Beginning of the answer."""


class Parcel(NamedTuple):
    delivery: str
    message: str
    """Message id, the same in every try."""
    body: bytes


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery as the log shows it."""

    id: str
    message: str
    event: Event
    put: Milliseconds
    state: DeliveryState
    due: Milliseconds | None
    """Time of the next try; None if there is none."""
    tried: int
    tries: tuple[Try, ...]
    """The last tries, in order."""
    body: bytes


PROOFS = 10
"""Maximum number of challenges per minute for one owner, and to one network."""
