"""The suite: all checks in their order, within one time limit for all of them.

It prints and stores nothing, so it runs locally as well as in the service, and cancelling it ends it at once. A check
that fails for lack of time while the arena's own process was busy says nothing about the bot, and is made again, with
twice the clock. The time in which our process could not run is added to the limit.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

import msgspec

from splito_arena.bots.in_process import Plugin
from splito_arena.checks import http_probes, probes
from splito_arena.checks.report import Finding, Latency, Report, Result, Row, failed, of_fault, passed, skipped, warned
from splito_arena.checks.run import OVER, CheckRun, Scope
from splito_arena.checks.subject import TRIES, Subject, Unknown
from splito_arena.checks.whole_matches import MORE_TIME, jobs, matches
from splito_arena.faults import Void
from splito_arena.loop_delay import Lag, Moment, is_busy
from splito_arena.match.seat import Clock

TIMED = {"time-out", "out-of-time"}  # codes of findings that our own slowness can cause
UNKNOWN = "its info could not be read"
FASTER = "think less, or start more of the bot's processes: a slow machine or network takes its share too"


class Step(msgspec.Struct, frozen=True):
    """The next step of the suite, and the number of steps done."""

    what: str
    done: int
    total: int


Progress: TypeAlias = Callable[[Step], None]


class Check(NamedTuple):
    title: str
    run: Callable[[CheckRun], Awaitable[Result]]
    keeps_time: bool = False
    """True if the check watches the deadline itself, to keep its findings."""


async def latency(trial: CheckRun) -> Result:
    """Check the answer times over all asks, those of the other checks included."""
    found = measured(trial)
    if found is None:
        return skipped("nothing was answered")
    words = f"99 of 100 asks within {found.p99_ms:.1f} ms"
    turn = min(found.clock.turn_ms, Clock().turn_ms)
    slow = Finding(code="slow", what=f"{words}: over half of the {turn} ms of a turn", advice=FASTER)
    if found.time_outs:
        what = f"{found.time_outs} of {found.asks} asks were not answered in time"
        return failed([Finding(code="time-out", what=what, advice=FASTER, count=found.time_outs)])
    return warned(slow) if found.p99_ms > turn / 2 else passed(words)


CHECKS = {
    "info": Check("sends its info: name, version and games", probes.info),
    "challenge": Check("proves that it knows its secret", http_probes.challenge),
    "ask": Check("answers a plain ask in each of its games", probes.ask),
    "duplicates": Check("gives the same ask the same answer", probes.duplicates),
    "memory": Check("answers without memory of earlier asks", probes.memory),
    "rejected": Check("answers again when its answer was rejected", probes.rejected),
    "unknown-fields": Check("ignores fields it does not know", probes.unknown_fields),
    "concurrency": Check("answers as many asks at once as it says", probes.concurrency),
    "batch": Check("answers every ask of a batch", probes.batch),
    "late": Check("answers the next ask after a late one", probes.late),
    "notices": Check("answers notices that matches begin and end", http_probes.notices),
    "signature": Check("refuses requests that the arena did not sign", http_probes.signature),
    "matches": Check("plays whole matches without a fault", matches, keeps_time=True),
    "latency": Check("answers well within the clock", latency, keeps_time=True),
}
"""Checks by stable code, in the order in which they are made."""


async def check(subject: Subject | Unknown, scope: Scope | None = None, progress: Progress | None = None) -> Report:
    """Run the suite and return the report. Raise `Void` for an error of the arena."""
    scope, started = scope or Scope(), datetime.now(UTC)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    if isinstance(subject, Unknown):
        return _report(None, _of_unknown(subject), scope, started, loop.time() - begun, name=subject.name)
    steps = _Steps(progress)
    trial = CheckRun(subject, scope, begun + scope.limit, steps.take)
    steps.total = len(CHECKS) - 2 + len(jobs(trial.claimed, scope.quick))
    async with Lag() as lag:
        rows = [await _row(trial, lag, code, one) for code, one in CHECKS.items()]
    return _report(trial, rows, scope, started, loop.time() - begun)


def measured(trial: CheckRun) -> Latency | None:
    times = sorted(1000 * seconds for seconds in trial.timings.seconds)
    if not times:
        return None
    return Latency(
        asks=len(times),
        time_outs=trial.timings.time_outs,
        p50_ms=round(times[len(times) * 50 // 100], 3),
        p90_ms=round(times[len(times) * 90 // 100], 3),
        p99_ms=round(times[len(times) * 99 // 100], 3),
        slowest_ms=round(times[-1], 3),
        clock=trial.scope.clock,
    )


class _Steps:
    """Counter of the steps done."""

    def __init__(self, progress: Progress | None) -> None:
        self.total = 0
        self._progress, self._done = progress, 0

    def take(self, what: str) -> None:
        if self._progress is not None:
            self._progress(Step(what, self._done, self.total))
        self._done += 1


async def _row(trial: CheckRun, lag: Lag, code: str, check: Check) -> Row:
    """Return the row of a check. Raise `Void` if our own process is too busy to measure the bot."""
    result, passed = await _timed(trial, lag, check)
    for _ in range(TRIES - 1):
        if not _is_spoilt(trial, result, passed):
            break
        trial.undo(passed.time)
        result, passed = await _timed(trial, lag, check)
    if _is_spoilt(trial, result, passed):
        busy = f"our own process was late for {passed.late:.1f} and waited {passed.waited:.1f} s for a processor"
        why = f"{busy} in {passed.time:.1f} s, {TRIES} times in a row"
        raise Void(f"the arena was too busy for the check {code!r} ({result.found}): {why}; try again later")
    return _as_row(code, result)


async def _timed(trial: CheckRun, lag: Lag, check: Check) -> tuple[Result, Moment]:
    """Return the result of a check, its duration, and how long our own process was late in it."""
    trial.mark()
    start = lag.now()
    result = await (check.run(trial) if check.keeps_time else _in_time(trial, check))
    passed = lag.since(start)
    if not isinstance(trial.subject.player, Plugin):
        trial.grow(passed.late + passed.waited)
    return result, passed


def _is_spoilt(trial: CheckRun, result: Result, passed: Moment) -> bool:
    """True if the check failed for lack of time while our process was busy, unless a function in it made it busy."""
    timed = result.outcome == "failed" and any(finding.code in TIMED for finding in result.findings)
    return timed and is_busy(passed) and not isinstance(trial.subject.player, Plugin)


async def _in_time(trial: CheckRun, check: Check) -> Result:
    """Return the result of a check. The check in which the time ends fails, so that no bot passes by being slow."""
    if trial.is_over:
        return skipped(OVER)
    trial.tell(check.title)
    try:
        async with asyncio.timeout_at(trial.deadline):
            return await check.run(trial)
    except TimeoutError:
        trial.is_over = True
        what = f"{OVER} before it was done: {trial.scope.limit:g} seconds"
        return failed([Finding(code="out-of-time", what=what, advice=MORE_TIME)])


def _of_unknown(subject: Unknown) -> list[Row]:
    why = failed([of_fault(subject.fault, subject.advice, "GET /info")])
    return [_as_row(code, why if code == "info" else skipped(UNKNOWN)) for code in CHECKS]


def _as_row(code: str, result: Result) -> Row:
    return Row(
        check=code, title=CHECKS[code].title, outcome=result.outcome, found=result.found, findings=result.findings
    )


def _report(  # noqa: PLR0913 (what a report is made of)
    trial: CheckRun | None, rows: list[Row], scope: Scope, started: datetime, elapsed: float, *, name: str = ""
) -> Report:
    return Report(
        bot=trial.subject.info.name if trial else name,
        version=trial.subject.info.version if trial else "",
        passed=all(row.outcome != "failed" for row in rows),
        quick=scope.quick,
        started=started,
        elapsed_ms=round(1000 * elapsed),
        matches=trial.matches if trial else 0,
        latency=measured(trial) if trial else None,
        rows=tuple(rows),
    )
