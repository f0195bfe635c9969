"""A round is planned once, its blocks are opened when they are needed, and an abandoned plan leaves nothing."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from splito_arena.formats import Round
from splito_service.storage.connect import Client
from splito_service.tournaments.ledger_store import LOOKED_AT, Counts, Ledger
from splito_service.tournaments.store import OPENED, OVERTAKEN, Tournaments
from tests.service.tournaments.stored_tournaments import LEASE, Cast, begun, block, entry_at, tournament

pytestmark = pytest.mark.anyio


async def test_of_many_simultaneous_plans_of_a_round_one_counts(tournaments: Tournaments, ledger: Ledger) -> None:
    kept, cast = tournament(), Cast()
    await tournaments.create(kept)
    plans = [tournaments.plan_round(kept.id, 0, cast.seated("ab", "cd", blocks=blocks)) for blocks in range(1, 9)]
    done = await asyncio.gather(*plans)
    assert sorted(done) == [False] * 7 + [True]
    planned = cast.seated("ab", "cd", blocks=1 + done.index(True))
    assert await tournaments.rounds(kept.id) == {0: planned}
    assert (await ledger.counts(kept.id)).open == 2 * planned.blocks, "blocks of that plan, and of no other"
    assert not await tournaments.plan_round(kept.id, 2, planned), "nor is one left out"
    assert await tournaments.plan_round(kept.id, 1, cast.seated("ac"))
    assert await tournaments.rounds(kept.id) == {0: planned, 1: cast.seated("ac")}


@pytest.mark.parametrize("state", ["paused", "finished", "cancelled"])
async def test_no_round_is_planned_for_a_tournament_that_does_not_run(tournaments: Tournaments, state: str) -> None:
    kept = tournament(state=state)
    await tournaments.create(kept)
    assert not await tournaments.plan_round(kept.id, 0, Round((("a", "b"),), 1))
    assert await tournaments.rounds(kept.id) == {}


async def test_ten_thousand_tables_keep_their_order(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Round(tuple((f"a{number}", f"b{number}") for number in range(10_000)), 2)
    kept = await begun(tournaments, planned)
    assert await tournaments.rounds(kept.id) == {0: planned}
    assert (await ledger.counts(kept.id)).open == 20_000


async def test_blocks_of_a_large_round_are_opened_when_they_are_needed(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    tables, blocks = 300, 2 * OPENED // 300
    kept = await begun(tournaments, Round(tuple((f"a{n}", f"b{n}") for n in range(tables)), blocks))
    assert (await ledger.counts(kept.id)).open == tables * blocks
    assert await redis.zcard(f"tournament:{kept.id}:open") < OPENED + tables
    got = await ledger.claim(kept.id, "one", 1, {}, LEASE)
    assert await redis.zcard(f"tournament:{kept.id}:open") < OPENED + tables, "no worker needs more blocks"
    busy = {bot: 0 for n in range(tables) for bot in (f"a{n}", f"b{n}")}
    for _ in range(20):
        assert await ledger.claim(kept.id, "one", 9, busy, LEASE) == []
    assert await redis.zcard(f"tournament:{kept.id}:open") < OPENED + 2 * tables, "nor if all are busy"
    while found := await ledger.claim(kept.id, "one", LOOKED_AT, {}, LEASE):
        got += found
    assert sorted(got) == [block(0, table, number) for number in range(blocks) for table in range(tables)]
    assert await ledger.counts(kept.id) == Counts(done=0, skipped=0, games=0, open=len(got), claimed=len(got))
    assert await redis.exists(f"tournament:{kept.id}:waves") == 0
    assert await tournaments.open_blocks(kept.id, 0, blocks + 1)
    assert (await ledger.counts(kept.id)).open == len(got) + tables


async def test_ten_thousand_planned_blocks_use_the_memory_of_a_few(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    kept = await begun(tournaments, Cast().seated("ab", blocks=10_000))
    assert (await ledger.counts(kept.id)).open == 10_000
    assert await redis.zcard(f"tournament:{kept.id}:open") == OPENED
    assert await redis.zcard(f"tournament:{kept.id}:waves") == 1


@pytest.mark.parametrize("state", ["cancelled", "finished"])
async def test_the_end_of_a_tournament_frees_its_open_blocks_but_not_those_being_played(
    tournaments: Tournaments, ledger: Ledger, redis: Client, state: Any
) -> None:
    planned = Cast().seated("ab", blocks=10_000)
    kept = await begun(tournaments, planned)
    played, lapsed = await ledger.claim(kept.id, "one", 2, {}, LEASE)
    await redis.zadd(f"tournament:{kept.id}:open", {lapsed: 1})
    await tournaments.change(kept.id, lambda now: replace(now, state=state))
    assert await redis.zrange(f"tournament:{kept.id}:open", 0, -1) == [played.encode()]
    assert await redis.exists(f"tournament:{kept.id}:waves") == 0
    assert await ledger.counts(kept.id) == Counts(done=0, skipped=0, games=0, open=1, claimed=1)
    assert await ledger.finish(kept, entry_at(planned, played), {}), "a claimed block still counts"
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == []


async def test_an_abandoned_plan_leaves_nothing_in_the_next_plan(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    """The first planner is killed after it has written some tables of a larger round."""
    kept, cast = tournament(), Cast()
    await tournaments.create(kept)
    large = Round(tuple((f"a{number}", f"b{number}") for number in range(2500)), 1)
    raw = await redis.get(f"tournament:{kept.id}")
    assert await tournaments.stage(kept.id, raw, "killed", 0, large) == 1
    assert await tournaments.rounds(kept.id) == {}
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == []
    assert await tournaments.plan_round(kept.id, 0, cast.seated("ab", "cd"))
    assert await tournaments.rounds(kept.id) == {0: cast.seated("ab", "cd")}
    assert await redis.hlen(f"tournament:{kept.id}:tables") == 2
    assert await redis.exists(f"tournament:{kept.id}:plan") == 0
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == [block(0, 0), block(0, 1)]


async def test_of_different_simultaneous_plans_one_is_stored_completely(tournaments: Tournaments) -> None:
    kept = tournament()
    await tournaments.create(kept)
    plans = [
        Round(tuple((f"{who}{n}", f"{who}x") for n in range(size)), 1)
        for who, size in zip("abc", (2500, 1100, 3), strict=True)
    ]
    done = await asyncio.gather(*(tournaments.plan_round(kept.id, 0, plan) for plan in plans))
    assert sum(done) == 1
    assert await tournaments.rounds(kept.id) == {0: plans[done.index(True)]}


async def test_an_overtaken_plan_is_not_committed(tournaments: Tournaments, redis: Client) -> None:
    kept, cast = tournament(), Cast()
    await tournaments.create(kept)
    raw = await redis.get(f"tournament:{kept.id}")
    first, second = cast.seated("ab", "cd"), cast.seated("ac", "bd")
    assert await tournaments.stage(kept.id, raw, "first", 0, first) == 1
    assert await tournaments.stage(kept.id, raw, "second", 0, second) == 1
    assert await tournaments.commit(kept, raw, "first", first) == OVERTAKEN
    assert await tournaments.rounds(kept.id) == {}
    assert await tournaments.commit(kept, raw, "second", second) == 1
    assert await tournaments.rounds(kept.id) == {0: second}


async def test_blocks_that_an_older_version_left_unopened_are_opened(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    kept = await begun(tournaments, Cast().seated("ab", "cd"))
    await redis.zadd(f"tournament:{kept.id}:waves", {"00000000-0001": 0, "00000000-0002": 0})
    await redis.hset(f"tournament:{kept.id}:tally", "ahead", "4")
    wanted = [block(0, table, number) for number in range(3) for table in range(2)]
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == wanted
    assert (await ledger.counts(kept.id)).open == 6


async def test_added_blocks_are_opened_once(tournaments: Tournaments, ledger: Ledger) -> None:
    cast = Cast()
    planned = cast.seated("ab", "cd", blocks=2)
    kept = await begun(tournaments, planned)
    await ledger.finish(kept, entry_at(planned, block(0, 0, 1)), {})
    assert sorted(await asyncio.gather(*(tournaments.open_blocks(kept.id, 0, 4) for _ in range(5)))) == [False] * 4 + [
        True
    ]
    assert await ledger.counts(kept.id) == Counts(done=1, skipped=0, games=2, open=7, claimed=0)
    assert (await tournaments.rounds(kept.id))[0].blocks == 4
    assert not await tournaments.open_blocks(kept.id, 0, 3)
    assert not await tournaments.open_blocks(kept.id, 1, 9), "a round that is not planned yet will have them anyway"
