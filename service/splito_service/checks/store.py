"""Store of checks in Redis: the progress and the report of each check; a bot has one running check at a time.

A check runs as long as its claim holds. The claim expires soon unless the process that runs the check renews it with
each report of progress. So the check of a killed process is seen to be lost, and another may begin.
"""

import re
import zlib

import msgspec
from msgspec.structs import replace

from splito_arena.checks import Report
from splito_service.checks.model import StoredCheck
from splito_service.errors import UnknownCheck
from splito_service.ids import ID_PATTERN
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

GONE = "the process that ran the check ended, or could not reach Redis"


ID = re.compile(ID_PATTERN)
LEASE = 5000
"""Lease of a claim in milliseconds."""
MOST_CHECKS = 20
"""Number of checks that are stored of a bot: the last ones."""
KEPT = 30 * 24 * 3600
"""Seconds that a check is stored."""


class Checks:
    """The store of checks in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        names = ("begin", "tell", "finish", "read", "list")
        scripts = (link.script(source(f"checks/{name}")) for name in names)
        self._begin, self._tell, self._end, self._read, self._list = scripts

    async def begin(self, check: StoredCheck) -> StoredCheck:
        """Store a new check and return it; return the running check of the same bot if there is one."""
        keys = [_claim(check.bot), _all(check.bot), _check(check.bot, check.id)]
        return _decode(await self._begin(keys, [check.id, _encode(check), LEASE, KEPT, MOST_CHECKS]))

    async def tell(self, check: StoredCheck) -> bool:
        """Store the progress of a check and renew its claim. Return False if the check was given up."""
        return bool(await self._tell(_keys(check), [check.id, _encode(check), LEASE]))

    async def end(self, check: StoredCheck, report: Report | None) -> bool:
        """Store the end of a check and its report. Return False if the check was given up before."""
        packed = b"" if report is None else zlib.compress(_encode(report))
        return bool(await self._end(_keys(check), [check.id, _encode(check), packed]))

    async def get(self, bot: str, check_id: str) -> tuple[StoredCheck, Report | None]:
        keys = [_claim(bot), _check(bot, check_id)]
        claim, check, report = await self._read(keys) if ID.fullmatch(check_id) else (None, None, None)
        if check is None:
            raise UnknownCheck(f"there is no check {check_id!r} of this bot", field="check")
        return _seen(claim, check), None if report is None else _decode_report(zlib.decompress(report))

    async def of_bot(self, bot: str) -> list[StoredCheck]:
        """Return the checks of a bot, newest first."""
        claim, *found = await self._list([_claim(bot), _all(bot)])
        return [_seen(claim, check) for check in found]


def _seen(claim: bytes | None, raw: bytes) -> StoredCheck:
    """Return a check as stored; a running check without a claim is lost."""
    check = _decode(raw)
    lost = check.state == "running" and (claim is None or claim.decode() != check.id)
    return replace(check, state="lost", reason=GONE) if lost else check


def _keys(check: StoredCheck) -> list[str]:
    return [_claim(check.bot), _check(check.bot, check.id)]


def _claim(bot: str) -> str:
    return f"checking:{bot}"


def _all(bot: str) -> str:
    return f"checks:{bot}"


def _check(bot: str, check_id: str) -> str:
    return f"checks:{bot}:{check_id}"


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(StoredCheck).decode
_decode_report = msgspec.json.Decoder(Report).decode
