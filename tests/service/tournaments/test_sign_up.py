"""Sign-up and scheduled start: what is due, who may enter when, and one start whatever is killed or races it."""

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from splito_arena.formats import Elimination, Format, Gauntlet, Ladder, RoundRobin, Swiss
from splito_arena.match.messages import BotInfo
from splito_engine.errors import BadOption, GameError
from splito_service.bots.model import OpenTo, Registered
from splito_service.bots.store import Bots
from splito_service.errors import AlreadyBegun, AlreadyOver, NotAllowed, NotBegun, NotOpen
from splito_service.ids import new_id
from splito_service.owners.bans import field_of
from splito_service.owners.model import Ban
from splito_service.storage.client import Link
from splito_service.tournaments.model import StoredTournament, due_of
from splito_service.tournaments.organiser import Organiser, open_starter
from splito_service.tournaments.redis_keys import SCHEDULED
from splito_service.tournaments.schedule.starter import Starter
from splito_service.tournaments.schedule.times import DAY, MOST_DAYS
from splito_service.webhooks.store import Hooks, Outbox
from tests.service.playing import Playing, house, put, tournament

pytestmark = pytest.mark.anyio
HOUR = 3_600_000
ALL = RoundRobin()
INFO = BotInfo(name="Marvin", author="Ada", version="1.0", games=["splitter"])


@pytest.fixture
def playing(link: Link, redis_url: str) -> Playing:
    return Playing(link, redis_url)


@pytest.fixture
def starter(playing: Playing) -> Starter:
    return playing.organiser.starter


async def now(link: Link) -> int:
    seconds, micros = await link.call("TIME")
    return 1000 * int(seconds) + int(micros) // 1000


async def planned(
    playing: Playing,
    *bots: str,
    kind: Format = ALL,
    opens: int = -1,
    starts: int = HOUR,
    **more: Any,
) -> StoredTournament:
    """Store a tournament whose sign-up begins, and which starts, so many milliseconds from now."""
    time = await now(playing.link)
    state = "open" if opens < 0 else "scheduled"
    times: dict[str, Any] = {"opens_ms": time + opens, "starts_ms": time + starts, "state": state, "owner": new_id()}
    return await playing.organiser.hold(tournament(kind, *house(*bots), **times | more))


async def ready(playing: Playing) -> Registered:
    """Return a bot of another owner that is ready to play and open to everybody."""
    bot = Registered(
        id=new_id(),
        owner=new_id(),
        kind="pull",
        name="Marvin",
        info=INFO,
        state="ready",
        passed="1.0",
        open_to="everybody",
    )
    await put(playing.link, bot)
    return bot


async def shift_times(playing: Playing, kept: StoredTournament, by: int) -> StoredTournament:
    """Move the times of a tournament, as if so many milliseconds had passed."""

    def moved(seen: StoredTournament) -> StoredTournament:
        return replace(seen, opens_ms=(seen.opens_ms or 0) - by, starts_ms=(seen.starts_ms or 0) - by)

    return await playing.tournaments.change(kept.id, moved)


async def attend(starter: Starter, kept: StoredTournament, steps: int = 3) -> None:
    for _ in range(steps):
        await starter.attend(kept.id)


CASES: dict[str, tuple[dict[str, Any], int | None]] = {
    "no sign-up": ({"starts_ms": None, "state": "running"}, None),
    "sign-up is to begin": ({"state": "scheduled"}, 10),
    "webhooks are to be told of the sign-up": ({"state": "open"}, 0),
    "the start": ({"state": "open", "told": "open"}, 20),
    "webhooks are to be told of the start": ({"state": "running", "told": "open"}, 0),
    "nothing while it runs": ({"state": "running", "told": "running"}, None),
    "nothing while it is paused": ({"state": "paused", "told": "running"}, None),
    "nothing after its end": ({"state": "finished", "told": "running"}, None),
    "webhooks are to be told of the cancellation": ({"state": "cancelled", "told": "open"}, 0),
    "nothing after that": ({"state": "cancelled", "told": "cancelled"}, None),
}


@pytest.mark.parametrize("case", CASES)
async def test_the_schedule_follows_from_the_document(case: str) -> None:
    changes, due = CASES[case]
    facts: dict[str, Any] = {"opens_ms": 10, "starts_ms": 20, **changes}
    assert due_of(tournament(RoundRobin(), **facts)) == due


