"""Shifts play the blocks of all tournaments within the limits of bots, skip missing bots, and release their blocks."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.ledger import Entry
from splito_arena.formats import Ladder, RoundRobin
from splito_arena.match.messages import BotInfo
from splito_service.bots.ask_log import Log
from splito_service.bots.ask_store import AcceptedAnswer, Asks
from splito_service.bots.model import Registered
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.storage.rq_keys import WORKERS
from splito_service.tournaments.ratings.store import LEASE, Ratings
from splito_service.webhooks.model import EVENTS, StoredHook, proved
from splito_service.webhooks.model import Event as Told
from splito_service.webhooks.store import Hooks
from splito_service.workers import tournament_loop
from splito_service.workers.block_players import at_once, capacity, slots_of
from splito_service.workers.queue import WAITING, ShiftSlots
from splito_service.workers.scheduler import tending
from tests.service.playing import LIMIT, Playing, entrant, house, outcome, put, registered, tournament, until
from tests.service.pushed import INFO, PushBot, serving

pytestmark = pytest.mark.anyio
TURNS = 22
"""Of Splitter: in each of them everybody answers."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A Redis for each test, because a shift plays every tournament in its Redis."""
    with open_server(tmp_path) as server:
        yield server.url


@pytest.fixture
async def playing(url: str) -> AsyncIterator[Playing]:
    async with Link(url) as link:
        yield Playing(link, url)


@pytest.fixture
def push() -> Iterator[PushBot]:
    with serving() as bot:
        bot.info = {**INFO, "games": ["splitter"]}
        yield bot


async def entries(playing: Playing, tournament_id: str) -> list[Entry]:
    return await playing.ledger.whole(tournament_id)


async def test_every_block_is_played_once_and_rated_once(playing: Playing) -> None:
    kept = tournament(RoundRobin(blocks=3), *house("random", "planner"), ranked=True)
    assert (await playing.play(kept)).state == "finished"
    found = await outcome(playing.link, kept)
    assert len(found.ledger) == 3
    assert found.games == 6
    assert {*found.rated.values()} == {(6, 3)}
    assert {*found.answers.values()} == {6 * TURNS}


async def test_the_same_secret_gives_the_same_ledger(playing: Playing) -> None:
    first, second = (tournament(RoundRobin(blocks=2), *house("random", "planner")) for _ in range(2))
    for kept in (first, second):
        await playing.play(kept)
    assert (await outcome(playing.link, first)).ledger == (await outcome(playing.link, second)).ledger


GONE = {
    "deleted": None,
    "disabled": {"state": "disabled"},
    "another version": {"info": {"version": "2.0"}},
    "does not play this game": {"info": {"games": ["splito"]}},
    "not checked": {"passed": None},
}


@pytest.mark.parametrize("why", GONE)
async def test_blocks_of_a_missing_bot_are_skipped_with_the_reason(playing: Playing, push: PushBot, why: str) -> None:
    bot = registered(push)
    await put(playing.link, bot)
    kept = tournament(RoundRobin(blocks=2), *house("random", "planner"), entrant(bot), ranked=True)
    await playing.organiser.hold(kept)
    await change(playing.link, bot, GONE[why])
    over = await playing.finish(kept)
    played = {entry.bots: entry.skipped for entry in await entries(playing, kept.id)}
    assert over.state == "finished"
    assert {why for bots, why in played.items() if bot.id not in str(bots)} == {None}
    assert {why for bots, why in played.items() if bot.id in str(bots)} == {f"Marvin: {why}"}
    assert [one.gone for one in over.entrants] == [None, None, why]
    assert push.called == []


async def change(link: Link, bot: Registered, how: dict[str, Any] | None) -> None:
    if how is None:
        await link.call("DEL", f"bot:{bot.id}")
        return
    assert bot.info is not None
    info = msgspec.structs.replace(bot.info, **how.get("info", {}))
    await put(link, msgspec.structs.replace(bot, **{**how, "info": info}))


async def test_a_new_version_of_a_bot_plays_in_a_ladder_under_its_own_id(playing: Playing, push: PushBot) -> None:
    bot = registered(push)
    await put(playing.link, bot)
    kept = tournament(Ladder(tables=1), *house("random"), entrant(bot))
    await playing.organiser.hold(kept)
    await change(playing.link, bot, {"info": {"version": "2.0"}})
    told = asyncio.Event()
    shift = asyncio.create_task(playing.shift(told))

    async def has_played() -> bool:
        return (await playing.ledger.counts(kept.id)).done > 1

    await until(has_played)
    told.set()
    await shift
    versions = {version for entry in await entries(playing, kept.id) for version in entry.bots}
    assert {version for version in versions if version.startswith(bot.id)} == {f"{bot.id}@2.0"}


async def test_a_bot_that_never_answers_does_not_delay_other_tournaments(playing: Playing, push: PushBot) -> None:
    answered = Event()
    push.choose = lambda _: answered.wait(LIMIT) and {"index": 0}
    bot = registered(push, concurrency=1)
    await put(playing.link, bot)
    slow = tournament(RoundRobin(blocks=4), *house("random"), entrant(bot))
    quick = tournament(RoundRobin(blocks=4), *house("random", "planner"))
    await playing.organiser.hold(slow)
    assert (await playing.play(quick)).state == "finished"
    assert (await playing.ledger.counts(slow.id)).done == 0
    answered.set()


