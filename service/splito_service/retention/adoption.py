"""Adoption of data that an older version of the service stored: it is added to the lists of the sweeper, once."""

import re

import msgspec

from splito_service.ids import Milliseconds, created
from splito_service.matches.redis_keys import ENDED, LIVE
from splito_service.owners.store import ALL
from splito_service.storage.client import Link
from splito_service.tournaments.model import OVER, StoredTournament
from splito_service.tournaments.redis_keys import ENDED as TOURNAMENTS_ENDED

ADOPTED = "sweeper:adopted"  # key that exists when the adoption is complete
SCANNED = 500  # keys that are read in one step of the scan
FORM = re.compile(r"(match|owner|tournament):\{?([0-9a-v]{24})\}?(:record)?")


async def adopt(link: Link, now: Milliseconds) -> None:
    """Add all matches, owners and finished tournaments to the lists of the sweeper, unless that has been done."""
    if await link.call("EXISTS", ADOPTED):
        return
    cursor = b"0"
    while True:
        cursor, names = await link.call("SCAN", cursor, "COUNT", SCANNED)
        for name in names:
            if form := FORM.fullmatch(name.decode("utf-8", "replace")):
                await _enter(link, form[1], form[2], form[3], now)
        if cursor == b"0":
            break
    await link.call("SET", ADOPTED, 1)


async def _enter(link: Link, kind: str, name: str, record: str | None, now: Milliseconds) -> None:
    match kind, record:
        case "match", None:
            await link.call("ZADD", LIVE, "NX", int(1000 * created(name).timestamp()), name)
        case "match", _:
            await link.call("ZADD", ENDED, "NX", now, name)
        case "owner", _:
            await link.call("ZADD", ALL, "NX", now, name)
        case _:
            raw = await link.call("GET", f"tournament:{name}")
            kept = None if raw is None else msgspec.json.decode(raw, type=StoredTournament)
            if kept is not None and kept.state in OVER:
                await link.call("ZADD", TOURNAMENTS_ENDED, "NX", kept.ended_ms or now, name)
