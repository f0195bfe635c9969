"""Ids of everything that Redis stores, and times as the service writes them."""

import base64
import secrets
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

Milliseconds: TypeAlias = int
"""A duration, or a time since 1970 by the clock of Redis."""

ID_PATTERN = "^[0-9a-v]{24}$"


def new_id() -> str:
    """Return an id that sorts after all earlier ids, and that no client can guess."""
    return _id(time.time(), secrets.token_bytes(9))


def first_id(seconds: float) -> str:
    """Return the id that sorts after all ids from before that time, and before all later ids."""
    return _id(seconds, bytes(9))


def _id(seconds: float, rest: bytes) -> str:
    return base64.b32hexencode(int(seconds * 1000).to_bytes(6, "big") + rest).decode().lower()


@lru_cache(maxsize=16_384)
def created(thing_id: str) -> datetime:
    """Return the time at which an id was made: its first characters hold it."""
    raw = base64.b32hexdecode(thing_id.upper())
    return moment(int.from_bytes(raw[:6], "big"))


def moment(milliseconds: Milliseconds) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


def milliseconds_of(when: datetime) -> Milliseconds:
    return (when - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)