async def test_a_tournament_opens_and_starts_at_its_times(playing: Playing, starter: Starter) -> None:
    kept = await planned(playing, "random", "planner", opens=HOUR, starts=2 * HOUR)
    await attend(starter, kept)
    assert (await playing.tournaments.get(kept.id)).state == "scheduled"
    await shift_times(playing, kept, HOUR)
    await attend(starter, kept)
    assert (await playing.tournaments.get(kept.id)).state == "open"
    await shift_times(playing, kept, HOUR)
    await attend(starter, kept)
    begun = await playing.tournaments.get(kept.id)
    assert (begun.state, begun.round, begun.started_ms > 0) == ("running", 1, True)
    assert await playing.link.call("ZSCORE", SCHEDULED, kept.id) is None
    assert (await playing.finish(begun)).state == "finished"


async def test_starters_of_several_processes_start_it_once(playing: Playing, redis_url: str) -> None:
    kept = await planned(playing, "random", "planner", "greedy")
    await shift_times(playing, kept, HOUR)
    links = [Link(redis_url) for _ in range(6)]
    await asyncio.gather(*(attend(open_starter(link), kept, 6) for link in links))
    await asyncio.gather(*(link.aclose() for link in links))
    begun = await playing.tournaments.get(kept.id)
    assert (begun.state, begun.round) == ("running", 1)
    assert (await playing.ledger.counts(kept.id)).open == 3, "one round was planned"


LACKING: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "too few bots": (("random",), {}, "1 bot does not fill a table of 2"),
    "no bot": ((), {"kind": Swiss()}, "0 bots do not fill a table of 2"),
    "bots of one owner in a ranked one": (("random", "planner"), {"ranked": True}, "at least two owners"),
    "the bot of a gauntlet is not there": (("random", "planner"), {"kind": Gauntlet(bot="greedy")}, "'greedy'"),
    "too many games": (("random", "planner"), {"kind": Swiss(rounds=99, blocks=9999)}, "games"),
}


@pytest.mark.parametrize("case", LACKING)
async def test_a_tournament_that_cannot_start_is_cancelled_with_a_reason(
    playing: Playing, starter: Starter, case: str
) -> None:
    bots, more, reason = LACKING[case]
    kept = await planned(playing, *bots, **more)
    with pytest.raises(GameError, match=reason):
        await playing.organiser.set_state(kept.id, "running")
    assert (await playing.tournaments.get(kept.id)).state == "open", "before its time the organiser is refused"
    await shift_times(playing, kept, HOUR)
    await attend(starter, kept)
    over = await playing.tournaments.get(kept.id)
    assert over.state == "cancelled"
    assert reason in (over.reason or "")
    assert await playing.link.call("SISMEMBER", f"owner:{kept.owner}:held", kept.id) == 0


