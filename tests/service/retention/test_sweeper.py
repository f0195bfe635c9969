"""Everything kept has an owner, a limit and a retention: the table has a row for every key, and the sweeper follows."""

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import closing, contextmanager
from threading import Thread
from typing import Any

import httpx
import pytest
import redis as redis_py
from msgspec.structs import replace

from splito_arena.formats import RoundRobin
from splito_engine.errors import UnknownMatch
from splito_service.bots.store import Bots
from splito_service.errors import NoKey, NoRoom, UnknownHook, UnknownTournament
from splito_service.matches.model import OPEN, Decision, Sitter, StoredMatch
from splito_service.matches.redis_keys import ENDED, LIVE
from splito_service.matches.store import Matches
from splito_service.owners.keys import Keys
from splito_service.owners.store import ALL, FORMER, Owners
from splito_service.processes.embedded_redis import open_server
from splito_service.retention.removal import Removal
from splito_service.retention.sweeper import DAY, LEASE, Sweeper
from splito_service.retention.table import END, PAGE, kind_of, page, type_of, unknown_settings
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.tournaments.organiser import Organiser as Holding
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import Hooks
from tests.service.holding import SHORT, Organiser, working
from tests.service.owners.test_keys import Ada
from tests.service.playing import house, tournament, until
from tests.service.polling import PRIVATE, Polling, last_move, polling
from tests.service.process import running

pytestmark = pytest.mark.anyio
SMALL_FORMAT = RoundRobin(blocks=1)
GAMES = ("splito", "splitit", "splitter")
PERSONS = [Sitter("person", "Ada"), Sitter("person", "Bob")]
BOTS = [Sitter("person", "Ada"), Sitter("bot", "greedy", "greedy")]


@pytest.fixture(scope="module")
def swept_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with open_server(tmp_path_factory.mktemp("swept"), "everysec") as server:
        yield server.url


@pytest.fixture
async def link(swept_url: str) -> AsyncIterator[Link]:
    """A server of its own with nothing in it, because a sweep looks at everything."""
    async with Link(swept_url) as link:
        await link.call("FLUSHALL")
        yield link


async def sweep(link: Link, *, dry: bool = False, **settings: Any) -> dict[str, int]:
    """Return how many were removed of each kind, without kinds of which none was."""
    found = await Sweeper(link, Settings(**settings), GAMES).sweep(dry=dry)
    assert all(swept.bytes > 0 for swept in found if swept.count)
    return {swept.kind: swept.count for swept in found if swept.count}


async def now(link: Link) -> int:
    seconds, _ = await link.call("TIME")
    return 1000 * int(seconds)


async def played(matches: Matches, kept: StoredMatch) -> StoredMatch:
    while not kept.over:
        for seat in kept.awaited:
            move = kept.match.game.moves(kept.match.state, seat)[0]
            kept = await matches.seal(kept.id, Decision(kept.turn, seat, move))
    return kept


# The table


def test_the_docs_show_the_retention_table() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text
    assert END in text
    assert unknown_settings() == []


def test_an_unknown_key_has_no_row_in_the_retention_table() -> None:
    assert kind_of("something:new") is None
    assert kind_of("match:{0}:secret") is None


@contextmanager
def written(url: str) -> Generator[dict[str, str]]:
    """Collect every key that is written to Redis, also those that are soon gone, and its type if it was still there."""
    client: Any = redis_py.Redis.from_url(url)  # pyright: ignore[reportUnknownMemberType]
    client.config_set("notify-keyspace-events", "KA")
    names, listener = dict[str, str](), client.pubsub()
    listener.psubscribe("__keyspace@0__:*")

    def hear() -> None:
        for message in listener.listen():
            if message["type"] == "pmessage":
                name = message["channel"].decode().partition(":")[2]
                names[name] = names.get(name) or client.type(name).decode().replace("none", "")
            elif message["type"] == "punsubscribe":
                return

    thread = Thread(target=hear)
    thread.start()
    with closing(client):
        try:
            yield names
        finally:
            listener.punsubscribe()
            thread.join()


