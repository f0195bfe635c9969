"""Ratings in the store: every ranked block moves them once and in order, whichever process rates and dies."""

import asyncio
from collections.abc import Mapping, Sequence
from random import Random

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import Entry, parts, placings, version_id
from splito_arena.blocks.placings import Placings
from splito_arena.errors import BadPlacings
from splito_arena.formats import Round
from splito_arena.stats.online_rating import Rating, rated, successor
from splito_service.ids import new_id
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.ratings.store import AT_ONCE, Ratings
from splito_service.tournaments.store import Tournaments
from tests.service.tournaments.stored_tournaments import begun, block, entry_of

pytestmark = pytest.mark.anyio
PLAYERS = 3


@pytest.fixture
def ratings(link: Link) -> Ratings:
    return Ratings(link)


class Cup:
    """A tournament of three seats, of a game that no other test has."""

    def __init__(self, link: Link, kept: StoredTournament) -> None:
        self.ledger, self.kept = Ledger(link), kept
        self.game = kept.game
        self.entries: dict[str, Entry] = {}

    async def end(self, number: int, bots: Sequence[str], faults: int = 0) -> bool:
        """The block of that number ends somehow between these versions."""
        entry = entry_of(block(0, 0, number), bots, faults=faults)
        self.entries[f"{self.kept.id}/{entry.block}"] = entry
        return await self.ledger.finish(self.kept, entry, {})

    def expected(self, log: Sequence[str]) -> dict[str, Rating]:
        """Return the ratings of `splito_arena.stats.online_rating` for the blocks in this order."""
        table, latest = dict[str, Rating](), dict[str, str]()
        for name in log:
            found = placings(self.entries[name])
            assert found is not None
            before = {bot: latest[parts(bot)[0]] for bot in found.bots if parts(bot)[0] in latest}
            table |= rated(table, found, before)
            latest |= {parts(bot)[0]: bot for bot in found.bots}
        return table


async def cup(link: Link, blocks: int, game: str | None = None, *, ranked: bool = True) -> Cup:
    bots = (tuple("abc"),)
    kept = await begun(
        Tournaments(link), Round(bots, blocks), game=game or f"game-{new_id()}", players=PLAYERS, ranked=ranked
    )
    return Cup(link, kept)


