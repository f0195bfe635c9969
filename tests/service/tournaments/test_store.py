"""Tournaments in the store: a round is planned once, a block is claimed by one, an entry is written once.

Time does not pass here. A test that needs it to have passed moves what was leased into the past.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id, block_place, version_id
from splito_arena.blocks.seatings import seatings
from splito_arena.formats import Format, Ladder, Round, RoundRobin
from splito_engine.games import splitter
from splito_engine.match import legal_moves, play, start
from splito_engine.record import Record, record_of
from splito_service.errors import NoRoom, NotOver, UnknownBlock, UnknownTournament
from splito_service.ids import new_id
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from splito_service.storage.notices import Notices, listening, seen
from splito_service.tournaments.ledger_store import LOOKED_AT, Counts, Ledger
from splito_service.tournaments.model import MOST_HELD, StoredEntrant, StoredTournament
from splito_service.tournaments.store import OPENED, OVERTAKEN, Tournaments

pytestmark = pytest.mark.anyio
LEASE = 10_000
NOBODY = "0" * 24


@pytest.fixture
def tournaments(link: Link) -> Tournaments:
    return Tournaments(link)


@pytest.fixture
def ledger(link: Link) -> Ledger:
    return Ledger(link)


@pytest.fixture
async def notices(redis_url: str) -> AsyncIterator[Notices]:
    async with listening(redis_url) as notices:
        yield notices


class Cast:
    """Bots that no other test has, since a bot's leases are counted over all tournaments."""

    def __init__(self, names: str = "abcd") -> None:
        self.bots = tuple(f"{name}-{new_id()}" for name in names)

    def seated(self, *tables: str, blocks: int = 1) -> Round:
        """The tables, each bot by its letter."""
        by_letter = {bot[0]: bot for bot in self.bots}
        return Round(tuple(tuple(by_letter[letter] for letter in table) for table in tables), blocks)

    def slots(self, **slots: int) -> dict[str, int]:
        return {bot: slots.get(bot[0], 1) for bot in self.bots}


def tournament(bots: Sequence[str] = (), format: Format = RoundRobin(), **changes: Any) -> StoredTournament:  # noqa: A002, B008 (as in the Struct; immutable)
    kept = StoredTournament(
        id=new_id(),
        owner=new_id(),
        name="Cup",
        game="splitter",
        players=2,
        format=format,
        entrants=tuple(StoredEntrant(bot=bot, name=bot, version="1") for bot in bots),
        secret="secret",  # noqa: S106 (of nothing)
    )
    return replace(kept, **changes)


def played() -> Record:
    match = start(splitter, 2, "a seed")
    while not match.over:
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return record_of(match, ("a", "b"), "0" * 32)


RECORD = played()


def entry_of(block: str, bots: Sequence[str], chance: Random | None = None, faults: int = 0) -> Entry:
    """As if these had played it, with scores by chance. The bots are versions."""
    scores = (chance or Random(block)).choices(range(10), k=len(bots) * len(bots) * 4)
    games = tuple(
        Game(
            match=f"{block}-{number}",
            seating=seating,
            record=replace(RECORD, scores=tuple((scores.pop(),) for _ in bots)),
            faults=tuple(("time-out",) * faults if bot == 0 and number == 0 else () for bot in seating),
            replaced=(False,) * len(bots),
        )
        for number, seating in enumerate(seatings(len(bots)))
    )
    return Entry(block=block, bots=tuple(bots), games=games)


def entry_at(planned: Round, block: str) -> Entry:
    return entry_of(block, [version_id(bot, "1") for bot in planned.tables[block_place(block).table]])


def block(round_number: int, table: int, number: int = 0) -> str:
    return block_id(BlockPlace(round_number, number, table))


async def begun(tournaments: Tournaments, planned: Round, **changes: Any) -> StoredTournament:
    kept = tournament([bot for table in planned.tables for bot in table], **changes)
    await tournaments.create(kept)
    assert await tournaments.plan_round(kept.id, 0, planned)
    return await tournaments.get(kept.id)


async def lapse(redis: Client, kept: StoredTournament, cast: Cast) -> None:
    """As if the leases had been taken so long ago that they are over."""
    for key in (f"tournament:{kept.id}:open", *(f"leases:{bot}" for bot in cast.bots)):
        for member, score in await redis.zrange(key, 0, -1, withscores=True):
            if score:
                await redis.zadd(key, {member: score - LEASE - 1})


async def leases(redis: Client, cast: Cast) -> dict[str, int]:
    """By letter, those that there are."""
    counts = {bot[0]: await redis.zcard(f"leases:{bot}") for bot in cast.bots}
    return {letter: count for letter, count in counts.items() if count}


# What was agreed on


