"""Report of the checks of a bot: one row per check, with advice for every finding."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from splito_arena.faults import FAULTS, Fault
from splito_arena.match.seat import Clock

Outcome: TypeAlias = Literal["passed", "failed", "warned", "not-checked"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that a check has found, or a warning."""

    code: str
    """Stable code: the kind of a fault as in `splito_arena.faults`, or another finding of a check."""
    what: str
    """Description of the problem."""
    advice: str
    """Advice on how to repair it."""
    where: str = ""
    """Game, players and turn of its first occurrence."""
    count: int = 1
    """Number of occurrences."""
    request: str | None = None
    """The request of the first occurrence."""
    response: str | None = None
    """The response of the first occurrence; null if the connection failed."""


class Result(msgspec.Struct, frozen=True):
    """The result of one check."""

    outcome: Outcome
    found: str
    """Summary in one line; the reason if the check was not made."""
    findings: tuple[Finding, ...] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One check of the report."""

    check: str
    """Stable code of the check."""
    title: str
    """Title: the behaviour of a bot that passes the check."""
    outcome: Outcome
    found: str
    """Summary in one line; the reason if the check was not made."""
    findings: tuple[Finding, ...]


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """The answer times of the bot in milliseconds, and the clock of the checks."""

    asks: int
    """Number of asks."""
    time_outs: int
    """Number of asks that were not answered in time."""
    p50_ms: float
    p90_ms: float
    p99_ms: float
    slowest_ms: float
    clock: Clock


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report of all checks of a bot."""

    bot: str
    """Name of the bot."""
    version: str
    """Version from the bot's info; empty if the info could not be read. The report is about this version only."""
    passed: bool
    """True if no check failed. Skipped checks and warnings do not count."""
    quick: bool
    """True if matches were played only with the least and the greatest number of players of each game."""
    started: datetime
    elapsed_ms: int
    matches: int
    """Number of matches played to their end."""
    latency: Latency | None
    """Answer times; null if no ask was answered."""
    rows: tuple[Row, ...]
    """Checks in the order in which they were made."""


def passed(found: str) -> Result:
    return Result("passed", found)


def skipped(why: str) -> Result:
    return Result("not-checked", why)


def warned(finding: Finding) -> Result:
    return Result("warned", finding.what, (finding,))


def failed(findings: Sequence[Finding], more: str = "") -> Result:
    kinds = Counter[str]()
    for finding in findings:
        kinds[finding.code] += finding.count
    found = ", ".join(code if count == 1 else f"{code} ({count} times)" for code, count in kinds.items())
    return Result("failed", found + more, tuple(findings))


def judged(findings: Sequence[Finding], found: str) -> Result:
    """Return a failed result with the findings; a passed result if there are none."""
    return failed(findings) if findings else passed(found)


def of_fault(fault: Fault, advice: str = "", where: str = "", request: bytes = b"", response: bytes = b"") -> Finding:
    """Return the finding for a fault, with the advice for its kind unless another is given."""
    return Finding(
        code=fault.code,
        what=str(fault),
        advice=advice or FAULTS[fault.code].advice,
        where=where,
        request=text(request),
        response=text(response or (fault.refusal.body if fault.refusal else b"")),
    )


def text(body: bytes) -> str | None:
    return body.decode("utf-8", "replace") or None