async def test_a_stopped_shift_releases_its_blocks(playing: Playing, push: PushBot) -> None:
    answered, told = Event(), asyncio.Event()
    push.choose = lambda _: answered.wait(LIMIT) and {"index": 0}
    bot = registered(push, concurrency=1)
    await put(playing.link, bot)
    kept = tournament(RoundRobin(blocks=4), *house("random"), entrant(bot))
    await playing.organiser.hold(kept)
    shift = asyncio.create_task(playing.shift(told))

    async def is_asked() -> bool:
        return bool(push.called)

    await until(is_asked)
    assert (await playing.ledger.counts(kept.id)).claimed == 1
    assert await playing.link.call("ZCARD", f"leases:{bot.id}") == 1
    told.set()
    await shift
    answered.set()
    assert (await playing.ledger.counts(kept.id)).claimed == 0
    assert await playing.link.call("ZCARD", f"leases:{bot.id}") == 0


async def test_a_block_that_fails_on_our_side_is_retried_and_then_pauses_the_tournament(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_loop, "LEASE", 1)  # milliseconds: what has failed is free again at once
    kept = await playing.play(tournament(RoundRobin(), *house("random", "greedy"), options={"no-such-option": 1}))
    assert kept.state == "paused"
    assert kept.reason is not None
    assert kept.reason.startswith("block 00000000-0000-00000 failed 5 times, and no bot is to blame")
    assert (await playing.ledger.counts(kept.id)).done == 0
    again = await playing.organiser.set_state(kept.id, "running")
    assert (again.state, again.reason) == ("running", None)
    assert (await playing.finish(again)).state == "paused"


@pytest.mark.parametrize(("log", "logged"), [("faults", {"illegal-move"}), ("all", {"illegal-move", None})])
async def test_the_ask_log_of_a_tournament_follows_its_log_setting(
    playing: Playing, push: PushBot, log: str, logged: set[str | None]
) -> None:
    push.choose = lambda ask: {"index": 999 if ask["turn"] == 3 else 0}
    bot = registered(push)
    await put(playing.link, bot)
    kept = await playing.play(tournament(RoundRobin(), *house("random"), entrant(bot), log=log))
    rows = await Log(playing.link).page(bot.id, None, 1000)
    assert {found.row.fault and found.row.fault.code for found in rows} == logged
    assert len(rows) == (2 if log == "faults" else 2 * TURNS)
    assert {fault for entry in await entries(playing, kept.id) for game in entry.games for fault in game.faults} == {
        (),
        ("illegal-move",),
    }


async def test_a_bot_that_fails_in_a_tournament_is_told_why(playing: Playing, push: PushBot) -> None:
    push.status, push.problem = 401, {"code": "replayed", "detail": "message m1 has come before"}
    bot = registered(push)
    await put(playing.link, bot)
    hook = await hook_of(playing.link, bot.owner, ["bot.failing"])
    kept = await playing.play(tournament(RoundRobin(blocks=2), *house("random"), entrant(bot)))
    reason = (await Bots(playing.link).get(bot.id)).failing or ""
    assert re.match(rf"a house bot took over in 2 of 2 matches of block [0-9-]+ of tournament {kept.id} \(", reason)
    assert "(bad-status 6 times); the last fault: the status is not 200: 401, replayed: message m1" in reason
    assert await playing.link.call("ZCARD", f"hook:{hook.id}:waiting") == 1
    [row, *_] = await Log(playing.link).page(bot.id, None, 10)
    assert row.row.status == 401


async def test_pull_bots_play_in_tournaments(playing: Playing, push: PushBot) -> None:
    bot = msgspec.structs.replace(registered(push), kind="pull", url=None, secrets=None)
    await put(playing.link, bot)
    poller = asyncio.create_task(answer_first(Asks(playing.link), bot.id))
    kept = await playing.play(tournament(RoundRobin(blocks=2), *house("random"), entrant(bot)))
    poller.cancel()
    faults = {fault for entry in await entries(playing, kept.id) for game in entry.games for fault in game.faults}
    assert (kept.state, faults) == ("finished", {()})
    assert push.called == []


async def answer_first(asks: Asks, bot: str) -> None:
    """Answer every ask of the bot with its default move, until cancelled."""
    while True:
        for body in (await asks.hand_out(bot, 8, 8)).asks:
            await asks.answer(msgspec.json.decode(body)["id"], bot, AcceptedAnswer(0), b'{"index":0}')
        await asyncio.sleep(0.001)