class TestEntering:
    async def test_owners_enter_and_withdraw_their_own_bots(self, playing: Playing) -> None:
        kept, bot = await planned(playing, "random"), await ready(playing)
        for _ in range(2):
            found = await playing.organiser.enter(kept.id, bot.id, bot.owner)
            assert [one.bot for one in found.entrants] == ["random", bot.id]
        await playing.organiser.withdraw_for(kept.id, bot.id, bot.owner)
        with pytest.raises(NotAllowed, match="withdrawn by its owner"):
            await playing.organiser.enter(kept.id, bot.id, kept.owner)
        found = await playing.organiser.enter(kept.id, bot.id, bot.owner)
        assert [one.gone for one in found.entrants] == [None, None]

    async def test_a_bot_that_the_organiser_withdrew_stays_out(self, playing: Playing, starter: Starter) -> None:
        kept, bot = await planned(playing, "random", "planner"), await ready(playing)
        await playing.organiser.enter(kept.id, bot.id, bot.owner)
        await playing.organiser.withdraw_for(kept.id, bot.id, kept.owner)
        with pytest.raises(NotAllowed, match="withdrawn by the organiser"):
            await playing.organiser.enter(kept.id, bot.id, bot.owner)
        begun = await starter.start(kept.id)
        assert [one.bot for one in begun.entrants] == ["random", "planner"], "it is in no table of results"

    @pytest.mark.parametrize("open_to", ["owner", "organisers"])
    async def test_the_consent_of_the_owner_comes_first(self, playing: Playing, open_to: OpenTo) -> None:
        kept, bot = await planned(playing, "random"), replace(await ready(playing), open_to=open_to)
        await put(playing.link, bot)
        stranger = Organiser(playing.link, Bots(playing.link))
        with pytest.raises(NotAllowed):
            await stranger.enter(kept.id, bot.id, kept.owner)
        assert (await stranger.enter(kept.id, bot.id, bot.owner)).entrants[1].by_owner

    async def test_no_bot_enters_before_sign_up_or_after_it(self, playing: Playing) -> None:
        early = await planned(playing, "random", opens=HOUR, starts=2 * HOUR)
        with pytest.raises(NotOpen, match="begins at"):
            await playing.organiser.enter(early.id, "planner", early.owner)
        late = await planned(playing, "random")
        await shift_times(playing, late, HOUR)
        with pytest.raises(NotOpen, match="ended at"):
            await playing.organiser.enter(late.id, "planner", late.owner)

    @pytest.mark.parametrize("kind", [Elimination(), Gauntlet(bot="random")])
    async def test_brackets_and_gauntlets_take_bots_only_before_the_start(
        self, playing: Playing, starter: Starter, kind: Format
    ) -> None:
        kept = await planned(playing, "random", "planner", kind=kind)
        await playing.organiser.enter(kept.id, "greedy", kept.owner)
        assert len((await starter.start(kept.id)).entrants) == 3
        with pytest.raises(NotOpen, match="made for the bots of the start"):
            await playing.organiser.enter(kept.id, "greedy#2", kept.owner)

    async def test_a_bot_that_would_make_it_too_large_is_refused(self, playing: Playing) -> None:
        kept = await planned(playing, "random", "planner", kind=RoundRobin(blocks=9_999, tables=99))
        for number in range(2, 5):
            await playing.organiser.enter(kept.id, f"random#{number}", kept.owner)
        with pytest.raises(GameError, match="at most 250,000"):
            await playing.organiser.enter(kept.id, "random#5", kept.owner)


GONE: dict[str, tuple[dict[str, Any], str]] = {
    "it is disabled": ({"state": "disabled"}, "disabled"),
    "it is closed by its owner": ({"open_to": "owner"}, "closed by its owner before the start"),
    "it is banned": ({"ban": Ban("Spam", 1)}, "stopped by the organisers of the arena"),
    "it plays another game": ({"info": replace(INFO, games=["splito"])}, "does not play this game"),
}


@pytest.mark.parametrize("case", GONE)
async def test_a_bot_that_cannot_play_at_the_start_is_gone_with_the_reason(
    playing: Playing, starter: Starter, case: str
) -> None:
    changes, reason = GONE[case]
    kept, bot = await planned(playing, "random", "planner"), await ready(playing)
    await playing.organiser.enter(kept.id, bot.id, kept.owner)
    banned = changes.get("ban")
    if banned is not None:
        await playing.link.call("HSET", "bans", field_of("bot", bot.id), msgspec.json.encode(banned))
    else:
        await put(playing.link, replace(bot, **changes))
    begun = await starter.start(kept.id)
    assert [(one.bot, one.gone) for one in begun.entrants] == [("random", None), ("planner", None), (bot.id, reason)]


async def test_a_deleted_bot_is_gone_and_a_new_version_plays(playing: Playing, starter: Starter) -> None:
    kept, gone, newer = await planned(playing, "random"), await ready(playing), await ready(playing)
    for bot in (gone, newer):
        await playing.organiser.enter(kept.id, bot.id, bot.owner)
    await playing.link.call("DEL", f"bot:{gone.id}")
    await put(playing.link, replace(newer, info=replace(INFO, version="9"), passed="9"))
    begun = await starter.start(kept.id)
    found = [(one.version, one.gone) for one in begun.entrants[1:]]
    assert found == [("1.0", "deleted"), ("9", None)]


