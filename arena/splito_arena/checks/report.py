"""What the checks found out about a bot: one row for each, and what to do about all that is wrong."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from splito_arena.faults import FAULTS, Fault
from splito_arena.match.seat import Clock

Outcome: TypeAlias = Literal["passed", "failed", "warned", "not-checked"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong, or soon will be."""

    code: str
    """Stable: the kind of a fault as in `splito_arena.faults`, or what else a check can find."""
    what: str
    """In words."""
    advice: str
    """What to do about it."""
    where: str = ""
    """The game, the players and the turn of the first time."""
    count: int = 1
    """How often."""
    request: str | None = None
    """What was sent the first time."""
    response: str | None = None
    """What came back then; nothing of a connection that failed."""


class Result(msgspec.Struct, frozen=True):
    """What came of a check."""

    outcome: Outcome
    found: str
    """In one line; of what was not checked, why."""
    findings: tuple[Finding, ...] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One check of the report."""

    check: str
    """Its stable code."""
    title: str
    """What a bot does that passes it."""
    outcome: Outcome
    found: str
    """In one line; of what was not checked, why."""
    findings: tuple[Finding, ...]


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """How long the bot had its questions, in milliseconds, against the clock it was checked by."""

    asks: int
    """How many there were."""
    time_outs: int
    """How many of them were not answered in time."""
    p50_ms: float
    p90_ms: float
    p99_ms: float
    slowest_ms: float
    clock: Clock


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What all the checks of a bot found."""

    bot: str
    """Its name."""
    version: str
    """What the bot says; nothing if it does not even say who it is. The report is about this version and no other."""
    passed: bool
    """Nothing failed. What was not checked does no harm, and neither does a warning."""
    quick: bool
    """Whether matches were played only with as few and as many players as a game can have."""
    started: datetime
    elapsed_ms: int
    matches: int
    """Played to their ends."""
    latency: Latency | None
    """Nothing if nothing was answered."""
    rows: tuple[Row, ...]
    """In the order in which they were made."""


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
    """Failed with whatever there is; passed if there is nothing."""
    return failed(findings) if findings else passed(found)


def of_fault(fault: Fault, advice: str = "", where: str = "", request: bytes = b"", response: bytes = b"") -> Finding:
    """With the advice for this kind of fault, unless there is a better one."""
    return Finding(
        code=fault.code,
        what=str(fault),
        advice=advice or FAULTS[fault.code].advice,
        where=where,
        request=text(request),
        response=text(response),
    )


def text(body: bytes) -> str | None:
    return body.decode("utf-8", "replace") or None
