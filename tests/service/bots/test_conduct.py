"""A bot that lets a house bot take over, or fails a whole check, is failing until it plays well again."""

from typing import NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from splito_arena.checks.report import Finding, Report, Row
from splito_arena.faults import FaultNote
from splito_arena.match.messages import BotInfo
from splito_service.bots.conduct import LONGEST, RECOVERED, Conduct, Played
from splito_service.bots.model import described
from splito_service.bots.registry import passed
from splito_service.bots.schemas import bot_of
from splito_service.bots.store import Bots
from splito_service.ids import created, new_id
from splito_service.owners.model import Owner
from splito_service.storage.client import Link
from splito_service.webhooks.model import proved
from splito_service.webhooks.store import Hooks, Outbox

pytestmark = pytest.mark.anyio

INFO = BotInfo(name="Marvin", author="Ada", version="1", games=["splito"])
BAD = Played("in match m1", True, ["time-out", "bad-status", "bad-status"], FaultNote(3, "bad-status", "the end"))
GOOD = Played("in match m2", False, ["time-out"], None)
REASON = "a house bot took over in match m1 (time-out 1 times, bad-status 2 times); the last fault: the end."


class Clinic(NamedTuple):
    link: Link
    bots: Bots
    conduct: Conduct
    bot: str
    hook: str

    async def reason(self) -> str | None:
        """The reason as the owner reads it."""
        bot = await self.bots.get(self.bot)
        own = bot_of(bot, Owner(id=bot.owner, name="Ada"), own=True).own
        return own and own.reason

    async def events(self) -> list[str]:
        """The reasons in the events for the owner."""
        ids = await self.link.call("ZRANGE", f"hook:{self.hook}:waiting", 0, -1)
        bodies = [await self.link.call("HGET", f"hook:{self.hook}:log:{one.decode()}", "body") for one in ids]
        return [msgspec.json.decode(body)["data"]["reason"] for body in bodies]


@pytest.fixture
async def clinic(link: Link) -> Clinic:
    """A bot of an owner with a webhook for it."""
    bots, hooks, owner = Bots(link), Hooks(link), new_id()
    hook = await hooks.create(owner, "https://ada.example/told", ["bot.failing"])
    await hooks.change(hook.id, lambda one: proved(one, one.url))
    bot = await bots.create(owner, "pull", "Marvin")
    await bots.change(bot.id, lambda one: described(one, INFO))
    return Clinic(link, bots, Conduct(bots, Outbox(link)), bot.id, hook.id)


async def test_the_owner_reads_the_reason_and_gets_one_event_when_a_bot_begins_to_fail(clinic: Clinic) -> None:
    assert await clinic.reason() is None
    for _ in range(5):
        await clinic.conduct.played(clinic.bot, "1", BAD)
    reason = await clinic.reason()
    assert reason == f"{REASON} The asks are in GET /v1/bots/{clinic.bot}/asks"
    assert await clinic.events() == [reason]


async def test_a_bot_that_plays_well_some_times_in_a_row_no_longer_fails(clinic: Clinic) -> None:
    await clinic.conduct.played(clinic.bot, "1", BAD)
    for played in (GOOD, BAD, GOOD):
        await clinic.conduct.played(clinic.bot, "1", played)
        assert await clinic.reason(), "not in a row"
    for _ in range(RECOVERED - 1):
        await clinic.conduct.played(clinic.bot, "1", GOOD)
    assert await clinic.reason() is None
    assert len(await clinic.events()) == 1
    await clinic.conduct.played(clinic.bot, "1", BAD)
    assert len(await clinic.events()) == 2


async def test_a_new_version_begins_without_failures_and_an_old_one_changes_nothing(clinic: Clinic) -> None:
    await clinic.conduct.played(clinic.bot, "1", BAD)
    await clinic.bots.change(clinic.bot, lambda bot: described(bot, msgspec.structs.replace(INFO, version="2")))
    assert await clinic.reason() is None
    await clinic.conduct.played(clinic.bot, "1", BAD)
    assert await clinic.reason() is None, "the old version was late to end its match"


async def test_a_failed_whole_check_is_a_reason_until_a_check_passes(clinic: Clinic) -> None:
    bot = await clinic.bots.get(clinic.bot)
    await clinic.conduct.checked(bot, "c1", report_of("batch", "info"))
    reason = await clinic.reason()
    assert reason == (
        "version 1 failed 2 checks: batch, info; the first fault: the answer is too large."
        f" The report is in GET /v1/bots/{clinic.bot}/checks/c1"
    )
    assert await clinic.events() == [reason]
    await clinic.bots.change(clinic.bot, lambda one: passed(one, seen=bot))
    assert await clinic.reason() is None


async def test_a_reason_is_one_line_of_limited_length_without_control_characters(clinic: Clinic) -> None:
    note = FaultNote(0, "bad-json", "\x1b[2J\n\u202e" + "é" * 2000)
    await clinic.conduct.played(clinic.bot, "1", BAD._replace(last=note))
    reason = await clinic.reason() or ""
    assert "\\x1b[2J \\u202eé" in reason
    assert reason.isprintable()
    assert len(reason.encode()) <= LONGEST


async def test_a_failed_health_check_is_told_before_failures_at_tables(clinic: Clinic) -> None:
    await clinic.conduct.played(clinic.bot, "1", BAD)
    await clinic.bots.change(clinic.bot, lambda bot: replace(bot, reason="1 failed health check"))
    assert await clinic.reason() == "1 failed health check"


async def test_reports_about_a_deleted_bot_are_ignored(clinic: Clinic) -> None:
    await clinic.bots.delete(await clinic.bots.get(clinic.bot))
    await clinic.conduct.played(clinic.bot, "1", BAD)
    assert await clinic.events() == []


def report_of(*failed: str) -> Report:
    fault = Finding(code="too-large", what="the answer is too large", advice="send less")
    rows = [Row(check=one, title="", outcome="failed", found="", findings=(fault,)) for one in failed]
    fine = Row(check="ask", title="", outcome="passed", found="", findings=())
    return Report(
        bot="Marvin",
        version="1",
        passed=False,
        quick=False,
        started=created(new_id()),
        elapsed_ms=1,
        matches=0,
        latency=None,
        rows=(fine, *rows),
    )
