"""The ladders of the house."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from splito_arena.bots.find import bot_names
from splito_arena.formats import Ladder
from splito_engine.registry import find_game
from splito_engine.registry import games as registered
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.storage.client import Link
from splito_service.tournaments.house_ladders import Ladders
from splito_service.tournaments.installed_versions import KEY, Workers, installed
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.store import Tournaments

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ladders(link: Link) -> AsyncIterator[Ladders]:
    """In a Redis where there are none yet; and none is left to be played."""
    organiser = Organiser(link, Bots(link))
    yield Ladders(link, organiser, Bots(link))
    for game in registered():
        found = await link.call("GETDEL", f"ladder:{game}")
        if found is not None:
            await organiser.set_state(found.decode(), "cancelled")


async def ladder(link: Link, game: str) -> StoredTournament | None:
    found = await link.call("GET", f"ladder:{game}")
    return None if found is None else await Tournaments(link).get(found.decode())


async def test_every_game_has_a_ladder_with_all_house_bots_that_play_it(ladders: Ladders, link: Link) -> None:
    await ladders.see_to(tuple(registered()), wanted=True)
    kept = await ladder(link, "splito")
    assert kept is not None
    assert (kept.state, kept.players, kept.owner, kept.ranked) == ("running", 3, "", True)
    assert {entrant.bot for entrant in kept.entrants} == {*bot_names()}
    assert isinstance(kept.format, Ladder)
    assert kept.format.everybody
    assert kept.round == 1
    small = await ladder(link, "highest")  # which the planner does not play
    assert small is not None
    assert {entrant.bot for entrant in small.entrants} == {"greedy", "random"}


async def test_simultaneous_processes_create_one_ladder(ladders: Ladders, link: Link) -> None:
    await asyncio.gather(*(ladders.see_to(("splito",), wanted=True) for _ in range(5)))
    first = await ladder(link, "splito")
    await ladders.see_to(("splito",), wanted=True)
    assert first is not None
    assert (await ladder(link, "splito")) == first


async def test_a_ladder_that_a_killed_process_only_noted_is_created(ladders: Ladders, link: Link) -> None:
    noted = new_id()
    await link.call("SET", "ladder:splito", noted)
    await ladders.see_to(("splito",), wanted=True)
    kept = await ladder(link, "splito")
    assert kept is not None
    assert kept.id == noted


async def test_a_ladder_that_is_switched_off_is_paused_and_resumes_when_switched_on(
    ladders: Ladders, link: Link
) -> None:
    await ladders.see_to(("splito",), wanted=True)
    made = await ladder(link, "splito")
    states: list[str] = []
    for wanted in (False, True):
        await ladders.see_to(("splito",), wanted=wanted)
        kept = await ladder(link, "splito")
        assert made is not None
        assert kept is not None
        assert kept.id == made.id
        states.append(kept.state)
    assert states == ["paused", "running"]


async def test_no_ladder_is_created_while_ladders_are_switched_off(ladders: Ladders, link: Link) -> None:
    await ladders.see_to(("splito",), wanted=False)
    assert await ladder(link, "splito") is None


@pytest.mark.parametrize("killed_after", ["", "cancelled", "succeeded"])
async def test_a_ladder_whose_rules_no_worker_has_is_replaced_by_a_new_one(
    ladders: Ladders, link: Link, killed_after: str
) -> None:
    await ladders.see_to(("splito",), wanted=True)
    made = await ladder(link, "splito")
    assert made is not None
    assert made.rules == find_game("splito").INFO.version
    old = await Tournaments(link).change(made.id, lambda kept: replace(kept, rules="0.1"))
    workers = Workers(link)
    await workers.announce(replace(installed(), games={"splito": "0.1"}))
    await ladders.follow_rules(("splito",))
    assert await ladder(link, "splito") == old  # a worker still has its rules
    await link.call("DEL", KEY)
    await workers.announce(installed())
    if killed_after:
        await Organiser(link, Bots(link)).set_state(old.id, "cancelled", "no worker has rules 0.1 any more")
    if killed_after == "succeeded":
        await link.call("SET", "ladder:splito", new_id())
    await ladders.follow_rules(("splito",))
    ended, new = await Tournaments(link).get(old.id), await ladder(link, "splito")
    assert new is not None
    assert (ended.state, new.state, new.rules) == ("cancelled", "running", made.rules)
    assert (ended.reason or "").startswith("no worker has rules 0.1 any more")
    await ladders.follow_rules(("splito",))
    assert await ladder(link, "splito") == new
