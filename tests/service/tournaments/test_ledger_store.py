"""The ledger stores the entry of a block once, in the order of blocks, and counts it once."""

import asyncio
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id, block_place, version_id
from splito_arena.formats import Ladder
from splito_service.errors import UnknownBlock
from splito_service.storage.connect import Client
from splito_service.tournaments.ledger_store import Counts, Ledger
from splito_service.tournaments.store import Tournaments
from tests.service.tournaments.stored_tournaments import LEASE, Cast, begun, block, entry_at, entry_of, lapse, leases

pytestmark = pytest.mark.anyio


async def test_an_entry_is_written_once_and_its_times_are_counted_once(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    planned = cast.seated("ab", "cd")
    kept = await begun(tournaments, planned)
    [mine] = await ledger.claim(kept.id, "one", 1, cast.slots(), LEASE)
    entry, (a, b) = entry_at(planned, mine), [version_id(bot, "1 beta") for bot in cast.bots[:2]]
    times = {a: {3: 2, 117: 1}, b: {0: 5}}
    done = await asyncio.gather(*(ledger.finish(kept, entry, times) for _ in range(8)))
    assert sorted(done) == [False] * 7 + [True]
    assert not await ledger.finish(kept, Entry(block=mine, bots=entry.bots, skipped="late"), times)
    assert await ledger.entry(kept.id, mine) == entry
    assert await ledger.times(kept.id) == times
    assert await ledger.counts(kept.id) == Counts(done=1, skipped=0, games=2, open=1, claimed=0)
    assert await leases(redis, cast) == {}
    assert await ledger.renew(kept.id, "one", [mine], LEASE) == []
    assert await ledger.claim(kept.id, "two", 9, {}, LEASE) == [block(0, 1)]


async def test_a_late_entry_counts_if_no_other_worker_was_faster(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    planned = cast.seated("ab", "cd")
    kept = await begun(tournaments, planned)
    first, second = await ledger.claim(kept.id, "one", 2, cast.slots(), LEASE)
    await lapse(redis, kept, cast)
    assert await ledger.finish(kept, entry_at(planned, first), {}), "it lay about"
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == [second]
    assert await ledger.finish(kept, entry_at(planned, second), {}), "two plays it, but has not ended"
    assert await ledger.renew(kept.id, "two", [second], LEASE) == [], "and learns that it need not"
    assert not await ledger.finish(kept, entry_at(planned, second), {})
    assert await leases(redis, cast) == {}


@pytest.mark.parametrize("state", ["paused", "cancelled"])
async def test_a_late_entry_does_not_count_after_a_pause_or_the_end(
    tournaments: Tournaments, ledger: Ledger, redis: Client, state: Any
) -> None:
    """After the end the secret is told, and all deals follow from it."""
    cast = Cast()
    planned = cast.seated("ab")
    kept = await begun(tournaments, planned)
    [mine] = await ledger.claim(kept.id, "one", 1, cast.slots(), LEASE)
    await tournaments.change(kept.id, lambda now: replace(now, state=state))
    await lapse(redis, kept, cast)
    assert not await ledger.finish(kept, entry_at(planned, mine), {})
    assert (await ledger.counts(kept.id)).done == 0


async def test_an_entry_of_an_unplanned_block_is_not_stored(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab")
    kept = await begun(tournaments, planned)
    assert not await ledger.finish(kept, entry_of(block(0, 0, 5), planned.tables[0]), {})
    with pytest.raises(UnknownBlock):
        await ledger.entry(kept.id, block(0, 0, 5))
    with pytest.raises(UnknownBlock):  # which is not over
        await ledger.entry(kept.id, block(0, 0))


async def test_a_skipped_block_counts_as_done_without_games(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab", "cd")
    kept = await begun(tournaments, planned)
    skipped = Entry(block=block(0, 0), bots=("a@1", "b@1"), skipped="a is gone")
    assert await ledger.finish(kept, skipped, {})
    assert await ledger.finish(kept, entry_at(planned, block(0, 1)), {})
    assert await ledger.counts(kept.id) == Counts(done=2, skipped=1, games=2, open=0, claimed=0)
    assert (await ledger.entry(kept.id, block(0, 0))).skipped == "a is gone"


async def test_the_ledger_is_in_the_order_of_blocks_not_of_play(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab", "cd", "ac", blocks=40)
    kept = await begun(tournaments, planned)
    blocks = [block(0, table, number) for number in range(40) for table in range(3)]
    entries = [entry_at(planned, one) for one in blocks]
    for entry in Random(5).sample(entries, len(entries)):
        await ledger.finish(kept, entry, {})
    assert await ledger.whole(kept.id) == entries
    assert await ledger.entries(kept.id, None, 7) == entries[:7]
    assert await ledger.entries(kept.id, blocks[6], 7) == entries[7:14]
    assert await ledger.entries(kept.id, blocks[-2], 7) == entries[-1:]
    assert await ledger.entries(kept.id, blocks[-1], 7) == []


async def test_workers_that_die_or_come_late_leave_every_block_played_once(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    """Workers die with blocks in their hands, come late, and give up; at the end everything has been played once."""
    cast, chance = Cast("abcdefgh"), Random(2)
    tables = ["".join(chance.sample("abcdefgh", 4)) for _ in range(30)]
    planned = cast.seated(*tables, blocks=3)
    kept = await begun(tournaments, planned, players=4)
    slots, written = cast.slots(a=1, b=3, c=2, d=9, e=4, f=1, g=2, h=3), list[str]()

    async def work(token: str, hand: list[str]) -> None:
        hand += await ledger.claim(kept.id, token, 4, slots, LEASE)
        chance.shuffle(hand)
        for one in [hand.pop() for _ in hand[:3]]:
            fate = chance.random()
            if fate < 0.6 and await ledger.finish(kept, entry_at(planned, one), {}):
                written.append(one)
            elif fate < 0.8:
                await ledger.release(kept.id, token, [one])
        busy = {bot: await redis.zcard(f"leases:{bot}") for bot in cast.bots}
        assert all(busy[bot] <= slots[bot] for bot in busy)

    workers = {f"worker {number}": list[str]() for number in range(5)}
    while (await ledger.counts(kept.id)).open:
        await asyncio.gather(*(work(token, hand) for token, hand in workers.items()))
        if chance.random() < 0.2:
            await lapse(redis, kept, cast)
    assert sorted(written) == [block(0, table, number) for number in range(3) for table in range(30)]
    assert [entry.block for entry in await ledger.whole(kept.id)] == sorted(written)
    assert await redis.exists(*(f"leases:{bot}" for bot in cast.bots)) == 0
    assert await redis.exists(f"tournament:{kept.id}:claims", f"tournament:{kept.id}:open") == 0


async def test_a_ladder_keeps_its_newest_blocks_and_counts_all(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    planned = cast.seated("ab", "cd")
    kept = await begun(tournaments, planned, format=Ladder(keep=5))
    stuck = block(1, 0)
    for number in range(10):
        for table in range(2):
            one = block(number, table)
            assert one == stuck or await ledger.finish(kept, entry_at(planned, one), {})
        assert await tournaments.plan_round(kept.id, number + 1, planned)
    newest = [block(number, table) for number in range(10) for table in range(2)][-5:]
    assert [entry.block for entry in await ledger.whole(kept.id)] == newest
    assert await redis.hlen(f"tournament:{kept.id}:ledger") == 5
    assert await ledger.counts(kept.id) == Counts(done=19, skipped=0, games=38, open=3, claimed=0)
    assert [*await tournaments.rounds(kept.id)] == [*range(1, 11)], "from the first of which a block is open"
    assert await ledger.finish(kept, entry_at(planned, stuck), {})
    assert not await ledger.finish(kept, entry_at(planned, block(0, 0)), {}), "it counts once, though it is forgotten"
    assert await tournaments.plan_round(kept.id, 11, planned)
    assert [*await tournaments.rounds(kept.id)] == [7, 8, 9, 10, 11]
    with pytest.raises(UnknownBlock):
        await ledger.entry(kept.id, stuck)


def test_block_ids_sort_as_text_in_the_order_of_play() -> None:
    chance = Random(1)
    places = [BlockPlace(chance.randrange(10**8), chance.randrange(10**4), chance.randrange(10**5)) for _ in range(999)]
    assert [block_place(one) for one in sorted(map(block_id, places))] == sorted(places)
