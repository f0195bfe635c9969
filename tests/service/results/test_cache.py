"""Results of a ledger are computed once for all clients, and again when the ledger has grown."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from msgspec.structs import replace

from splito_arena.formats import Round
from splito_arena.reports.html import report
from splito_service.errors import Busy
from splito_service.results.cache import AT_ONCE, OVERHEAD, WAITING_OF_ONE, ResultCache
from splito_service.results.calculator import Failed
from splito_service.results.compute import slim
from splito_service.storage.client import Link
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.store import Tournaments
from tests.arena.tournaments import ledger
from tests.service.tournaments.stored_tournaments import Cast, begun, block, entry_at

pytestmark = pytest.mark.anyio
BLOCKS = 2 * AT_ONCE + 1


class Held:
    """A tournament of two bots whose blocks end when we say so."""

    def __init__(self, link: Link, kept: StoredTournament, planned: Round) -> None:
        self.ledger = Ledger(link)
        self.kept = kept
        self._planned = planned

    async def end(self, *numbers: int) -> None:
        for number in numbers:
            await self.ledger.finish(self.kept, entry_at(self._planned, block(0, 0, number)), {})


@pytest.fixture
async def held(link: Link) -> Held:
    planned = Cast("ab").seated("ab", blocks=BLOCKS)
    return Held(link, await begun(Tournaments(link), planned), planned)


@pytest.fixture
async def published(held: Held) -> AsyncIterator[ResultCache]:
    async with ResultCache(held.ledger) as published:
        yield published


def count(
    published: ResultCache, kept: StoredTournament, what: str = "count", client: str = ""
) -> Coroutine[Any, Any, int]:
    """The number of blocks, which a function that another process knows too can tell."""
    return published.made(kept, what, len, slim, client)


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 (it depends on the steps of other tasks)
        await asyncio.sleep(0)


async def test_all_blocks_are_in_it_however_many(held: Held, published: ResultCache) -> None:
    await held.end(*range(BLOCKS))
    assert await count(published, held.kept) == BLOCKS


async def test_of_no_blocks_nothing_has_to_be_computed(held: Held, published: ResultCache) -> None:
    assert (await count(published, held.kept), published.computed) == (0, 0)


async def test_who_asks_for_the_same_gets_the_same(held: Held, published: ResultCache) -> None:
    await held.end(0)
    assert await asyncio.gather(*(count(published, held.kept) for _ in range(10))) == [1] * 10
    assert await count(published, held.kept) == 1
    assert published.computed == 1


async def test_results_in_rotation_are_computed_once_each(held: Held, published: ResultCache) -> None:
    await held.end(0)
    for _ in range(3):
        for number in range(48):
            assert await count(published, held.kept, f"count {number}") == 1
    assert published.computed == 48


async def test_results_are_kept_up_to_a_number_of_bytes(held: Held) -> None:
    await held.end(0)
    async with ResultCache(held.ledger, room=3 * OVERHEAD) as published:
        for number in range(10):
            await count(published, held.kept, f"count {number}")
            assert published.size <= 3 * OVERHEAD
        await count(published, held.kept, "count 9")
        assert published.computed == 10
        await count(published, held.kept, "count 0")
        assert published.computed == 11


async def test_a_result_that_is_larger_than_all_room_is_still_shown(held: Held) -> None:
    await held.end(0)
    async with ResultCache(held.ledger, room=1) as published:
        assert await count(published, held.kept) == 1
        assert published.size == 0


async def test_when_it_is_over_every_block_counts_at_once(held: Held, published: ResultCache) -> None:
    over = replace(held.kept, state="finished")
    for number in range(3):
        await held.end(number)
        assert await count(published, over) == number + 1
    assert published.computed == 3


async def test_what_has_failed_is_tried_again(held: Held, published: ResultCache) -> None:
    await held.end(0)
    with pytest.raises(Failed, match="TypeError"):
        await published.made(held.kept, "count", int, slim)  # pyright: ignore[reportArgumentType] (that is the test)
    assert await count(published, held.kept) == 1


async def test_one_who_goes_away_takes_nothing_from_the_others(held: Held, published: ResultCache) -> None:
    await held.end(0)
    first, second = (asyncio.create_task(count(published, held.kept)) for _ in range(2))
    await until(lambda: published.computed)
    first.cancel()
    assert await second == 1


async def test_what_nobody_waits_for_any_more_is_not_begun(held: Held, published: ResultCache) -> None:
    await held.end(0)
    begun, *others = (asyncio.create_task(count(published, held.kept, f"count {number}")) for number in range(4))
    await until(lambda: published.waiting == len(others))
    for other in others[:2]:
        other.cancel()
    assert await asyncio.gather(begun, others[2]) == [1, 1]
    assert (published.computed, published.waiting) == (2, 0)


async def test_what_has_begun_is_kept_though_nobody_waits_for_it(held: Held, published: ResultCache) -> None:
    await held.end(0)
    only = asyncio.create_task(count(published, held.kept))
    await until(lambda: published.computed)
    only.cancel()
    assert await count(published, held.kept) == 1
    assert published.computed == 1


async def test_a_client_that_leaves_at_once_holds_up_nobody(held: Held, published: ResultCache) -> None:
    await held.end(0)
    for _ in range(3):
        leaving = asyncio.create_task(count(published, held.kept))
        await asyncio.sleep(0)
        leaving.cancel()
    assert await count(published, held.kept, "another") == 1


async def test_a_client_with_too_much_that_waits_is_refused_but_not_others(held: Held, published: ResultCache) -> None:
    await held.end(0)
    names = [f"count {number}" for number in range(WAITING_OF_ONE + 1)]
    asked = [asyncio.create_task(count(published, held.kept, name, "a")) for name in names]
    await until(lambda: published.waiting == WAITING_OF_ONE)
    with pytest.raises(Busy):
        await count(published, held.kept, "one more", "a")
    same = asyncio.create_task(count(published, held.kept, names[-1], "a"))
    assert await count(published, held.kept, "another", "b") == 1
    assert published.waiting > 0, "the other client did not wait for all of them"
    assert {*await asyncio.gather(*asked), await same} == {1}


def test_what_is_left_out_of_a_slim_ledger_is_missed_by_no_report() -> None:
    entries = ledger("greedy random random", 2, "splito")
    thin = [*map(slim, entries)]
    assert thin != [*entries]
    assert report("Cup", thin, {}, {}) == report("Cup", entries, {}, {})