class TestTimes:
    async def test_the_organiser_changes_the_times_before_the_start(self, playing: Playing) -> None:
        kept, time = await planned(playing, "random", "planner"), await now(playing.link)
        moved = await playing.organiser.set_times(kept.id, None, time + 3 * HOUR)
        assert (moved.state, moved.opens_ms, moved.starts_ms) == ("open", kept.opens_ms, time + 3 * HOUR)
        assert await playing.organiser.set_times(kept.id, None, time + 3 * HOUR) == moved, "the same again"
        closed = await playing.organiser.set_times(kept.id, time + HOUR, time + 3 * HOUR)
        assert (closed.state, closed.opens_ms) == ("scheduled", time + HOUR)
        assert await playing.link.call("ZSCORE", SCHEDULED, kept.id) == str(time + HOUR).encode()

    async def test_times_that_make_no_sense_are_refused(self, playing: Playing) -> None:
        kept, time = await planned(playing, "random"), await now(playing.link)
        for opens, starts, why in (
            (None, time - 1, "past"),
            (None, time + (MOST_DAYS + 1) * DAY, "366 days"),
            (time + 2 * HOUR, time + HOUR, "after starts"),
        ):
            with pytest.raises(BadOption, match=why):
                await playing.organiser.set_times(kept.id, opens, starts)

    async def test_after_the_start_only_the_same_times_are_accepted(self, playing: Playing, starter: Starter) -> None:
        kept = await planned(playing, "random", "planner")
        begun = await starter.start(kept.id)
        assert (await playing.organiser.set_times(kept.id, None, kept.starts_ms or 0)).state == begun.state
        with pytest.raises(AlreadyBegun):
            await playing.organiser.set_times(kept.id, None, (kept.starts_ms or 0) + 1)
        await playing.organiser.set_state(kept.id, "cancelled")
        with pytest.raises(AlreadyOver):
            await playing.organiser.set_times(kept.id, None, (kept.starts_ms or 0) + 1)

    async def test_it_cannot_be_paused_before_the_start(self, playing: Playing) -> None:
        kept = await planned(playing, "random", "planner")
        with pytest.raises(NotBegun, match="start it with `running`"):
            await playing.organiser.set_state(kept.id, "paused")

    async def test_a_start_at_its_time_yields_to_a_later_time(self, playing: Playing, starter: Starter) -> None:
        """The organiser moves the start while a starter attends to it."""
        kept = await planned(playing, "random", "planner")
        assert (await starter.start(kept.id, at_its_time=True)).state == "open"


async def test_a_start_that_races_a_cancellation_ends_in_the_cancellation(playing: Playing, starter: Starter) -> None:
    for _ in range(10):
        kept = await planned(playing, "random", "planner")
        await shift_times(playing, kept, HOUR)
        await asyncio.gather(attend(starter, kept, 4), playing.organiser.set_state(kept.id, "cancelled"))
        await attend(starter, kept)
        assert (await playing.tournaments.get(kept.id)).state == "cancelled"
        assert await playing.link.call("ZSCORE", SCHEDULED, kept.id) is None


async def test_a_clock_that_is_set_back_starts_nothing_twice(playing: Playing, starter: Starter) -> None:
    kept = await planned(playing, "random", "planner")
    await shift_times(playing, kept, HOUR)
    await attend(starter, kept)
    begun = await shift_times(playing, kept, -HOUR)
    await attend(starter, kept)
    assert await playing.tournaments.get(kept.id) == begun


async def test_a_tournament_that_cannot_be_attended_to_does_not_keep_others_waiting(
    playing: Playing, starter: Starter
) -> None:
    broken, kept = await planned(playing, "random", game="chess"), await planned(playing, "random", "planner")
    for one in (broken, kept):
        await shift_times(playing, one, HOUR)
    for _ in range(3):
        await starter.look()
    assert (await playing.tournaments.get(kept.id)).state == "running"
    assert float(await playing.link.call("ZSCORE", SCHEDULED, broken.id)) > await now(playing.link)
    await playing.organiser.set_state(broken.id, "cancelled")
    await playing.tournaments.delete(broken.id)


class TestEvents:
    async def test_webhooks_are_told_once_of_sign_up_start_and_end(self, playing: Playing, starter: Starter) -> None:
        kept = await planned(playing, "random", "planner", opens=HOUR, starts=2 * HOUR)
        hook = await _subscribed(playing.link, kept.owner)
        for _ in range(2):
            await shift_times(playing, kept, HOUR)
            await attend(starter, kept, 4)
        await playing.organiser.set_state(kept.id, "cancelled")
        await attend(starter, kept)
        found = await _told(playing.link, hook)
        assert [(one["type"], one["data"]["state"]) for one in found] == [
            ("tournament.changed", "open"),
            ("tournament.changed", "running"),
            ("tournament.finished", "cancelled"),
        ]

    async def test_an_event_is_sent_by_another_process_if_the_first_is_killed_before_it(
        self, playing: Playing, starter: Starter, redis_url: str
    ) -> None:
        """A process is killed after the start was stored: the schedule still has the tournament."""
        kept = await planned(playing, "random", "planner")
        hook = await _subscribed(playing.link, kept.owner)
        await starter.start(kept.id)
        assert await _told(playing.link, hook) == []
        assert await playing.link.call("ZSCORE", SCHEDULED, kept.id) == b"0"
        async with Link(redis_url) as other:
            await attend(open_starter(other), kept)
        assert [one["data"]["state"] for one in await _told(playing.link, hook)] == ["running"]


