"""`splito keys`: the keys of a service, for its operator."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from splito_arena.reports.dump_head import key_id
from splito_cli.arguments import Json
from splito_cli.terminal.screen import screen
from splito_engine.errors import BadOption
from splito_service.ids import moment
from splito_service.matches.seat_tokens import SEAT_SECRET
from splito_service.settings import read_settings
from splito_service.signing import ARENA_KEY, published
from splito_service.storage.client import Link
from splito_service.storage.keyring import LEAD, REFRESH, Keyring, Keys, now_ms

T = TypeVar("T")

LIST = ("splito keys list", "SPLITO_REDIS_URL=redis://10.0.0.5:6379 splito keys list --json")
ROTATE = (
    "splito keys rotate arena",
    "splito keys rotate seats --keep-days 7",
    "splito keys rotate seats --keep-days 0",
)
KINDS = {"arena": ARENA_KEY, "seats": SEAT_SECRET}
DAY = 24 * 3600 * 1000
"""Milliseconds of a day."""
MOST_DAYS = 3650

Which: TypeAlias = Annotated[
    Literal["arena", "seats"],
    Parameter(help="`arena`: the Ed25519 key of requests, webhooks and dumps. `seats`: the secret of seat tokens."),
]


class KeyShown(msgspec.Struct, frozen=True, kw_only=True):
    """A key in what `--json` prints. Secrets are never shown."""

    kind: str
    key: str | None
    """The public key; None for a secret."""
    id: str | None
    since: datetime | None
    """The time of its first use; None for the first key of a service."""
    until: datetime | None
    """The end of its acceptance; None for the newest key."""
    used: bool
    """True if the service signs with this key now."""


def list_keys(*, json: Json = False) -> None:
    """Show the public keys of the arena and the ages of its seat-token secrets.

    It reads the Redis of the service: `SPLITO_REDIS_URL`, or without it the folder `SPLITO_DATA`.
    """

    async def read(link: Link) -> list[KeyShown]:
        return [one for name in KINDS for one in _shown(name, await Keyring(link, KINDS[name]).read())]

    _print(_with_redis(read), json)


def rotate(kind: Which, /, *, keep_days: float = 30, json: Json = False) -> None:
    """Create a new key; the previous one stays accepted for a while.

    All processes of the service know the new key within 5 seconds, and use it after 10 seconds; none has to be
    restarted. While the previous key is accepted, requests to bots are signed with both keys, and seat tokens by either
    are valid.

    Parameters
    ----------
    keep_days
        For how many days the previous keys stay accepted. 0 drops them at once, for a key that has been stolen: bots
        that check the old public key then refuse requests, and every person at a match loses the seat token.
    """
    if not 0 <= keep_days <= MOST_DAYS:
        raise BadOption(f"--keep-days is from 0 to {MOST_DAYS:,}", field="keep_days")

    async def change(link: Link) -> list[KeyShown]:
        return _shown(kind, await Keyring(link, KINDS[kind]).rotate(round(keep_days * DAY)))

    _print(_with_redis(change), json)
    if not json:
        used = f"used in {LEAD // 1000} seconds" if keep_days else f"used by every process within {REFRESH:g} seconds"
        screen().print(f"The new key is {used}.")


def _with_redis(work: Callable[[Link], Awaitable[T]]) -> T:
    from splito_service.processes.group import open_redis  # noqa: PLC0415 (other commands do without POSIX)

    async def run(url: str) -> T:
        async with Link(url) as link:
            return await work(link)

    with open_redis(read_settings(os.environ)) as url:
        return asyncio.run(run(url))


def _shown(kind: str, keys: Keys) -> list[KeyShown]:
    current = keys.current(now_ms()).since_ms
    if kind == "arena":
        times = [(one.key, one.since_ms, one.until_ms) for one in published(keys)]
    else:
        times = [(None, one.since_ms, one.until_ms) for one in keys.keys]
    return [
        KeyShown(
            kind=kind,
            key=key,
            id=None if key is None else key_id(key),
            since=moment(since) if since else None,
            until=None if until is None else moment(until),
            used=since == current,
        )
        for key, since, until in times
    ]


def _print(found: list[KeyShown], json: bool) -> None:
    if json:
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
        return
    rows = Table.grid(padding=(0, 2, 0, 0))
    for one in found:
        until = "newest" if one.until is None else f"accepted until {one.until:%Y-%m-%d %H:%M:%S} UTC"
        state = "in use" if one.used else "previous" if one.until else "to come"
        rows.add_row(Text(one.kind, "dim"), Text(one.key or "(secret)", overflow="fold"), Text(state), Text(until))
    screen().print(rows)