def versions(chance: Random, number: int) -> list[str]:
    """Three of five bots; now and then one of them is a new version, or an old one again."""
    return [version_id(bot, str(max(0, number // 40 - chance.randrange(2)))) for bot in chance.sample("vwxyz", 3)]


async def play(one: Cup, numbers: range, seed: int) -> None:
    chance = Random(seed)
    for number in numbers:
        assert await one.end(number, versions(chance, number))


async def test_ratings_follow_the_blocks_in_the_order_in_which_they_ended(link: Link, ratings: Ratings) -> None:
    one = await cup(link, 9)
    order = [4, 0, 8, 3]
    for number in order:
        assert await one.end(number, ["a@1", "b@1", "c@1"])
    names = [f"{one.kept.id}/{block(0, 0, number)}" for number in order]
    assert await ratings.rate_waiting(one.game, PLAYERS) == names
    assert await ratings.log(one.game, PLAYERS) == names
    assert await ratings.table(one.game, PLAYERS) == one.expected(names)
    assert await ratings.rate_waiting(one.game, PLAYERS) == []
    assert await ratings.table(one.game, 4) == {}, "each number of players has its own"


@pytest.mark.parametrize("patient", [True, False])
async def test_many_raters_rate_every_block_once(redis_url: str, link: Link, redis: Client, *, patient: bool) -> None:
    """Two tournaments of the same game are played meanwhile; impatient raters do not wait for the current rater."""
    one = await cup(link, 400)
    two = await cup(link, 400, one.game)
    plays = asyncio.gather(play(one, range(400), 1), play(two, range(400), 2))

    async def rate() -> list[str]:
        async with Link(redis_url) as own:
            rater, found = Ratings(own), list[str]()
            while not plays.done():
                found += await rater.rate_waiting(one.game, PLAYERS)
                if not patient:
                    await redis.delete(f"ratings:{one.game}:{PLAYERS}:rater")
            return found + await rater.rate_waiting(one.game, PLAYERS)

    by_rater = await asyncio.gather(rate(), rate(), rate())
    await plays
    ratings = Ratings(link)
    log, table = await ratings.log(one.game, PLAYERS), await ratings.table(one.game, PLAYERS)
    one.entries |= two.entries
    assert sorted(name for found in by_rater for name in found) == sorted(log) == sorted(one.entries)
    assert table == one.expected(log)
    assert sum(rating.blocks for rating in table.values()) == PLAYERS * 800


async def test_a_rater_that_dies_is_replaced_and_one_that_wakes_up_late_changes_nothing(
    link: Link, redis: Client
) -> None:
    dies, lives, sleeps = Ratings(link), Ratings(link), Ratings(link)
    one = await cup(link, 3 * AT_ONCE)
    await play(one, range(2 * AT_ONCE + 5), 3)
    assert await dies.take(one.game, PLAYERS) is not None
    assert await lives.rate_waiting(one.game, PLAYERS) == [], "another rater has the lease"
    await redis.delete(f"ratings:{one.game}:{PLAYERS}:rater")  # as after a while
    overslept = await sleeps.take(one.game, PLAYERS)
    assert overslept is not None
    await redis.delete(f"ratings:{one.game}:{PLAYERS}:rater")
    done = await lives.rate_waiting(one.game, PLAYERS)
    before = await lives.table(one.game, PLAYERS)
    assert len(done) == 2 * AT_ONCE + 5
    await one.end(3 * AT_ONCE - 1, ["a@1", "b@1", "c@1"])
    assert await sleeps.settle(one.game, PLAYERS, overslept) == (False, 1)
    assert await lives.table(one.game, PLAYERS) == before == one.expected(done)
    last = await sleeps.rate_waiting(one.game, PLAYERS)
    assert await lives.table(one.game, PLAYERS) == one.expected([*done, *last])


async def test_a_block_that_ends_during_rating_is_left_to_the_current_rater(link: Link) -> None:
    rater, other = Ratings(link), Ratings(link)
    one = await cup(link, 2)
    await one.end(0, ["a@1", "b@1", "c@1"])
    taken = await rater.take(one.game, PLAYERS)
    assert taken is not None
    await one.end(1, ["a@1", "b@1", "c@1"])
    assert await other.rate_waiting(one.game, PLAYERS) == [], (
        "the process that ended the block leaves it to the current rater"
    )
    assert await rater.settle(one.game, PLAYERS, taken) == (True, 1)


async def test_every_rating_is_announced_before_it_is_stored(link: Link, ratings: Ratings, redis: Client) -> None:
    one, heard = await cup(link, 9), list[tuple[str, Mapping[str, Rating]]]()

    async def die_at_the_fourth(found: Placings, _: Mapping[str, Rating]) -> None:
        if found.block.endswith(block(0, 0, 3)):
            raise ConnectionError("killed")

    async def hear(found: Placings, table: Mapping[str, Rating]) -> None:
        assert await ratings.log(one.game, PLAYERS) == []
        heard.append((found.block, table))

    await play(one, range(9), 5)
    with pytest.raises(ConnectionError):
        await ratings.rate_waiting(one.game, PLAYERS, die_at_the_fourth)
    assert await ratings.table(one.game, PLAYERS) == {}
    await redis.delete(f"ratings:{one.game}:{PLAYERS}:rater")  # as after a while
    names = await ratings.rate_waiting(one.game, PLAYERS, hear)
    assert names == [name for name, _ in heard]
    for number, (name, table) in enumerate(heard):
        expected = one.expected(names[: number + 1])
        assert table == {bot: expected[bot] for bot in one.entries[name].bots}


async def test_a_new_version_starts_from_the_one_rated_last(link: Link, ratings: Ratings) -> None:
    one = await cup(link, 9)
    for number, version in enumerate(["a@1", "a@2", "a@1"]):
        await one.end(number, [version, "b@1", "c@1"])
    await ratings.rate_waiting(one.game, PLAYERS)
    table = await ratings.table(one.game, PLAYERS)
    await one.end(3, ["a@3", "b@1", "c@1"])
    await ratings.rate_waiting(one.game, PLAYERS)
    found = placings(one.entries[f"{one.kept.id}/{block(0, 0, 3)}"])
    assert found is not None
    after = rated({**table, "a@3": successor(table["a@1"])}, found)
    assert (await ratings.table(one.game, PLAYERS))["a@3"] == after["a@3"]
    assert table["a@1"] != table["a@2"], "it makes a difference"


async def test_only_played_blocks_of_ranked_tournaments_are_rated(link: Link, ratings: Ratings) -> None:
    one = await cup(link, 9)
    assert await one.ledger.finish(one.kept, Entry(block=block(0, 0), bots=("a@1", "b@1", "c@1"), skipped="gone"), {})
    of_three = entry_of(block(0, 0, 1), ["a@1", "b@1", "c@1"])
    experiment = replace(of_three, bots=("new@1", "a@1", "b@1", "old@1"))  # one of whom sits in no game
    assert await one.ledger.finish(one.kept, experiment, {})
    friendly = await cup(link, 9, one.game, ranked=False)
    assert await friendly.end(0, ["a@1", "b@1", "c@1"])
    assert await ratings.rate_waiting(one.game, PLAYERS) == []
    assert await ratings.table(one.game, PLAYERS) == {}


async def test_a_block_that_cannot_be_rated_is_refused_by_the_ledger(link: Link) -> None:
    one = await cup(link, 9)
    with pytest.raises(BadPlacings):
        await one.end(0, ["a@1", "a@1", "c@1"])
    assert (await one.ledger.counts(one.kept.id)).done == 0


async def test_faults_are_counted_with_the_blocks_that_are_rated(link: Link, ratings: Ratings) -> None:
    one = await cup(link, 9)
    for number, bots in enumerate((["a@1", "b@1", "c@1"], ["b@1", "a@1", "c@1"], ["a@1", "c@1", "b@1"])):
        assert await one.end(number, bots, faults=number + 1)
        assert not await one.end(number, bots, faults=9)
    assert await ratings.faults(one.game, PLAYERS) == {}
    await ratings.rate_waiting(one.game, PLAYERS)
    assert await ratings.faults(one.game, PLAYERS) == {"a@1": 4, "b@1": 2}


async def test_rating_leaves_no_keys_of_the_queue(link: Link, ratings: Ratings, redis: Client) -> None:
    one = await cup(link, 9)
    await play(one, range(9), 4)
    await ratings.rate_waiting(one.game, PLAYERS)
    left = {*await redis.keys(f"ratings:{one.game}:*")}
    assert left == {f"ratings:{one.game}:{PLAYERS}{part}".encode() for part in ("", ":latest", ":log", ":count")}