async def test_a_tournament_is_read_back_as_it_was_made(tournaments: Tournaments) -> None:
    kept = tournament(["a", "b"], Ladder(keep=7), options={"deals": 2}, state="paused", ended_ms=5)
    await tournaments.create(kept)
    assert await tournaments.get(kept.id) == kept
    await tournaments.create(replace(kept, name="Another"))
    assert (await tournaments.get(kept.id)).name == "Cup", "an id is given once"
    assert "secret" not in repr(kept)


@pytest.mark.parametrize("name", [NOBODY, "*", ""])
async def test_there_is_no_tournament_of_another_id(tournaments: Tournaments, name: str) -> None:
    with pytest.raises(UnknownTournament):
        await tournaments.get(name)
    with pytest.raises(UnknownTournament):
        await tournaments.plan_round(name, 0, Round((), 1))


async def test_of_many_changes_at_the_same_time_none_is_lost(tournaments: Tournaments) -> None:
    kept = tournament()
    await tournaments.create(kept)
    rise = [tournaments.change(kept.id, lambda now: replace(now, extra=now.extra + 1)) for _ in range(50)]
    await asyncio.gather(*rise, tournaments.plan_round(kept.id, 0, Round((("a", "b"),), 1)))
    now = await tournaments.get(kept.id)
    assert (now.extra, now.round) == (50, 1)


async def test_only_tournaments_that_run_are_listed_as_running(tournaments: Tournaments) -> None:
    runs, waits = tournament(), tournament(state="paused", kind="experiment")
    await tournaments.create(runs)
    await tournaments.create(waits)
    ours = {runs.id, waits.id}
    assert ours & {*await tournaments.running()} == {runs.id}
    await tournaments.change(waits.id, lambda now: replace(now, state="running"))
    assert [one for one in await tournaments.running() if one in ours] == sorted(ours)
    await tournaments.change(runs.id, lambda now: replace(now, state="finished"))
    assert ours & {*await tournaments.running()} == {waits.id}


async def test_pages_are_of_one_kind_and_the_newest_come_first(tournaments: Tournaments) -> None:
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


# Rounds


