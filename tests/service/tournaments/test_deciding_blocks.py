"""A tied final is decided: by deciding blocks, or after the last of them by tie-breaks, unless the format shares it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id, version_id
from splito_arena.formats import Elimination, Ladder, Placing, RoundRobin, Swiss
from splito_arena.formats.elimination import MOST_DECIDING
from splito_arena.stats.standings import Line
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.model import StoredTournament
from tests.service.playing import Playing, house, tournament
from tests.service.tournaments.stored_tournaments import entry_of
from tests.service.workers.test_shift import hook_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with open_server(tmp_path) as server:
        yield server.url


@pytest.fixture
async def playing(url: str) -> AsyncIterator[Playing]:
    async with Link(url) as link:
        yield Playing(link, url)


async def final(playing: Playing, kind: Elimination) -> StoredTournament:
    """A cup of two bots, whose first table is the final."""
    return await playing.organiser.hold(tournament(kind, *house("random", "planner")))


async def play(playing: Playing, kept: StoredTournament, number: int, winner: str | None) -> None:
    """Write a block of the final that the winner won, or in which both bots won a game, and plan what follows."""
    block = block_id(BlockPlace(0, number, 0))
    names = await playing.ledger.bots(kept.id, block)
    versions = {one.bot: version_id(one.bot, one.version) for one in kept.entrants}
    played = entry_of(block, [versions[name] for name in names])
    games = list[Game]()
    for turn, game in enumerate(played.games):
        first = turn if winner is None else names.index(winner)
        scores = tuple((9,) if bot == first else (1,) for bot in game.seating)
        games.append(replace(game, record=replace(game.record, scores=scores)))
    await playing.ledger.finish(kept, Entry(block=block, bots=played.bots, games=tuple(games)), {})
    assert await playing.organiser.advance(kept.id)


async def placed(playing: Playing, kept: StoredTournament) -> tuple[str, Placing]:
    now = await playing.tournaments.get(kept.id)
    return now.state, await playing.organiser.placing(now, [])


@pytest.mark.parametrize("winner", ["random", "planner"])
async def test_a_tied_final_is_decided_by_a_deciding_block(playing: Playing, winner: str) -> None:
    kept = await final(playing, Elimination())
    await play(playing, kept, 0, None)
    state, before = await placed(playing, kept)
    assert (state, before.winners, (await playing.ledger.counts(kept.id)).open) == ("running", (), 1)
    await play(playing, kept, 1, winner)
    state, found = await placed(playing, kept)
    assert (state, found.winners) == ("finished", (winner,))
    assert found.lines[0].reason == "won the final in a deciding block"


async def test_tie_breaks_decide_after_the_last_deciding_block(playing: Playing) -> None:
    kept = await final(playing, Elimination())
    for number in range(MOST_DECIDING + 1):
        assert (await placed(playing, kept))[0] == "running"
        await play(playing, kept, number, None)
    state, found = await placed(playing, kept)
    assert (state, len(found.winners)) == ("finished", 1)
    assert found.lines[0].reason == "won the final by tie-break: the better seed"


async def test_a_final_without_a_tie_has_no_deciding_block(playing: Playing) -> None:
    kept = await final(playing, Elimination())
    await play(playing, kept, 0, "planner")
    state, found = await placed(playing, kept)
    assert (state, found.winners, found.lines[0].reason) == ("finished", ("planner",), "won the final")


async def test_the_first_place_of_a_tied_final_is_shared_if_the_format_says_so(playing: Playing) -> None:
    kept = await final(playing, Elimination(shared=True))
    await play(playing, kept, 0, None)
    state, found = await placed(playing, kept)
    assert (state, found.winners) == ("finished", ("planner", "random"))


async def test_blocks_that_the_owner_adds_count_before_deciding_blocks(playing: Playing) -> None:
    """The block that would have decided the final becomes a regular one, so another one is needed."""
    kept = await final(playing, Elimination())
    await play(playing, kept, 0, None)
    await playing.organiser.add_blocks(kept.id, 2)
    await play(playing, kept, 1, None)
    assert (await playing.ledger.counts(kept.id)).open == 1
    await play(playing, kept, 2, "random")
    state, found = await placed(playing, kept)
    assert (state, found.winners, found.lines[0].table_place) == ("finished", ("random",), 1.5)


@pytest.mark.parametrize("kind", [Elimination(), RoundRobin(), Swiss()], ids=["elimination", "round robin", "swiss"])
async def test_a_tournament_in_which_nothing_was_played_has_no_winner(
    playing: Playing, kind: Elimination | RoundRobin | Swiss
) -> None:
    kept = await playing.organiser.hold(tournament(kind, *house("random", "planner")))
    await playing.organiser.withdraw(kept.id, "random")
    block = block_id(BlockPlace(0, 0, 0))
    versions = tuple(version_id(one.bot, one.version) for one in kept.entrants)
    await playing.ledger.finish(kept, Entry(block=block, bots=versions, skipped="random: withdrawn"), {})
    assert await playing.organiser.advance(kept.id)
    state, found = await placed(playing, kept)
    assert (state, found.winners, found.lines) == ("finished", (), ())
    assert found.note == "Nothing was played, so there is no winner."


@pytest.mark.parametrize("kind", [Elimination(), RoundRobin()], ids=["elimination", "round robin"])
async def test_the_event_of_the_end_has_the_official_winner(playing: Playing, kind: Elimination | RoundRobin) -> None:
    owner = new_id()
    hook = await hook_of(playing.link, owner, ["tournament.finished"])
    kept = await playing.organiser.hold(tournament(kind, *house("random", "planner"), owner=owner))
    await play(playing, kept, 0, "random")
    (waiting,) = await playing.link.call("ZRANGE", f"hook:{hook.id}:waiting", 0, -1)
    body = await playing.link.call("HGET", f"hook:{hook.id}:log:{waiting.decode()}", "body")
    assert b'"winners":[{"bot":"random","name":"random"}]' in body


@pytest.mark.parametrize("kind", [Elimination(), Ladder()], ids=["elimination", "ladder"])
async def test_a_placing_is_computed_again_only_if_its_facts_change(
    playing: Playing, kind: Elimination | Ladder
) -> None:
    kept = await playing.organiser.hold(tournament(kind, *house("random", "planner")))
    lines, of = list[Line](), playing.organiser.placing
    first = await of(kept, lines)
    assert await of(kept, lines) is first, "many spectators read one placing"
    without = replace(kept, entrants=(replace(kept.entrants[0], gone="withdrawn"), kept.entrants[1]))
    assert await of(without, lines) is not first
    if isinstance(kind, Ladder):
        assert await of(without, list[Line]()) is not await of(without, lines), "new standings have a new placing"
