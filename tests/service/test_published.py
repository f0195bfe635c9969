"""What is derived from a ledger is made once for all who ask, and again when there is more to make it from."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from arena.formats import Round
from arena.ledger import Entry
from arena.report import report
from service.errors import Unexpected
from service.published import AT_ONCE, Published, slim
from service.store.ledger import Ledger
from service.store.link import Link
from service.store.tournaments import KeptTournament, Tournaments
from tests.arena.tournaments import ledger
from tests.service.test_tournament_store import Cast, begun, block, entry_at

pytestmark = pytest.mark.anyio
BLOCKS = 2 * AT_ONCE + 1


class Counting:
    """Counts how often it is asked to count."""

    def __init__(self) -> None:
        self.asked = 0

    def count(self, ledger: Sequence[Entry]) -> int:
        self.asked += 1
        return len(ledger)


class Held:
    """A tournament of two bots whose blocks end when we say so."""

    def __init__(self, link: Link, kept: KeptTournament, planned: Round) -> None:
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


async def test_all_blocks_are_in_it_however_many(held: Held) -> None:
    await held.end(*range(BLOCKS))
    assert await Published(held.ledger).made(held.kept, "count", Counting().count, slim) == BLOCKS


async def test_who_asks_for_the_same_gets_the_same(held: Held) -> None:
    await held.end(0)
    published, counting = Published(held.ledger), Counting()
    asked = (published.made(held.kept, "count", counting.count, slim) for _ in range(10))
    assert await asyncio.gather(*asked) == [1] * 10
    assert await published.made(held.kept, "count", counting.count, slim) == 1
    assert counting.asked == 1


async def test_when_it_is_over_every_block_counts_at_once(held: Held) -> None:
    published, counting, over = Published(held.ledger), Counting(), replace(held.kept, state="finished")
    for number in range(3):
        await held.end(number)
        assert await published.made(over, "count", counting.count, slim) == number + 1
    assert counting.asked == 3


async def test_what_has_failed_is_tried_again(held: Held) -> None:
    def fail(_: Sequence[Entry]) -> int:
        raise Unexpected("not now")

    published = Published(held.ledger)
    with pytest.raises(Unexpected):
        await published.made(held.kept, "count", fail, slim)
    assert await published.made(held.kept, "count", Counting().count, slim) == 0


async def test_one_who_goes_away_takes_nothing_from_the_others(held: Held) -> None:
    published, counting = Published(held.ledger), Counting()
    first, second = (asyncio.create_task(published.made(held.kept, "count", counting.count, slim)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 0


def test_what_is_left_out_of_a_slim_ledger_is_missed_by_no_report() -> None:
    entries = ledger("greedy random random", 2, "splito")
    thin = [*map(slim, entries)]
    assert thin != [*entries]
    assert report("Cup", thin, {}, {}) == report("Cup", entries, {}, {})
