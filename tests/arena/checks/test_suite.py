"""A good bot passes the suite over every transport; a broken bot is told which check failed, and what to do."""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.checks import CHECKS, Report, Scope, Step, Subject, at_address, check, in_process
from splito_arena.checks.run import OVER
from splito_arena.faults import FAULTS, Void
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import AskOutcome, Hear
from splito_arena.match.question import Question, read_answer
from splito_arena.match.seat import Clock
from splito_engine.player import Ask
from tests.arena.checks import check_bots as bots
from tests.arena.checks.check_bots import SECRET, GoodBot, address_of
from tests.arena.checks.judged import judged_report

pytestmark = pytest.mark.anyio
GAMES = ["highest", "splitit", "splito", "splitter"]
DOORS = {"challenge", "signature"}
RANDOM = find_bot("random")


def with_outcome(report: Report, outcome: str) -> set[str]:
    return {row.check for row in report.rows if row.outcome == outcome}


def codes(report: Report) -> set[str]:
    """Return the codes of failed checks, without warnings, because slow answers depend on the machine."""
    return {finding.code for row in report.rows if row.outcome == "failed" for finding in row.findings}


async def check_push(bot: GoodBot, secret: str | None = SECRET, scope: Scope | None = None) -> Report:
    async with address_of(bot, secret) as address, at_address(address) as subject:
        return await judged_report(subject, scope or Scope(quick=True))


@pytest.mark.parametrize("bot", [GoodBot, bots.ByIndex, bots.QuietNotices])
async def test_a_good_push_bot_passes_every_check(bot: type[GoodBot]) -> None:
    report = await check_push(bot())
    assert report.passed
    assert with_outcome(report, "passed") == {*CHECKS}
    assert (report.bot, report.version, report.matches) == ("owl", "3", 4)
    assert report.latency is not None
    assert report.latency.asks > 200
    assert report.latency.p50_ms <= report.latency.p90_ms <= report.latency.p99_ms <= report.latency.slowest_ms


async def test_without_a_secret_nothing_is_said_about_signatures() -> None:
    report = await check_push(GoodBot(None), None)
    assert report.passed
    assert with_outcome(report, "not-checked") == DOORS
    assert all("no secret" in row.found for row in report.rows if row.check in DOORS)


async def test_a_good_function_passes_in_all_games_and_numbers_of_players() -> None:
    report = await check(in_process("random", RANDOM, GAMES))
    assert report.passed
    nothing_sent = {*DOORS, "unknown-fields", "concurrency", "batch", "notices"}
    assert with_outcome(report, "not-checked") == nothing_sent
    assert with_outcome(report, "passed") == {*CHECKS} - nothing_sent
    assert report.matches == 5 + (4 + 1) + (4 + 5) + (4 + 10)  # as few and as many as can be twice, but Highest


async def test_a_bot_that_fetches_its_asks_passes_what_can_be_checked() -> None:
    async with asyncio.TaskGroup() as group:
        player = Fetched()
        worker = group.create_task(player.work())
        info = BotInfo(name="fetched", author="me", version="1", games=["splitter"], concurrency=8)
        report = await check(Subject(player, info))
        worker.cancel()
    assert report.passed
    assert with_outcome(report, "not-checked") == {*DOORS, "batch", "notices"}


class Fetched:
    """A player that answers in bytes at any later time, as a pull bot does."""

    name = "fetched"

    notices = False

    def __init__(self) -> None:
        self._asks: asyncio.Queue[tuple[Question, bytes, Hear]] = asyncio.Queue()

    def ask(self, question: Question, hear: Hear) -> None:
        self._asks.put_nowait((question, question.encoded(), hear))

    def start(self, notice: Any) -> None:
        """Ignore the notice."""

    end = start

    async def work(self) -> None:
        while True:
            question, body, hear = await self._asks.get()
            ask = msgspec.json.decode(body)
            answer = msgspec.json.encode({"move": Random(ask["seed"]).choice(ask["moves"])})
            hear(AskOutcome(read_answer(question, answer), 0.0, request=body, response=answer))


