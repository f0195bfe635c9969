"""A block is claimed by one worker at a time, and a bot sits in no more blocks than it has slots.

A test that needs a lease to be over moves the lease into the past.
"""

import asyncio

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import block_place
from splito_service.storage.connect import Client
from splito_service.tournaments.ledger_store import LOOKED_AT, Counts, Ledger
from splito_service.tournaments.store import Tournaments
from tests.service.tournaments.stored_tournaments import LEASE, Cast, begun, block, entry_at, lapse, leases

pytestmark = pytest.mark.anyio


async def test_blocks_are_claimed_in_order_by_one_worker_each(tournaments: Tournaments, ledger: Ledger) -> None:
    """All tables play their first block before any plays its second."""
    kept = await begun(tournaments, Cast().seated("ab", "cd", blocks=3))
    ordered = [block(0, table, number) for number in range(3) for table in range(2)]
    assert await ledger.claim(kept.id, "one", 4, {}, LEASE) == ordered[:4]
    assert await ledger.claim(kept.id, "two", 4, {}, LEASE) == ordered[4:]
    assert await ledger.claim(kept.id, "three", 4, {}, LEASE) == []
    assert await ledger.counts(kept.id) == Counts(done=0, skipped=0, games=0, open=6, claimed=6)


async def test_simultaneous_claims_never_get_the_same_block(tournaments: Tournaments, ledger: Ledger) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd", "ac", "bd", blocks=50))
    claims = [
        ledger.claim(kept.id, f"token {number}", 7, cast.slots(a=99, b=99, c=99, d=99), LEASE) for number in range(40)
    ]
    got = [one for claim in await asyncio.gather(*claims) for one in claim]
    assert len(got) == len({*got}), "no block twice"
    tables = [block_place(one).table for one in got]
    assert max(tables.count(0) + tables.count(2), tables.count(1) + tables.count(3)) == 99, "as much as a bot can"


async def test_the_bots_of_a_block_are_those_of_its_table(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab", "dc", blocks=2)
    kept = await begun(tournaments, planned)
    assert await ledger.bots(kept.id, block(0, 1, 1)) == planned.tables[1]


async def test_a_block_with_a_busy_bot_is_skipped(tournaments: Tournaments, ledger: Ledger) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "ac", "cd", blocks=2))
    assert await ledger.claim(kept.id, "one", 9, cast.slots(a=1), LEASE) == [block(0, 0), block(0, 2)]
    assert await ledger.claim(kept.id, "two", 9, cast.slots(a=1, c=2), LEASE) == []
    more = await ledger.claim(kept.id, "two", 9, cast.slots(a=2, c=2), LEASE)
    assert more == [block(0, 1)], "a and c are in two blocks each"


