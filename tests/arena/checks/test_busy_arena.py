"""Our own slowness is not the bot's: a busy event loop of ours costs a bot no time and no check, a slow bot does."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.checks import Address, Report, Scope, Subject, at_address, check
from splito_arena.faults import Void
from splito_arena.loop_delay import Lag, Moment, is_busy
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import AskOutcome, Hear, asked
from splito_arena.match.question import Question
from splito_arena.match.seat import Clock, judged
from splito_arena.net.http_client import Caller
from splito_engine.player import Answer
from tests.arena.bots.pushed import ask
from tests.arena.checks.judged import judged_report
from tests.service.pushed import INFO, PushBot, serving

pytestmark = pytest.mark.anyio
CLOCK = Clock(turn_ms=1000, bank_ms=0)
STALL = 1.5
"""Seconds, more than a bot has; for `Busy` the multiple of the time that a bot has."""
SCOPE = Scope(games=("splitter",), quick=True, clock=CLOCK)


class Busy:
    """A player that always answers at once, in a process that other work keeps busy during the first `stalls` asks."""

    name, notices = "busy", False

    def __init__(self, stalls: int) -> None:
        self.stalls, self.asked = stalls, 0

    def ask(self, question: Question, hear: Hear) -> None:
        begun, loop = time.monotonic(), asyncio.get_running_loop()
        self.asked += 1
        if self.asked <= self.stalls:
            loop.call_soon(time.sleep, STALL * question.allowed)
        loop.call_soon(lambda: hear(AskOutcome(Answer(question.moves[0]), time.monotonic() - begun)))

    def start(self, notice: Any) -> None: ...

    end = start


def subject(player: Busy) -> Subject:
    return Subject(player, BotInfo(name="busy", author="Ada", version="1", games=["splitter"]))


def outcomes(report: Report) -> dict[str, str]:
    return {row.check: row.outcome for row in report.rows}


async def test_a_blocked_event_loop_is_lag_and_waiting_is_not() -> None:
    async with Lag() as lag:
        start = lag.now()
        time.sleep(STALL)  # noqa: ASYNC251 (this is what is measured)
        assert lag.since(start).late > STALL / 2, "also before the loop has noticed"
        await asyncio.sleep(0.1)
        passed = lag.since(start)
    assert is_busy(passed)
    assert passed.late <= passed.time


async def test_a_thread_that_finds_no_processor_is_busy_and_one_that_works_is_not() -> None:
    assert is_busy(Moment(time=10.0, late=0.0, ran=1.0, waited=5.0))
    assert not is_busy(Moment(time=10.0, late=0.0, ran=9.0, waited=5.0)), "it works, and shares a processor"
    assert not is_busy(Moment(time=10.0, late=0.0, ran=0.01, waited=0.05)), "it sleeps"
    assert not is_busy(Moment(time=0.00002, late=0.0, ran=0.000005, waited=0.000012)), "too short to say"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a thread waited for a processor")
async def test_the_time_that_a_thread_runs_is_measured() -> None:
    lag = Lag()
    start = lag.now()
    until = time.thread_time() + 0.2
    while time.thread_time() < until:
        pass
    assert lag.since(start).ran == pytest.approx(0.2, abs=0.1)


@pytest.fixture
def served() -> Iterator[PushBot]:
    with serving() as bot:
        bot.info = {**INFO, "games": ["splito", "splitter"]}
        yield bot


async def test_an_answer_that_waits_for_our_busy_process_is_in_time(served: PushBot) -> None:
    info = msgspec.convert(served.info, BotInfo)
    async with Caller() as caller:
        player = Push(BotClient(caller, served.url, None, allow_private=True), info)
        question = ask("m", allowed_ms=3000)
        waiting = asyncio.ensure_future(asked(player, question))
        while not served.called:  # noqa: ASYNC110 (the bot is a thread)
            await asyncio.sleep(0)
        time.sleep(question.allowed + STALL)  # noqa: ASYNC251 (our process is busy)
        heard = await waiting
    answer = judged(question, heard)
    assert isinstance(answer, Answer), answer
    assert heard.elapsed < question.allowed


async def test_a_request_that_our_busy_process_could_not_send_is_no_time_out(served: PushBot) -> None:
    info = msgspec.convert(served.info, BotInfo)
    async with Caller() as caller:
        player = Push(BotClient(caller, served.url, None, allow_private=True), info)
        question = ask("m", allowed_ms=3000)
        waiting = asyncio.ensure_future(asked(player, question))
        while not caller.calls:  # noqa: ASYNC110 (a few steps of the event loop)
            await asyncio.sleep(0)
        assert served.called == [], "the time of the bot runs, and it has heard nothing yet"
        time.sleep(question.allowed + STALL)  # noqa: ASYNC251 (our process is busy)
        heard = await waiting
    answer = judged(question, heard)
    assert isinstance(answer, Answer), answer


async def test_a_check_that_our_busy_process_spoils_is_made_again() -> None:
    player = Busy(stalls=1)
    report = await check(subject(player), SCOPE)
    assert outcomes(report)["ask"] == outcomes(report)["latency"] == "passed"
    assert report.passed
    assert report.latency is not None
    assert report.latency.time_outs == 0


async def test_a_check_that_is_spoilt_again_and_again_is_lost_and_says_why() -> None:
    with pytest.raises(Void, match=r"too busy for the check 'ask' \(time-out\): our own process was late for"):
        await check(subject(Busy(stalls=100)), SCOPE)


@contextmanager
def bot_process() -> Generator[tuple[str, int]]:
    """The address and the process id of a bot of the house."""
    command = [sys.executable, "-m", "splito_cli", "bot", "serve", "random", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield msgspec.json.decode(process.stdout.readline())["url"], process.pid
        finally:
            os.kill(process.pid, signal.SIGCONT)
            process.terminate()


async def test_a_bot_that_is_stopped_fails_its_check_as_soon_as_our_process_is_not_busy() -> None:
    with bot_process() as (url, process):
        async with at_address(Address(url, allow_private=True)) as found:
            assert isinstance(found, Subject)
            os.kill(process, signal.SIGSTOP)
            report = await judged_report(found, SCOPE)
    assert not report.passed
    assert outcomes(report)["ask"] == "failed"
    assert {finding.code for row in report.rows if row.check == "ask" for finding in row.findings} == {"time-out"}