def test_every_key_that_the_service_writes_belongs_to_a_row_of_the_table(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with (
        open_server(tmp_path_factory.mktemp("everything"), "everysec") as server,
        written(server.url) as names,
        running(server.url, PRIVATE | {"SPLITO_RATE": "6000", "SPLITO_HOUSE_LADDER": "1"}) as process,
        working(server.url),
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        ada, host = Ada(api), Organiser(api)
        ada.make_key("play")
        assert ada.ask("POST", "/v1/hooks", {"url": "https://splito.example/", "events": ["match.finished"]}).is_success
        with polling(Polling(ada), [process.url], last_move) as polly:
            _live_matches(api, polly)
            ada.ask("POST", f"/v1/bots/{polly.id}/checks", {"quick": True})
            host.wait(host.hold())
            host.wait(host.experiment(**SHORT))
    assert sorted(name for name in names if kind_of(name) is None) == []
    assert {name: one for name, one in names.items() if one and type_of(name) not in (one, "any")} == {}
    kinds = {kind.name for name in names if (kind := kind_of(name)) is not None}
    assert kinds >= {
        "open or running match",
        "finished match",
        "tournament or experiment",
        "ratings",
        "owner",
        "key",
        "bot",
    }
    assert kinds >= {
        "check of a bot",
        "log of asks",
        "ask of a pull bot",
        "webhook",
        "shifts in RQ",
        "counts of requests",
    }


def _live_matches(api: httpx.Client, polly: Polling) -> None:
    for seats in (
        [polly.seat, {"kind": "bot", "bot": "greedy"}],
        [{"kind": "open"}, {"kind": "person", "name": "Bob"}],
    ):
        made = api.post("/v1/splitter/matches", json={"seats": seats, "listed": True})
        assert made.status_code == 201, made.text
    path = api.post("/v1/splitter/matches", json={"seats": [polly.seat] * 2}).headers["Location"]
    while api.get(path, params={"after": 99, "wait": 5}).json()["status"] != "over":
        pass


# Matches


async def test_finished_matches_are_removed_after_their_days(link: Link) -> None:
    matches = Matches(link)
    old, new = [await played(matches, await matches.create("splitter", PERSONS)) for _ in range(2)]
    await link.call("ZADD", ENDED, await now(link) - 31 * DAY, old.id)
    assert await sweep(link, dry=True) == {"finished matches": 1}
    assert (await matches.get(old.id)).over, "a dry run removes nothing"
    assert await sweep(link) == {"finished matches": 1}
    with pytest.raises(UnknownMatch):
        await matches.get(old.id)
    assert await matches.page("splitter", "over", None, 9) == [new.id]
    assert await sweep(link) == {}


async def test_a_finished_match_expires_even_if_nothing_sweeps(link: Link) -> None:
    matches = Matches(link, Settings(match_days=2))
    over = await played(matches, await matches.create("splitter", PERSONS))
    assert 2 * 86_400 < await link.call("TTL", f"match:{{{over.id}}}:record") <= 3 * 86_400
    forever = Matches(link, Settings(match_days=0, idle_days=0, open_days=0))
    kept = await forever.create("splitter", PERSONS)
    assert await link.call("TTL", f"match:{{{kept.id}}}") == -1
    over = await played(forever, kept)
    assert await link.call("TTL", f"match:{{{over.id}}}:record") == -1


async def test_finished_matches_above_the_limit_are_removed_oldest_first(link: Link) -> None:
    matches = Matches(link)
    ended = [await played(matches, await matches.create("splitter", PERSONS)) for _ in range(3)]
    for number, kept in enumerate(ended):
        await link.call("ZADD", ENDED, 1000 + number + await now(link), kept.id)
    assert await sweep(link, max_finished=2) == {"finished matches": 1}
    assert await matches.page("splitter", "over", None, 9) == sorted((ended[1].id, ended[2].id), reverse=True)


async def test_an_abandoned_match_is_removed_and_an_active_match_is_kept(link: Link) -> None:
    matches = Matches(link)
    idle, goes_on = [await matches.create("splitter", PERSONS) for _ in range(2)]
    long_ago = await now(link) - 31 * DAY
    await link.call("ZADD", LIVE, long_ago, idle.id, long_ago, goes_on.id)
    await link.call("HSET", f"match:{{{idle.id}}}", "began", long_ago)
    assert await sweep(link) == {"abandoned matches": 1}
    with pytest.raises(UnknownMatch):
        await matches.get(idle.id)
    assert await matches.page("splitter", "running", None, 9) == [goes_on.id]
    assert await link.call("ZRANGE", LIVE, 0, -1) == [goes_on.id.encode()]


async def test_a_match_with_open_seats_is_removed_sooner_unless_a_player_joins(link: Link) -> None:
    matches = Matches(link)
    alone, joined = [await matches.create("splitter", [OPEN, OPEN, PERSONS[0]]) for _ in range(2)]
    for kept in (alone, joined):
        await link.call("ZADD", LIVE, await now(link) - 4 * DAY, kept.id)
        await link.call("HSET", f"match:{{{kept.id}}}", "seated", await now(link) - 4 * DAY)
    await matches.join(joined.id, 0, "Bob")
    assert await sweep(link) == {"abandoned matches": 1}
    assert await matches.page("splitter", "open", None, 9) == [joined.id]


async def test_a_match_that_changed_meanwhile_is_not_removed(link: Link) -> None:
    matches = Matches(link)
    kept = await matches.create("splitter", PERSONS)
    await matches.seal(kept.id, Decision(0, 0, kept.match.game.moves(kept.match.state, 0)[0]))
    assert not await matches.delete(kept.id, kept.change, GAMES)
    assert (await matches.get(kept.id)).sealed == {0}


async def test_the_number_of_live_matches_is_limited(link: Link) -> None:
    matches = Matches(link, Settings(max_matches=2))
    first, _ = [await matches.create("splitter", PERSONS) for _ in range(2)]
    with pytest.raises(NoRoom, match="2 matches"):
        await matches.create("splitter", PERSONS)
    await played(matches, first)
    await matches.create("splitter", PERSONS)
    with pytest.raises(NoRoom):
        await matches.create("splitter", PERSONS)


async def test_data_stored_by_an_older_version_are_swept(link: Link) -> None:
    matches = Matches(link)
    live = await matches.create("splitter", PERSONS)
    over = await played(matches, await matches.create("splitter", PERSONS))
    owner = await Owners(link).create("Ada")
    await link.call("DEL", LIVE, ENDED, ALL)
    assert await sweep(link) == {}
    assert await link.call("ZRANGE", LIVE, 0, -1) == [live.id.encode()]
    assert await link.call("ZRANGE", ENDED, 0, -1) == [over.id.encode()]
    assert await link.call("ZRANGE", ALL, 0, -1) == [owner.id.encode()]


# Tournaments


async def test_tournaments_are_removed_after_their_days_and_cancelled_ones_sooner(link: Link) -> None:
    tournaments, ages = Tournaments(link), (29, 31, 364, 366)
    made = dict[tuple[str, int], str]()
    for state in ("finished", "cancelled"):
        for age in ages:
            kept = tournament(SMALL_FORMAT, *house("greedy", "random"))
            await tournaments.create(kept)
            ended = await now(link) - age * DAY
            await tournaments.change(kept.id, lambda one, s=state, e=ended: replace(one, state=s, ended_ms=e))
            await link.call("ZADD", "tournaments:ended", ended, kept.id)
            made[state, age] = kept.id
    assert await sweep(link) == {"tournaments": 4}
    left = {which for which, one in made.items() if await link.call("EXISTS", f"tournament:{one}")}
    assert left == {("finished", 29), ("finished", 31), ("finished", 364), ("cancelled", 29)}
    with pytest.raises(UnknownTournament):
        await tournaments.get(made["cancelled", 31])


# Owners, keys and hooks


async def test_an_owner_without_bots_is_removed_sooner_than_one_with_bots(link: Link) -> None:
    owners, bots = Owners(link), Bots(link)
    empty, busy, gone = [await owners.create(name) for name in ("empty", "busy", "gone")]
    for owner in (busy, gone):
        await bots.create(owner.id, "pull", "Bot")
    for owner, age in ((empty, 31), (busy, 364), (gone, 366)):
        await link.call("ZADD", ALL, await now(link) - age * DAY, owner.id)
    assert await sweep(link) == {"owners": 2}
    assert {owner.name for owner in (await owners.find([empty.id, busy.id, gone.id])).values()} == {"busy", FORMER}
    assert [bot.owner for bot in (await bots.page(None, 9)).bots] == [busy.id]


async def test_using_a_key_prolongs_the_key_and_its_owner(link: Link) -> None:
    owners = Owners(link)
    owner = await owners.create("Ada")
    kept, key = await Keys(owners).issue(owner.id, ["play"])
    await link.call("ZADD", ALL, 1, owner.id)
    await link.call("EXPIRE", f"key:{kept.id}", 1000)
    await Keys(owners).read(f"Bearer {key}", "play")
    assert await link.call("TTL", f"key:{kept.id}") > 364 * 86_400
    assert await sweep(link) == {}
    assert abs((await owners.used(owner.id))[kept.id] - await now(link)) < 60_000


async def test_a_key_with_an_end_expires_even_if_it_is_used(link: Link) -> None:
    owners = Owners(link)
    owner = await owners.create("Ada")
    kept, key = await Keys(owners).issue(owner.id, ["play"], days=2)
    await Keys(owners).read(f"Bearer {key}", "play")
    assert 86_400 < await link.call("TTL", f"key:{kept.id}") <= 2 * 86_400
    await link.call("DEL", f"key:{kept.id}")  # as if the days were over
    with pytest.raises(NoKey):
        await Keys(owners).read(f"Bearer {key}", "play")


async def test_expired_keys_no_longer_count_against_the_limit(link: Link) -> None:
    owners = Owners(link)
    owner, keys = await owners.create("Ada"), Keys(owners)
    first, *_ = [(await keys.issue(owner.id, ["play"]))[0] for _ in range(50)]
    with pytest.raises(NoRoom):
        await keys.issue(owner.id, ["play"])
    await link.call("DEL", f"key:{first.id}")
    await keys.issue(owner.id, ["play"])


async def test_the_number_of_owners_is_limited(link: Link) -> None:
    owners = Owners(link, Settings(max_owners=1))
    await owners.create("Ada")
    with pytest.raises(NoRoom, match="1 owners"):
        await owners.create("Bob")


async def test_a_webhook_that_was_disabled_long_ago_is_removed(link: Link) -> None:
    hooks = Hooks(link)
    owner = await Owners(link).create("Ada")
    lost, enabled = [await hooks.create(owner.id, "https://splito.example", ["match.finished"]) for _ in range(2)]
    for hook in (lost, enabled):
        await hooks.change(hook.id, lambda one: replace(one, enabled=False))
        await link.call("ZADD", "hooks:disabled", await now(link) - 31 * DAY, hook.id)
    await hooks.change(enabled.id, lambda one: replace(one, enabled=True))
    assert await sweep(link) == {"hooks": 1}
    with pytest.raises(UnknownHook):
        await hooks.get(owner.id, lost.id)
    assert (await hooks.get(owner.id, enabled.id)).hook.disabled_ms is None


async def test_only_one_process_sweeps_at_a_time(link: Link) -> None:
    sweepers = [Sweeper(link, Settings(), GAMES) for _ in range(5)]
    assert sorted(await asyncio.gather(*(sweeper.claim() for sweeper in sweepers))) == [False] * 4 + [True]


async def test_only_the_holder_of_the_lease_renews_it_while_it_removes(link: Link) -> None:
    holder, other = [Sweeper(link, Settings(sweep_seconds=300), GAMES) for _ in range(2)]
    assert await holder.claim()
    for sweeper, renewed in ((other, False), (holder, True)):
        matches = Matches(link)
        old = await played(matches, await matches.create("splitter", PERSONS))
        await link.call("ZADD", ENDED, await now(link) - 31 * DAY, old.id)
        await link.call("EXPIRE", LEASE, 100)
        assert sum(swept.count for swept in await sweeper.sweep()) == 1
        assert (await link.call("TTL", LEASE) > 100) == renewed


async def test_a_running_service_sweeps(link: Link, swept_url: str) -> None:
    matches = Matches(link)
    old, new = [await played(matches, await matches.create("splitter", PERSONS)) for _ in range(2)]
    await link.call("ZADD", ENDED, await now(link) - 31 * DAY, old.id)

    async def is_swept() -> bool:
        return await link.call("ZRANGE", ENDED, 0, -1) == [new.id.encode()]

    with running(swept_url, {"SPLITO_SWEEP_SECONDS": "1"}):
        await until(is_swept)


async def test_removing_an_owner_leaves_only_finished_tournaments(link: Link) -> None:
    owners, bots, hooks, tournaments = Owners(link), Bots(link), Hooks(link), Tournaments(link)
    owner = await owners.create("Ada")
    await Keys(owners).issue(owner.id, ["keys"])
    bot = await bots.create(owner.id, "pull", "Bot")
    await hooks.create(owner.id, "https://splito.example", ["match.finished"])
    running_, over = [replace(tournament(SMALL_FORMAT, *house("greedy", "random")), owner=owner.id) for _ in range(2)]
    for kept in (running_, over):
        await tournaments.create(kept)
    await tournaments.change(over.id, lambda one: replace(one, state="finished", ended_ms=1))
    await Removal(link, owners, bots, hooks, Holding(link, bots)).owner(owner.id)
    assert (await tournaments.get(running_.id)).state == "cancelled"
    assert (await tournaments.get(over.id)).state == "finished"
    assert not await owners.exists(owner.id)
    left: list[bytes] = await link.call("KEYS", "*")
    assert [key for key in left if owner.id.encode() in key or bot.id.encode() in key] == []
    assert [key for key in left if key.startswith((b"key:", b"hook:"))] == []