async def test_a_block_during_which_a_bot_changes_version_is_skipped(playing: Playing, push: PushBot) -> None:
    bot = registered(push)
    await put(playing.link, bot)
    kept = tournament(RoundRobin(blocks=1), *house("random"), entrant(bot))
    changed = Event()

    def say(_: Any) -> Any:
        changed.wait(LIMIT)
        return {"index": 0}

    push.choose = say
    await playing.organiser.hold(kept)
    finishing = asyncio.create_task(playing.finish(kept))

    async def is_asked() -> bool:
        return bool(push.called)

    await until(is_asked)
    await change(playing.link, bot, {"info": {"version": "2.0"}})
    changed.set()
    assert (await finishing).state == "finished"
    assert [entry.skipped for entry in await entries(playing, kept.id)] == ["Marvin: another version"]


async def test_the_organiser_receives_one_event_per_match_block_and_tournament(playing: Playing) -> None:
    owner = new_id()
    hook = await hook_of(playing.link, owner, EVENTS)
    kept = tournament(RoundRobin(blocks=3), *house("random", "planner"), ranked=True, owner=owner)
    await playing.play(kept)
    waiting = await playing.link.call("ZCARD", f"hook:{hook.id}:waiting")
    assert waiting == 3 * 2 + 3 + 1


async def test_blocks_of_a_killed_rater_are_rated_and_announced_before_the_end(playing: Playing) -> None:
    owner = new_id()
    hook = await hook_of(playing.link, owner, ["block.rated", "tournament.finished"])
    kept = tournament(RoundRobin(blocks=3), *house("random", "planner"), ranked=True, owner=owner)
    await playing.link.call("SET", "ratings:splitter:2:rater", "dead", "PX", LEASE)
    assert (await playing.play(kept)).state == "finished"
    assert await Ratings(playing.link).counts("splitter", 2) == (3, 0)
    waiting = await playing.link.call("ZRANGE", f"hook:{hook.id}:waiting", 0, -1)
    told = [await playing.link.call("HGET", f"hook:{hook.id}:log:{one.decode()}", "event") for one in waiting]
    assert told == [b"block.rated"] * 3 + [b"tournament.finished"]


@pytest.mark.parametrize("concurrency", [1, 2, 3, 8, 64, 256])
@pytest.mark.parametrize("batch", [0, 1, 64])
@pytest.mark.parametrize("games", [2, 6, 12, 56])
def test_all_blocks_together_stay_within_the_capacity_of_a_bot(concurrency: int, batch: int, games: int) -> None:
    info = BotInfo(name="B", author="A", version="1", games=["splito"], concurrency=concurrency, batch=batch)
    assert 1 <= slots_of(info, games) * at_once(info, games) <= capacity(info)
    assert 1 <= at_once(info, games) <= games


class TestPlaces:
    """Places of shifts in RQ's queue."""

    @pytest.fixture
    async def rota(self, url: str) -> AsyncIterator[ShiftSlots]:
        async with Link(url) as link:
            yield ShiftSlots(link)

    async def test_a_place_is_filled_once(self, rota: ShiftSlots) -> None:
        job = await rota.wants(0)
        assert job is not None
        assert await rota.wants(0) is None
        assert await rota.begin(0, job)
        assert await rota.wants(0) is None
        await rota.end(0, job)
        assert await rota.wants(0) is not None

    async def test_a_job_that_comes_twice_or_too_late_has_nothing_to_do(
        self, rota: ShiftSlots, playing: Playing
    ) -> None:
        late = await rota.wants(0)
        assert late is not None
        await playing.link.call("DEL", "shift:0")  # as after a while in which it had left the queue and not begun
        job = await rota.wants(0)
        assert job is not None
        assert await rota.begin(0, job)
        assert not await rota.begin(0, late)
        await rota.renew(0, late)
        await rota.end(0, late)
        assert await playing.link.call("GET", "shift:0") == job.encode()

    async def test_a_job_that_left_the_queue_and_does_not_begin_loses_its_place(
        self, rota: ShiftSlots, playing: Playing
    ) -> None:
        job = await rota.wants(0)
        assert job is not None
        await playing.link.call("RPUSH", WAITING, job)
        assert await rota.wants(0) is None
        assert await playing.link.call("PTTL", "shift:0") == -1
        await playing.link.call("LPOP", WAITING)
        assert await rota.wants(0) is None
        assert await playing.link.call("PTTL", "shift:0") > 0

    async def test_a_place_that_redis_forgot_is_taken_again(self, rota: ShiftSlots, playing: Playing) -> None:
        job = await rota.wants(0)
        assert job is not None
        await playing.link.call("DEL", "shift:0")
        await rota.renew(0, job)
        assert await rota.wants(0) is None

    async def test_there_is_a_shift_for_every_worker_while_something_runs(self, playing: Playing, url: str) -> None:
        await playing.link.call("SADD", WORKERS, "one", "two")
        async with tending(playing.link, url) as tender:
            assert await tender.look() == 0
            await playing.organiser.hold(tournament(RoundRobin(), *house("random", "planner")))
            await asyncio.gather(*(tender.look() for _ in range(4)))
            assert await playing.link.call("LLEN", WAITING) == 2


async def hook_of(link: Link, owner: str, events: Sequence[Told]) -> StoredHook:
    """Return a hook that has proved itself."""
    made = await Hooks(link).create(owner, "https://example.com/hook", events)
    return await Hooks(link).change(made.id, partial(proved, url=made.url))