async def test_an_owner_has_so_many_that_are_not_over_and_the_house_any_number(tournaments: Tournaments) -> None:
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
async def test_of_what_was_deleted_nothing_is_left(
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
    assert not await ledger.finish(kept, entry_at(planned, second), {}), "somebody still played"
    assert await ledger.renew(kept.id, "one", [second], LEASE) == []
    await ledger.release(kept.id, "one", [second])
    with pytest.raises(UnknownTournament):
        await tournaments.delete(kept.id)
    assert [key async for key in redis.scan_iter(f"*{kept.id}*")] == []
    assert not await redis.exists(f"owner:{kept.owner}:held")
    assert await redis.zscore(f"{kind}s", kept.id) is None


async def test_a_round_is_planned_once(tournaments: Tournaments, ledger: Ledger) -> None:
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
async def test_nothing_is_planned_for_a_tournament_that_does_not_run(tournaments: Tournaments, state: str) -> None:
    kept = tournament(state=state)
    await tournaments.create(kept)
    assert not await tournaments.plan_round(kept.id, 0, Round((("a", "b"),), 1))
    assert await tournaments.rounds(kept.id) == {}


async def test_tables_keep_their_order_however_many_there_are(tournaments: Tournaments, ledger: Ledger) -> None:
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
    assert await redis.zcard(f"tournament:{kept.id}:open") < OPENED + tables, "nobody needs more"
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


async def test_ten_thousand_planned_blocks_take_the_room_of_a_few(
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
    assert await ledger.finish(kept, entry_at(planned, played), {}), "what has begun counts"
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == []


async def test_a_plan_that_was_abandoned_leaves_nothing_in_the_next_one(
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


async def test_of_two_plans_with_other_tables_at_the_same_time_one_stands_whole(tournaments: Tournaments) -> None:
    kept = tournament()
    await tournaments.create(kept)
    plans = [
        Round(tuple((f"{who}{n}", f"{who}x") for n in range(size)), 1)
        for who, size in zip("abc", (2500, 1100, 3), strict=True)
    ]
    done = await asyncio.gather(*(tournaments.plan_round(kept.id, 0, plan) for plan in plans))
    assert sum(done) == 1
    assert await tournaments.rounds(kept.id) == {0: plans[done.index(True)]}


async def test_a_plan_that_was_overtaken_by_another_does_not_count(tournaments: Tournaments, redis: Client) -> None:
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


async def test_blocks_that_an_older_version_had_not_opened_are_opened(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    kept = await begun(tournaments, Cast().seated("ab", "cd"))
    await redis.zadd(f"tournament:{kept.id}:waves", {"00000000-0001": 0, "00000000-0002": 0})
    await redis.hset(f"tournament:{kept.id}:tally", "ahead", "4")
    wanted = [block(0, table, number) for number in range(3) for table in range(2)]
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == wanted
    assert (await ledger.counts(kept.id)).open == 6


async def test_blocks_that_are_added_are_added_once(tournaments: Tournaments, ledger: Ledger) -> None:
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


# Claims


async def test_blocks_are_claimed_in_order_and_by_one(tournaments: Tournaments, ledger: Ledger) -> None:
    """All tables play their first block before any plays its second."""
    kept = await begun(tournaments, Cast().seated("ab", "cd", blocks=3))
    ordered = [block(0, table, number) for number in range(3) for table in range(2)]
    assert await ledger.claim(kept.id, "one", 4, {}, LEASE) == ordered[:4]
    assert await ledger.claim(kept.id, "two", 4, {}, LEASE) == ordered[4:]
    assert await ledger.claim(kept.id, "three", 4, {}, LEASE) == []
    assert await ledger.counts(kept.id) == Counts(done=0, skipped=0, games=0, open=6, claimed=6)


async def test_many_who_claim_at_the_same_time_never_get_the_same(tournaments: Tournaments, ledger: Ledger) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd", "ac", "bd", blocks=50))
    claims = [
        ledger.claim(kept.id, f"token {number}", 7, cast.slots(a=99, b=99, c=99, d=99), LEASE) for number in range(40)
    ]
    got = [one for claim in await asyncio.gather(*claims) for one in claim]
    assert len(got) == len({*got}), "no block twice"
    tables = [block_place(one).table for one in got]
    assert max(tables.count(0) + tables.count(2), tables.count(1) + tables.count(3)) == 99, "as much as a bot can"


async def test_it_is_known_who_plays_a_block(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab", "dc", blocks=2)
    kept = await begun(tournaments, planned)
    assert await ledger.bots(kept.id, block(0, 1, 1)) == planned.tables[1]


async def test_a_block_whose_bot_is_busy_is_passed_over(tournaments: Tournaments, ledger: Ledger) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "ac", "cd", blocks=2))
    assert await ledger.claim(kept.id, "one", 9, cast.slots(a=1), LEASE) == [block(0, 0), block(0, 2)]
    assert await ledger.claim(kept.id, "two", 9, cast.slots(a=1, c=2), LEASE) == []
    more = await ledger.claim(kept.id, "two", 9, cast.slots(a=2, c=2), LEASE)
    assert more == [block(0, 1)], "a and c are in two blocks each"


async def test_a_bot_is_in_no_more_blocks_than_it_can_over_all_tournaments(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    one, two = [await begun(tournaments, cast.seated("ab", "cd")) for _ in range(2)]
    assert await ledger.claim(one.id, "one", 1, cast.slots(), LEASE) == [block(0, 0)]
    assert await ledger.claim(two.id, "two", 9, cast.slots(), LEASE) == [block(0, 1)]
    assert await leases(redis, cast) == {"a": 1, "b": 1, "c": 1, "d": 1}
    await ledger.finish(one, entry_at(cast.seated("ab", "cd"), block(0, 0)), {})
    assert await ledger.claim(two.id, "two", 9, cast.slots(), LEASE) == [block(0, 0)]


async def test_who_has_no_slots_named_is_in_any_number_of_blocks(tournaments: Tournaments, ledger: Ledger) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", blocks=30))
    assert len(await ledger.claim(kept.id, "one", 99, {}, LEASE)) == 30


async def test_a_bot_may_sit_at_a_table_twice(tournaments: Tournaments, ledger: Ledger, redis: Client) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("aab", blocks=2))
    assert await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE) == [block(0, 0)]
    assert await leases(redis, cast) == {"a": 1, "b": 1}


async def test_busy_bots_do_not_hold_up_others_however_many_blocks_they_have(
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
async def test_nothing_is_claimed_of_a_tournament_that_does_not_run(
    tournaments: Tournaments, ledger: Ledger, state: str
) -> None:
    planned = Cast().seated("ab", blocks=3)
    kept = await begun(tournaments, planned)
    [first] = await ledger.claim(kept.id, "one", 1, {}, LEASE)
    await tournaments.change(kept.id, lambda now: replace(now, state=state))
    assert await ledger.claim(kept.id, "one", 9, {}, LEASE) == []
    assert await ledger.renew(kept.id, "one", [first], LEASE) == [first], "what has begun is played to its end"
    assert await ledger.finish(kept, entry_at(planned, first), {}), "and counts"


# Leases


async def test_a_claim_that_lapsed_is_anybodys(tournaments: Tournaments, ledger: Ledger, redis: Client) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd"))
    mine = await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE)
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == []
    await lapse(redis, kept, cast)
    assert (await ledger.counts(kept.id)).claimed == 0
    assert await ledger.claim(kept.id, "two", 1, cast.slots(), LEASE) == mine[:1]
    assert await ledger.renew(kept.id, "one", mine, LEASE) == [], "whoever slept too long has nothing left"
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == mine[1:]
    assert await leases(redis, cast) == {"a": 1, "b": 1, "c": 1, "d": 1}


async def test_a_claim_that_lapsed_comes_before_later_blocks(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", blocks=500))
    await ledger.claim(kept.id, "one", 3, {}, LEASE)
    await lapse(redis, kept, cast)
    assert await ledger.claim(kept.id, "two", 5, {}, LEASE) == [block(0, 0, n) for n in range(5)]


async def test_a_claim_that_is_renewed_holds(tournaments: Tournaments, ledger: Ledger, redis: Client) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd"))
    mine = await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE)
    await lapse(redis, kept, cast)
    assert await ledger.renew(kept.id, "one", [*mine, block(7, 7)], LEASE) == mine, "nobody has looked meanwhile"
    assert await ledger.renew(kept.id, "two", mine, LEASE) == []
    assert await ledger.claim(kept.id, "two", 9, {}, LEASE) == []
    other = await begun(tournaments, cast.seated("ab"))
    assert await ledger.claim(other.id, "two", 9, cast.slots(), LEASE) == [], "its bots are as busy as before"


async def test_what_is_released_is_anybodys(tournaments: Tournaments, ledger: Ledger, redis: Client) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", "cd"))
    mine = await ledger.claim(kept.id, "one", 9, cast.slots(), LEASE)
    await ledger.release(kept.id, "two", mine)
    assert await ledger.renew(kept.id, "one", mine, LEASE) == mine, "but only by who has it"
    await ledger.release(kept.id, "one", mine[:1])
    assert await leases(redis, cast) == {"c": 1, "d": 1}
    assert await ledger.renew(kept.id, "one", mine, LEASE) == mine[1:]
    assert await ledger.claim(kept.id, "two", 9, cast.slots(), LEASE) == mine[:1]
    await ledger.release(kept.id, "one", mine[:1])
    assert await ledger.renew(kept.id, "two", mine[:1], LEASE) == mine[:1], "not what somebody else has by now"


async def test_leases_go_by_themselves_with_who_took_them(
    tournaments: Tournaments, ledger: Ledger, redis: Client
) -> None:
    cast = Cast()
    kept = await begun(tournaments, cast.seated("ab", blocks=2))
    await ledger.claim(kept.id, "one", 1, {}, 2 * LEASE)
    await ledger.claim(kept.id, "one", 1, {}, LEASE)
    for bot in cast.bots[:2]:
        assert LEASE < await redis.pttl(f"leases:{bot}") <= 2 * LEASE, "not before the longest of them"


# The ledger


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


async def test_who_is_late_still_counts_if_nobody_else_was_faster(
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
async def test_who_is_late_does_not_count_once_it_was_stopped(
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


async def test_a_block_that_nobody_planned_is_not_written(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab")
    kept = await begun(tournaments, planned)
    assert not await ledger.finish(kept, entry_of(block(0, 0, 5), planned.tables[0]), {})
    with pytest.raises(UnknownBlock):
        await ledger.entry(kept.id, block(0, 0, 5))
    with pytest.raises(UnknownBlock):  # which is not over
        await ledger.entry(kept.id, block(0, 0))


async def test_skipped_blocks_are_over_and_have_no_games(tournaments: Tournaments, ledger: Ledger) -> None:
    planned = Cast().seated("ab", "cd")
    kept = await begun(tournaments, planned)
    skipped = Entry(block=block(0, 0), bots=("a@1", "b@1"), skipped="a is gone")
    assert await ledger.finish(kept, skipped, {})
    assert await ledger.finish(kept, entry_at(planned, block(0, 1)), {})
    assert await ledger.counts(kept.id) == Counts(done=2, skipped=1, games=2, open=0, claimed=0)
    assert (await ledger.entry(kept.id, block(0, 0))).skipped == "a is gone"


async def test_the_ledger_is_in_the_order_of_blocks_whatever_the_order_of_play(
    tournaments: Tournaments, ledger: Ledger
) -> None:
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


async def test_a_tournament_of_many_hands_leaves_nothing_claimed(
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


# Ladders


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


# News


async def test_whoever_waits_is_told_of_all_that_happens(
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


def test_blocks_sort_as_texts_in_the_order_of_play() -> None:
    chance = Random(1)
    places = [BlockPlace(chance.randrange(10**8), chance.randrange(10**4), chance.randrange(10**5)) for _ in range(999)]
    assert [block_place(one) for one in sorted(map(block_id, places))] == sorted(places)