async def _subscribed(link: Link, owner: str) -> str:
    hooks = Hooks(link)
    hook = await hooks.create(owner, "https://ada.example/told", ["tournament.changed", "tournament.finished"])
    await hooks.change(hook.id, lambda one: replace(one, proved=True))
    assert await Outbox(link).wanted(owner, "tournament.changed")
    return hook.id


async def _told(link: Link, hook: str) -> list[Any]:
    waiting = await link.call("ZRANGE", f"hook:{hook}:waiting", 0, -1)
    bodies = [await link.call("HGET", f"hook:{hook}:log:{one.decode()}", "body") for one in waiting]
    return sorted((msgspec.json.decode(body) for body in bodies), key=lambda one: one["timestamp"])


class TestLate:
    async def test_a_late_bot_joins_a_round_robin_with_all_its_tables(self, playing: Playing, starter: Starter) -> None:
        kept = await planned(playing, "random", "planner", "greedy", late=True)
        await starter.start(kept.id)
        await playing.organiser.enter(kept.id, "greedy#2", kept.owner)
        over = await playing.finish(kept)
        tables = [table for planned in (await playing.tournaments.rounds(kept.id)).values() for table in planned.tables]
        assert (over.state, over.round, len(tables)) == ("finished", 2, 6)
        assert len({frozenset(table) for table in tables}) == 6, "every pair has met once"

    async def test_a_late_bot_plays_the_rest_of_a_swiss_tournament(self, playing: Playing, starter: Starter) -> None:
        kept = await planned(playing, "random", "planner", "greedy", "greedy#2", kind=Swiss(rounds=3), late=True)
        await starter.start(kept.id)
        found = await playing.organiser.enter(kept.id, "greedy#3", kept.owner)
        assert found.entrants[-1].since == 1
        assert (await playing.organiser.enter(kept.id, "greedy#3", kept.owner)).entrants == found.entrants
        over = await playing.finish(kept)
        rounds = await playing.tournaments.rounds(kept.id)
        seated = [{bot for table in one.tables for bot in table} for one in rounds.values()]
        assert (over.state, len(rounds), "greedy#3" in seated[0]) == ("finished", 3, False)
        assert "greedy#3" in seated[1] | seated[2]

    async def test_a_round_planned_without_a_late_bot_is_planned_again(
        self, playing: Playing, starter: Starter
    ) -> None:
        kept = await planned(playing, "random", "planner", kind=Swiss(rounds=3), late=True)
        begun = await starter.start(kept.id)
        rounds = await playing.tournaments.rounds(kept.id)
        await playing.organiser.enter(kept.id, "greedy", kept.owner)
        assert not await playing.tournaments.plan_round(kept.id, begun.round, rounds[0], begun.entrants)

    async def test_late_entry_ends_at_its_documented_point_and_is_off_by_default(
        self, playing: Playing, starter: Starter
    ) -> None:
        for kind, late, why in (
            (Swiss(), False, "did not allow"),
            (Swiss(rounds=1), True, "ended when round 1 was planned"),
        ):
            kept = await planned(playing, "random", "planner", kind=kind, late=late)
            await starter.start(kept.id)
            with pytest.raises(NotOpen, match=why):
                await playing.organiser.enter(kept.id, "greedy", kept.owner)

    async def test_a_bot_that_dropped_out_does_not_come_back(self, playing: Playing, starter: Starter) -> None:
        kept = await planned(playing, "random", "planner", "greedy", kind=Swiss(rounds=3), late=True)
        await starter.start(kept.id)
        await playing.organiser.withdraw_for(kept.id, "greedy", kept.owner)
        with pytest.raises(NotOpen, match="dropped out"):
            await playing.organiser.enter(kept.id, "greedy", kept.owner)


async def test_a_ladder_may_have_a_sign_up_too(playing: Playing, starter: Starter) -> None:
    kept = await planned(playing, "random", kind=Ladder())
    await playing.organiser.enter(kept.id, "planner", kept.owner)
    assert (await starter.start(kept.id)).state == "running"
    await playing.organiser.set_state(kept.id, "cancelled")