async def test_slots_of_a_bot_are_counted_over_all_tournaments(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    one, two = [await begun(tournaments, cast.seated("ab", "cd")) for _ in range(2)]
    assert await ledger.claim(one.id, "one", 1, cast.slots(), LEASE) == [block(0, 0)]
    assert await ledger.claim(two.id, "two", 9, cast.slots(), LEASE) == [block(0, 1)]
    assert await leases(redis, cast) == {"a": 1, "b": 1, "c": 1, "d": 1}
    await ledger.finish(one, entry_at(cast.seated("ab", "cd"), block(0, 0)), {})
    assert await ledger.claim(two.id, "two", 9, cast.slots(), LEASE) == [block(0, 0)]


async def test_a_bot_without_a_slot_limit_may_be_in_any_number_of_blocks(
    tournaments: Tournaments, ledger: Ledger
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", blocks=30))
    assert len(await ledger.claim(kept.id, "one", 99, {}, LEASE)) == 30


async def test_a_bot_that_sits_twice_at_a_table_uses_one_slot(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("aab", blocks=2))
    assert await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE) == [block(0, 0)]
    assert await leases(redis, cast) == {"a": 1, "b": 1}


async def test_many_blocks_of_busy_bots_do_not_delay_blocks_of_other_bots(
    tournaments: Tournaments, ledger: Ledger
) -> None:
    cast = Cast()
    tables = ("ab",) * (3 * LOOKED_AT) + ("cd",) * LOOKED_AT
    kept = await begun(tournaments, cast.seated(*tables))
    assert await ledger.claim(kept.id, "one", 1, cast.slots(), LEASE) == [block(0, 0)]
    found, tries = list[str](), 0
    while not found and tries < 200:
        found, tries = await ledger.claim(kept.id, "two", 1, cast.slots(), LEASE), tries + 1
    assert [block_place(one).table >= 3 * LOOKED_AT for one in found] == [True], f"not in {tries} tries"


@pytest.mark.parametrize("state", ["paused", "finished", "cancelled"])
async def test_no_block_is_claimed_of_a_tournament_that_does_not_run(
    tournaments: Tournaments, ledger: Ledger, state: str
) -> None:
    planned = Cast().seated("ab", blocks=3)
    kept = await begun(tournaments, planned)
    [first] = await ledger.claim(kept.id, "one", 1, {}, LEASE)
    await tournaments.change(kept.id, lambda now: replace(now, state=state))
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == []
    assert await ledger.renew(kept.id, "one", [first], LEASE) == [first], "a claimed block is played to its end"
    assert await ledger.finish(kept, entry_at(planned, first), {}), "and counts"


async def test_a_lapsed_claim_can_be_taken_by_another_worker(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd"))
    mine = await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE)
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == []
    await lapse(redis, kept, cast)
    assert (await ledger.counts(kept.id)).claimed == 0
    assert await ledger.claim(kept.id, "two", 1, cast.slots(), LEASE) == mine[:1]
    assert await ledger.renew(kept.id, "one", mine, LEASE) == [], "a worker that was late to renew has lost its blocks"
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == mine[1:]
    assert await leases(redis, cast) == {"a": 1, "b": 1, "c": 1, "d": 1}


async def test_a_block_with_a_lapsed_claim_is_claimed_before_later_blocks(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", blocks=500))
    await ledger.claim(kept.id, "one", 3, {}, LEASE)
    await lapse(redis, kept, cast)
    assert await ledger.claim(kept.id, "two", 5, {}, LEASE) == [block(0, 0, n) for n in range(5)]


async def test_a_renewed_claim_keeps_the_block_and_its_bots(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd"))
    mine = await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE)
    await lapse(redis, kept, cast)
    assert await ledger.renew(kept.id, "one", [*mine, block(7, 7)], LEASE) == mine, (
        "no other worker has claimed meanwhile"
    )
    assert await ledger.renew(kept.id, "two", mine, LEASE) == []
    assert await ledger.claim(kept.id, "two", 9, {}, LEASE) == []
    other = await begun(tournaments, cast.seated("ab"))
    assert await ledger.claim(other.id, "two", 9, cast.slots(), LEASE) == [], "its bots are as busy as before"


async def test_a_released_block_can_be_claimed_by_another_worker(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd"))
    mine = await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE)
    await ledger.release(kept.id, "two", mine)
    assert await ledger.renew(kept.id, "one", mine, LEASE) == mine, "only the holder of the claim releases it"
    await ledger.release(kept.id, "one", mine[:1])
    assert await leases(redis, cast) == {"c": 1, "d": 1}
    assert await ledger.renew(kept.id, "one", mine, LEASE) == mine[1:]
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == mine[:1]
    await ledger.release(kept.id, "one", mine[:1])
    assert await ledger.renew(kept.id, "two", mine[:1], LEASE) == mine[:1], (
        "the claim of another worker is not released"
    )


async def test_leases_of_bots_expire_with_the_longest_claim(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", blocks=2))
    await ledger.claim(kept.id, "one", 1, {}, 2 * LEASE)
    await ledger.claim(kept.id, "one", 1, {}, LEASE)
    for bot in cast.bots[:2]:
        assert LEASE < await redis.pttl(f"leases:{bot}") <= 2 * LEASE, "not before the longest of them"