BROKEN = [
    (bots.CountsFromOne, {"ask"}, {"illegal-move"}),
    (bots.NoJson, {"ask"}, {"bad-json"}),
    (bots.FourAreTooMany, {"matches"}, {"bad-status"}),
    (bots.ForgetsIds, {"batch", "matches"}, {"wrong-schema"}),
    (bots.AnswersFour, {"batch"}, {"wrong-ask"}),
    (bots.Remembers, {"memory"}, {"bad-status"}),
    (bots.OneConnection, {"memory"}, {"reset"}),
    (bots.Wavers, {"duplicates"}, {"differs"}),
    (bots.Correct, {"rejected"}, {"bad-status"}),
    (bots.Strict, {"unknown-fields"}, {"bad-status"}),
    (bots.Boasts, {"concurrency"}, {"bad-status"}),
    (bots.Defers, {"late"}, {"wrong-ask"}),
    (bots.WantsNoNotices, {"notices"}, {"bad-status"}),
    (bots.Trusts, {"signature"}, {"unsigned", "wrongly-signed", "changed", "stale", "replayed"}),
    (bots.NeverForgetsOnce, {"signature"}, {"replayed"}),
    (bots.BreaksOnForgery, {"signature"}, {"unsigned", "wrongly-signed", "changed", "stale", "replayed"}),
    (bots.LostItsSecret, {"challenge"}, {"wrong-schema"}),
    (bots.Nameless, {"info"}, {"wrong-schema"}),
    (bots.OfTomorrow, {"info"}, {"wrong-schema"}),
    (bots.PlaysChess, {"info"}, {"unknown-game"}),
]


@pytest.mark.parametrize(("bot", "by", "findings"), BROKEN, ids=[bot.__name__ for bot, *_ in BROKEN])
async def test_a_bad_bot_fails_exactly_the_check_for_its_mistake(
    bot: type[GoodBot], by: set[str], findings: set[str]
) -> None:
    report = await check_push(bot())
    assert not report.passed
    assert with_outcome(report, "failed") == by
    assert with_outcome(report, "warned") <= {"latency"}
    assert codes(report) == findings
    assert all(finding.advice for row in report.rows for finding in row.findings)
    assert {row.check: row.title for row in report.rows} == {code: one.title for code, one in CHECKS.items()}


async def test_a_fault_in_a_match_is_told_with_what_was_sent_and_where() -> None:
    report = await check_push(bots.FourAreTooMany())
    [finding] = next(row.findings for row in report.rows if row.check == "matches")
    assert (finding.code, finding.what) == ("bad-status", "the status is not 200: 500")
    assert (finding.where, finding.count >= 3) == ("splitit, 4 players, turn 0, seat 0", True)
    assert finding.advice == FAULTS["bad-status"].advice
    assert msgspec.json.decode(finding.request or "")["players"] == 4


async def test_a_finding_about_a_function_has_its_ask_and_its_return_value() -> None:
    report = await check(in_process("rogue", lambda ask: "left" if ask.turn == 2 else ask.moves[0], ["splitter"]))
    [finding] = next(row.findings for row in report.rows if row.check == "matches")
    assert finding.code == "illegal-move"
    assert (msgspec.json.decode(finding.request or "")["turn"], finding.response) == (2, "'left'")


async def test_a_bot_that_answers_nothing_well_is_asked_nothing_more() -> None:
    def fail(_: Ask) -> Any:
        raise KeyError("view")

    report = await check(in_process("bad", fail, GAMES))
    [row] = [row for row in report.rows if row.outcome == "failed"]
    assert (row.check, {finding.code for finding in row.findings}) == ("ask", {"crashed"})
    assert with_outcome(report, "passed") == {"info", "latency"}
    assert report.latency is not None
    assert report.latency.asks == len(GAMES)


async def test_a_game_that_is_not_answered_does_not_hide_what_is_wrong_in_another() -> None:
    def choose(ask: Ask) -> Any:
        return None if ask.game == "splito" or ask.players == 12 else ask.moves[0]

    report = await check(in_process("half", choose, ["splito", "splitter"]))
    assert with_outcome(report, "failed") == {"ask", "matches"}
    where = [finding.where for row in report.rows for finding in row.findings]
    assert where == ["splito, 2 players, turn 0, seat 0", "splitter, 12 players, turn 0, seat 0"]


async def test_a_game_that_is_not_known_here_is_only_warned_of() -> None:
    report = await check_push(bots.PlaysChessToo())
    assert report.passed
    assert with_outcome(report, "warned") - {"latency"} == {"info"}


async def test_only_the_games_that_are_wanted_are_checked() -> None:
    report = await check(in_process("random", RANDOM, GAMES), Scope(games=("highest",)))
    assert report.matches == 5


async def test_a_bot_that_hangs_in_matches_is_not_waited_for_for_ever() -> None:
    report = await check_push(bots.HangsWithFour(), scope=Scope(clock=Clock(500, 0)))
    assert with_outcome(report, "failed") == {"matches", "latency"}
    assert codes(report) == {"time-out"}
    assert report.matches == 2


