"""Results of a ledger are computed once for all clients, and again when the ledger has grown."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import slim
from splito_arena.formats import Round
from splito_arena.reports.html import report
from splito_service.errors import Busy
from splito_service.results.cache import AT_ONCE, OVERHEAD, WAITING_OF_ONE, ResultCache
from splito_service.results.calculator import Failed
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


async def test_a_result_covers_all_blocks_of_a_large_ledger(held: Held, published: ResultCache) -> None:
    await held.end(*range(BLOCKS))
    assert await count(published, held.kept) == BLOCKS


async def test_a_ledger_without_blocks_needs_no_computation(held: Held, published: ResultCache) -> None:
    assert (await count(published, held.kept), published.computed) == (0, 0)


async def test_a_result_is_computed_once_for_simultaneous_requests(held: Held, published: ResultCache) -> None:
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


async def test_a_result_larger_than_the_cache_is_still_returned(held: Held) -> None:
    await held.end(0)
    async with ResultCache(held.ledger, room=1) as published:
        assert await count(published, held.kept) == 1
        assert published.size == 0


async def test_results_of_a_finished_tournament_include_every_block_at_once(held: Held, published: ResultCache) -> None:
    over = replace(held.kept, state="finished")
    for number in range(3):
        await held.end(number)
        assert await count(published, over) == number + 1
    assert published.computed == 3


async def test_a_failed_computation_is_tried_again(held: Held, published: ResultCache) -> None:
    await held.end(0)
    with pytest.raises(Failed, match="TypeError"):
        await published.made(held.kept, "count", int, slim)  # pyright: ignore[reportArgumentType] (that is the test)
    assert await count(published, held.kept) == 1


async def test_a_cancelled_request_does_not_cancel_the_computation_of_others(
    held: Held, published: ResultCache
) -> None:
    await held.end(0)
    first, second = (asyncio.create_task(count(published, held.kept)) for _ in range(2))
    await until(lambda: published.computed)
    first.cancel()
    assert await second == 1


async def test_a_computation_without_waiting_requests_is_not_started(held: Held, published: ResultCache) -> None:
    await held.end(0)
    begun, *others = (asyncio.create_task(count(published, held.kept, f"count {number}")) for number in range(4))
    await until(lambda: published.waiting == len(others))
    for other in others[:2]:
        other.cancel()
    assert await asyncio.gather(begun, others[2]) == [1, 1]
    assert (published.computed, published.waiting) == (2, 0)


async def test_a_started_computation_is_kept_after_its_request_is_cancelled(held: Held, published: ResultCache) -> None:
    await held.end(0)
    only = asyncio.create_task(count(published, held.kept))
    await until(lambda: published.computed)
    only.cancel()
    assert await count(published, held.kept) == 1
    assert published.computed == 1


async def test_a_client_that_leaves_at_once_does_not_delay_others(held: Held, published: ResultCache) -> None:
    await held.end(0)
    for _ in range(3):
        leaving = asyncio.create_task(count(published, held.kept))
        await asyncio.sleep(0)
        leaving.cancel()
    assert await count(published, held.kept, "another") == 1


async def test_a_client_with_too_many_waiting_results_is_refused_but_others_are_not(
    held: Held, published: ResultCache
) -> None:
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


def test_the_report_of_a_slim_ledger_equals_that_of_the_full_ledger() -> None:
    entries = ledger("greedy random random", 2, "splito")
    thin = [*map(slim, entries)]
    assert thin != [*entries]
    assert report("Cup", thin, {}, {}) == report("Cup", entries, {}, {})
