"""Workers play only the versions of house bots and rules that a tournament was entered with."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import Entry
from splito_arena.formats import Ladder, RoundRobin
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.installed_versions import (
    KEY,
    NO_WORKER,
    NOT_INSTALLED,
    PRIVATE,
    Installed,
    Workers,
    house_version,
    installed,
    lacking,
    moved_on,
    waiting_text,
)
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.store import Tournaments
from tests.service.holding import Organiser
from tests.service.packages import FAILS, FIRST_MOVE, package, upgraded
from tests.service.playing import Playing, house, tournament, until, worker
from tests.service.process import NO_LIMITS, running

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="workers are looked up in /proc"),
]
LACKED = "blocks wait for a worker with chooser 1.0 (workers have 2.0)"


@pytest.fixture
def server_url(tmp_path: Path) -> Iterator[str]:
    """A server whose workers are ours alone."""
    with open_server(tmp_path / "redis", "everysec") as server:
        yield server.url


def chooser(version: str) -> StoredEntrant:
    return StoredEntrant(bot="chooser", name="chooser", version=version)


async def entries(link: Link, kept_id: str) -> list[Entry]:
    return await Ledger(link).whole(kept_id)


async def test_a_worker_leaves_blocks_to_the_worker_that_has_the_version_and_the_organiser_sees_why(
    tmp_path: Path, server_url: str
) -> None:
    old = package(tmp_path / "old", "1.0", FIRST_MOVE)
    new = package(tmp_path / "new", "2.0", FAILS)
    log = tmp_path / "log"
    with (
        running(server_url, {**NO_LIMITS, **old, "SPLITO_HOUSE_LADDER": "0"}) as service,
        httpx.Client(base_url=service.url, timeout=60) as api,
    ):
        organiser = Organiser(api)
        path = organiser.hold(bots=["greedy", "random", "chooser"])

        def progress() -> Any:
            return api.get(path).json()["progress"]

        assert progress()["waiting"] == NO_WORKER
        async with Link(server_url) as link:
            with worker(server_url, new, log):

                async def waits() -> bool:
                    return progress()["waiting"] == LACKED and progress()["done"] == 3

                await until(waits)  # the blocks without that bot are played
                told = watched(path, service.url, old)
                found = await entries(link, path.rsplit("/", 1)[-1])
                assert all(parts == ("greedy", "random") for parts in map(bots_of, found))
                with worker(server_url, old):
                    organiser.wait(path)
            found = await entries(link, path.rsplit("/", 1)[-1])
            assert await link.call("EXISTS", f"{path[4 : -len(found[0].block)]}:voids") == 0
    assert f"Waiting: {LACKED}." in told
    assert [entry.skipped for entry in found] == [None] * 9
    assert {bot for entry in found for bot in entry.bots if "chooser" in bot} == {"chooser@1.0"}
    assert not any(fault for entry in found for game in entry.games for fault in game.faults)
    assert log.read_text().count("because it lacks chooser 1.0") == 1


def bots_of(entry: Entry) -> tuple[str, ...]:
    return tuple(sorted(bot.partition("@")[0] for bot in entry.bots))


def watched(path: str, url: str, environ: Mapping[str, str]) -> str:
    """Return the first line of `splito tournament watch` that says why a tournament waits."""
    command = [sys.executable, "-u", "-m", "splito_cli", "tournament", "watch", path.rsplit("/", 1)[-1], "--url", url]
    process = subprocess.Popen(command, env={**os.environ, **environ}, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        return next(line for line in process.stderr if "Waiting" in line)
    finally:
        process.terminate()
        process.communicate()


async def test_a_ladder_moves_on_to_the_new_version_when_no_worker_has_the_old_one(
    tmp_path: Path, server_url: str
) -> None:
    old = package(tmp_path / "old", "1.9", FIRST_MOVE)
    new = package(tmp_path / "new", "1.10", FIRST_MOVE)
    kept = tournament(Ladder(pause_seconds=1), *house("greedy", "random"), chooser("1.9"))
    async with Link(server_url) as link:
        await Playing(link, server_url).organiser.hold(kept)

        async def has_played(version: str) -> bool:
            return any(f"chooser@{version}" in entry.bots for entry in await entries(link, kept.id))

        with worker(server_url, old) as first:
            await until(lambda: has_played("1.9"))
            with worker(server_url, new):  # it has nothing to play as long as the old version is there
                first.stop()
                await until(lambda: has_played("1.10"))
        assert {one.version for one in (await Tournaments(link).get(kept.id)).entrants if one.bot == "chooser"} == {
            "1.10"
        }
        played = [bot for entry in await entries(link, kept.id) for bot in entry.bots if "chooser" in bot]
        assert played == sorted(played, reverse=True)  # never back to the old one


async def test_a_worker_with_another_version_of_the_stand_in_plays_nothing(tmp_path: Path, server_url: str) -> None:
    other = upgraded(tmp_path / "other", "9.9")
    kept = tournament(RoundRobin(blocks=1), *house("greedy", "random"), stand_in=f"planner@{ours()}")
    async with Link(server_url) as link:
        playing = Playing(link, server_url)
        await playing.organiser.hold(kept)
        with worker(server_url, other):

            async def waits() -> bool:
                found = (await playing.organiser.progress(kept.id)).waiting
                return found is not None and f"planner {ours()} (workers have 9.9)" in found

            await until(waits)
        assert await entries(link, kept.id) == []
        with worker(server_url):
            await until(lambda: is_over(link, kept.id))


def ours() -> str:
    return house_version("planner")


async def is_over(link: Link, tournament_id: str) -> bool:
    return (await Tournaments(link).get(tournament_id)).state == "finished"


async def test_a_tournament_by_rules_that_no_worker_has_waits_and_says_so(server_url: str) -> None:
    kept = tournament(RoundRobin(blocks=1), *house("greedy", "random"), rules="0.7")
    async with Link(server_url) as link:
        playing = Playing(link, server_url)
        await playing.organiser.hold(kept)
        with worker(server_url):

            async def waits() -> bool:
                return (await playing.organiser.progress(kept.id)).waiting is not None

            async def says_why() -> bool:
                found = (await playing.organiser.progress(kept.id)).waiting or ""
                return found == "blocks wait for a worker with the rules of splitter 0.7 (workers have 1.0)"

            await until(waits)
            await until(says_why)
        assert await entries(link, kept.id) == []


async def test_announced_versions_expire_if_they_are_not_repeated(server_url: str) -> None:
    async with Link(server_url) as link:
        workers = Workers(link)
        await workers.announce(Installed({"chooser": "1.0"}, {}))
        await workers.announce(Installed({"chooser": "1.0"}, {}))
        assert await workers.living() == [Installed({"chooser": "1.0"}, {})]
        [(member, _)] = pairs(await link.call("ZRANGE", KEY, 0, -1, "WITHSCORES"))
        await link.call("ZADD", KEY, 0, member)
        assert await workers.living() == []


def pairs(flat: list[bytes]) -> list[tuple[bytes, bytes]]:
    return [*zip(flat[::2], flat[1::2], strict=True)]


A = Installed({"chooser": "1.0", "greedy": "1.0"}, {"splitter": "1.0"})
B = Installed({"chooser": "2.0", "greedy": "1.0"}, {"splitter": "1.0"})
C = Installed({"chooser": "1.0", "greedy": "2.0"}, {"splitter": "1.0"})
NONE = Installed({}, {})
BOTH = "(workers have 1.0 and 2.0)"


def cup(**changes: Any) -> StoredTournament:
    greedy = StoredEntrant(bot="greedy", name="greedy", version="1.0")
    return replace(tournament(RoundRobin(blocks=1), chooser("1.0"), greedy), rules="1.0", **changes)


@pytest.mark.parametrize(
    ("living", "bots", "expected"),
    [
        ((A, B), ("chooser",), None),
        ((B,), ("greedy",), None),
        ((B,), ("chooser",), "chooser 1.0 (workers have 2.0)"),
        ((B, C), ("greedy",), None),
        (
            (B, C),
            ("chooser", "greedy"),
            "chooser 1.0 (workers have 1.0 and 2.0) and greedy 1.0 (workers have 1.0 and 2.0)",
        ),
        ((replace(A, games={}),), ("greedy",), "the rules of splitter 1.0 (workers have no version of it)"),
    ],
)
def test_the_text_names_the_bot_the_wanted_version_and_the_versions_that_workers_have(
    living: tuple[Installed, ...], bots: tuple[str, ...], expected: str | None
) -> None:
    found = waiting_text(cup(), living, bots)
    assert found == (expected and f"blocks wait for a worker with {expected}")


def test_a_worker_that_may_not_call_private_addresses_lacks_the_setting_for_registered_bots_alone() -> None:
    registered = StoredEntrant(bot=new_id(), name="Marvin", version="1")
    private = replace(
        cup(), entrants=(registered, StoredEntrant(bot="greedy", name="greedy", version="1.0")), private=True
    )
    assert [(lack.what, lack.bot) for lack in lacking(private, A)] == [(PRIVATE, registered.bot)]
    assert waiting_text(private, (A,), [registered.bot]) == f"blocks wait for a worker with {PRIVATE}"
    assert waiting_text(private, (A,), ["greedy"]) is None
    assert lacking(private, replace(A, private=True)) == []
    assert lacking(replace(private, private=False), A) == []


def test_a_withdrawn_bot_needs_no_installed_version() -> None:
    gone = replace(chooser("1.0"), gone="withdrawn")
    assert lacking(replace(cup(), entrants=(gone,)), B) == []


def test_a_tournament_stored_without_rule_version_needs_none() -> None:
    assert lacking(replace(cup(), rules="", entrants=()), NONE) == []


def test_a_house_bot_that_no_worker_has_leaves_the_ladder_until_a_worker_has_it_again() -> None:
    without = moved_on(cup(), (Installed({"greedy": "1.0"}, {"splitter": "1.0"}),))
    assert [one.gone for one in without.entrants] == [NOT_INSTALLED, None]
    back = moved_on(without, (B,))
    assert [(one.version, one.gone) for one in back.entrants] == [("2.0", None), ("1.0", None)]
    withdrawn = replace(cup(), entrants=(replace(chooser("1.0"), gone="withdrawn"),))
    assert moved_on(withdrawn, (B,)) == withdrawn


def test_the_installed_versions_name_all_house_bots_and_games() -> None:
    assert {"planner", "greedy", "random"} <= {*installed().bots}
    assert {"splito", "splitit", "splitter"} <= {*installed().games}