def ticking(seconds: float) -> Callable[[], float]:
    """A clock by which every answer takes so long."""
    moments = itertools.count()
    return lambda: seconds * next(moments)


SPEEDS = [(0.499, "passed"), (0.501, "warned"), (0.999, "warned"), (6.1, "failed")]


@pytest.mark.parametrize(("seconds", "outcome"), SPEEDS)
async def test_half_of_a_turn_is_slow_and_more_than_the_clock_is_too_late(seconds: float, outcome: str) -> None:
    info = BotInfo(name="slow", author="me", version="1", games=["highest"])
    report = await check(Subject(Plugin("slow", RANDOM, ticking(seconds)), info))
    latency = next(row for row in report.rows if row.check == "latency")
    assert latency.outcome == outcome
    assert report.latency is not None
    assert report.latency.p99_ms == round(1000 * seconds)
    assert all(finding.advice for finding in latency.findings)


async def test_asks_at_once_have_the_time_of_a_turn_without_the_bank() -> None:
    info = BotInfo(name="slow", author="me", version="1", games=["highest"], concurrency=2)
    report = await check(Subject(Plugin("slow", RANDOM, ticking(1.1)), info))
    assert with_outcome(report, "failed") == {"concurrency", "latency"}


class Silent(Plugin):
    """A plugin that never reports the outcome of chosen asks."""

    def __init__(self, silent: Callable[[Ask], bool]) -> None:
        super().__init__("silent", RANDOM)
        self._silent = silent

    def ask(self, question: Question, hear: Hear) -> None:
        if not self._silent(question.ask):
            super().ask(question, hear)


CUT: list[tuple[Callable[[Ask], bool], str, str]] = [
    (lambda _: True, "ask", "failed"),
    (lambda ask: ask.players == 4, "matches", "failed"),
    (lambda ask: ask.players == 3, "matches", "warned"),
]


@pytest.mark.parametrize(("silent", "by", "outcome"), CUT)
async def test_the_suite_ends_in_time_and_a_slow_bot_does_not_pass(
    silent: Callable[[Ask], bool], by: str, outcome: str
) -> None:
    info = BotInfo(name="silent", author="me", version="1", games=["splitit"])
    report = await check(Subject(Silent(silent), info), Scope(limit=1.0))
    [row] = [row for row in report.rows if row.check == by]
    assert (row.outcome, [finding.code for finding in row.findings]) == (outcome, ["out-of-time"])
    assert report.passed == (outcome == "warned")
    assert all(row.found == OVER for row in report.rows if by == "ask" and row.check in {"memory", "matches"})


async def test_a_cancelled_suite_ends() -> None:
    begun = asyncio.Event()

    def silent(_: Ask) -> bool:
        begun.set()
        return True

    info = BotInfo(name="silent", author="me", version="1", games=["splitit"])
    running = asyncio.create_task(check(Subject(Silent(silent), info)))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_progress_is_reported_step_by_step() -> None:
    steps: list[Step] = []
    report = await check(in_process("random", RANDOM, ["splitter"]), progress=steps.append)
    assert [step.done for step in steps] == [*range(steps[-1].total)]
    assert steps[-1].what == "splitter, 11 players"
    assert len(steps) == len(CHECKS) - 2 + report.matches


async def test_a_report_is_json_and_back() -> None:
    report = await check_push(bots.Trusts())
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report


async def test_an_address_without_a_bot_is_a_finding_and_not_an_error() -> None:
    async with address_of(GoodBot()) as address:
        pass
    async with at_address(address) as subject:
        report = await check(subject)
    assert with_outcome(report, "failed") == {"info"}
    assert with_outcome(report, "not-checked") == {*CHECKS} - {"info"}
    assert (codes(report), report.bot) == ({"refused"}, address.url)


def test_the_page_about_the_checks_lists_all_of_them() -> None:
    page = (Path(__file__).parents[3] / "docs" / "checks.md").read_text("utf-8")
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")] == [*CHECKS]


class Unreachable(Plugin):
    """For reasons of our own."""

    def ask(self, question: Question, hear: Hear) -> None:
        hear(AskOutcome(OSError("too many open files"), 0.0, request=question.encoded()))


async def test_an_error_of_the_arena_is_no_finding() -> None:
    info = BotInfo(name="unreachable", author="me", version="1", games=["splitit"])
    with pytest.raises(Void, match="too many open files"):
        await check(Subject(Unreachable("unreachable", RANDOM), info))
