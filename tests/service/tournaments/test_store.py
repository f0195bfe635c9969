"""Tournaments in the store: creation, changes, lists, limits and deletion."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from splito_arena.formats import Ladder, Round
from splito_service.errors import NoRoom, NotOver, UnknownTournament
from splito_service.ids import new_id
from splito_service.storage.connect import Client
from splito_service.storage.notices import Notices, seen
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import MOST_HELD
from splito_service.tournaments.store import OPENED, Tournaments
from tests.service.tournaments.stored_tournaments import LEASE, Cast, begun, block, entry_at, tournament

pytestmark = pytest.mark.anyio


NOBODY = "0" * 24


async def test_a_stored_tournament_is_read_back_unchanged_and_hides_its_secret(tournaments: Tournaments) -> None:
    kept = tournament(["a", "b"], Ladder(keep=7), options={"deals": 2}, state="paused", ended_ms=5)
    await tournaments.create(kept)
    assert await tournaments.get(kept.id) == kept
    await tournaments.create(replace(kept, name="Another"))
    assert (await tournaments.get(kept.id)).name == "Cup", "an id is given once"
    assert "secret" not in repr(kept)


@pytest.mark.parametrize("name", [NOBODY, "*", ""])
async def test_an_unknown_id_raises_unknown_tournament(tournaments: Tournaments, name: str) -> None:
    with pytest.raises(UnknownTournament):
        await tournaments.get(name)
    with pytest.raises(UnknownTournament):
        await tournaments.plan_round(name, 0, Round((), 1))


async def test_simultaneous_changes_of_a_tournament_are_all_applied(tournaments: Tournaments) -> None:
    kept = tournament()
    await tournaments.create(kept)
    rise = [tournaments.change(kept.id, lambda now: replace(now, extra=now.extra + 1)) for _ in range(50)]
    await asyncio.gather(*rise, tournaments.plan_round(kept.id, 0, Round((("a", "b"),), 1)))
    now = await tournaments.get(kept.id)
    assert (now.extra, now.round) == (50, 1)


async def test_only_running_tournaments_are_listed_as_running(tournaments: Tournaments) -> None:
    runs, waits = tournament(), tournament(state="paused", kind="experiment")
    await tournaments.create(runs)
    await tournaments.create(waits)
    ours = {runs.id, waits.id}
    assert ours & {*await tournaments.running()} == {runs.id}
    await tournaments.change(waits.id, lambda now: replace(now, state="running"))
    assert [one for one in await tournaments.running() if one in ours] == sorted(ours)
    await tournaments.change(runs.id, lambda now: replace(now, state="finished"))
    assert ours & {*await tournaments.running()} == {waits.id}


async def test_pages_list_one_kind_newest_first(tournaments: Tournaments) -> None:
    made = [tournament(owner=f"owner-{number % 2}", name="pages") for number in range(5)]
    for kept in (*made, tournament(kind="experiment", name="pages")):
        await tournaments.create(kept)

    async def pages(owner: str | None) -> list[list[str]]:
        found, cursor = list[list[str]](), None
        while not found or cursor is not None:
            page = await tournaments.page(
                "tournament", cursor, 2, lambda kept: kept.name == "pages" and owner in {None, kept.owner}
            )
            found.append([kept.id for kept in page.tournaments])
            cursor = page.next
        return found

    ids = sorted((kept.id for kept in made), reverse=True)
    assert await pages(None) == [ids[:2], ids[2:4], ids[4:]]
    assert [one for page in await pages("owner-1") for one in page] == [
        kept.id for kept in sorted(made, key=lambda kept: kept.id, reverse=True) if kept.owner == "owner-1"
    ]


async def test_the_number_of_unfinished_tournaments_is_limited_per_owner_but_not_for_the_arena(
    tournaments: Tournaments,
) -> None:
    owner = new_id()
    made = [tournament(owner=owner, kind=kind) for kind in ("tournament", "experiment") * (MOST_HELD // 2)]
    await asyncio.gather(*map(tournaments.create, made))
    await tournaments.create(made[0])
    paused, over = made[0].id, made[1].id
    await tournaments.change(paused, lambda now: replace(now, state="paused"))
    with pytest.raises(NoRoom, match="at most 20"):
        await tournaments.create(tournament(owner=owner))
    await tournaments.change(over, lambda now: replace(now, state="finished"))
    results = await asyncio.gather(
        *(tournaments.create(tournament(owner=owner)) for _ in range(5)), return_exceptions=True
    )
    assert [type(error) for error in results if error] == [NoRoom] * 4
    await asyncio.gather(*(tournaments.create(tournament(owner="", state="paused")) for _ in range(MOST_HELD + 1)))


@pytest.mark.parametrize("kind", ["tournament", "experiment"])
async def test_deleting_a_tournament_leaves_no_keys(
    tournaments: Tournaments, ledger: Ledger, redis: Client, kind: Any
) -> None:
    planned = Cast().seated("ab", "cd", blocks=OPENED)
    kept = await begun(tournaments, planned, kind=kind)
    first, second = await ledger.claim(kept.id, "one", 2, {}, LEASE)
    await ledger.finish(kept, entry_at(planned, first), {"a@1": {1: 1}})
    with pytest.raises(NotOver, match="running"):
        await tournaments.delete(kept.id)
    await tournaments.change(kept.id, lambda now: replace(now, state="cancelled"))
    await tournaments.delete(kept.id)
    assert not await ledger.finish(kept, entry_at(planned, second), {}), "a worker still played a block"
    assert await ledger.renew(kept.id, "one", [second], LEASE) == []
    await ledger.release(kept.id, "one", [second])
    with pytest.raises(UnknownTournament):
        await tournaments.delete(kept.id)
    assert [key async for key in redis.scan_iter(f"*{kept.id}*")] == []
    assert not await redis.exists(f"owner:{kept.owner}:held")
    assert await redis.zscore(f"{kind}s", kept.id) is None


async def test_every_change_of_a_tournament_sends_a_notice(
    tournaments: Tournaments, ledger: Ledger, notices: Notices
) -> None:
    kept, planned = tournament(), Cast().seated("ab")
    await tournaments.create(kept)
    with notices.about(kept.id) as notice:
        while not await seen(notice, 0.1):  # until we listen
            await tournaments.change(kept.id, lambda now: replace(now, extra=now.extra + 1))
        for happens in (
            tournaments.change(kept.id, lambda now: replace(now, state="paused")),
            tournaments.change(kept.id, lambda now: replace(now, state="running")),
            tournaments.plan_round(kept.id, 0, planned),
            tournaments.open_blocks(kept.id, 0, 2),
            ledger.finish(kept, entry_at(planned, block(0, 0)), {}),
        ):
            notice.clear()
            await happens
            assert await seen(notice, 60)
        assert not await ledger.finish(kept, entry_at(planned, block(0, 0)), {})
