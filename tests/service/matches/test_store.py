"""The match store: a seat decides once per turn, and the last decision of a turn reveals it."""

import asyncio
from typing import Any

import msgspec
import pytest

from splito_engine.errors import AlreadySealed, GameError, UnknownMatch, UnknownVersion, WrongTurn
from splito_engine.games import splito
from splito_engine.match import legal_moves
from splito_engine.record import encode, verify
from splito_service.errors import WrongToken
from splito_service.matches.list_store import from_kept
from splito_service.matches.model import OPEN, Decision, Sitter, StoredMatch, Terms
from splito_service.matches.store import Matches
from splito_service.storage.client import Link
from splito_service.storage.connect import Client

pytestmark = pytest.mark.anyio
ANN, BOB, CY, DI = [Sitter("person", name) for name in ("Ann", "Bob", "Cy", "Di")]
THREE = [ANN, BOB, CY]


def decision(kept: StoredMatch, seat: int, index: int = 0, nudge: str | None = None) -> Decision:
    """The seat's move of that index in its list, for the turn that goes on."""
    return Decision(kept.turn, seat, legal_moves(kept.match, seat)[index], nudge, kept.sittings[seat])


async def play_turn(matches: Matches, match_id: str, index: int = 0) -> StoredMatch:
    kept = await matches.get(match_id)
    for seat in kept.match.actors:
        kept = await matches.seal(match_id, decision(await matches.get(match_id), seat, index))
    return kept


async def play_out(matches: Matches, match_id: str, index: int = 0) -> StoredMatch:
    kept = await matches.get(match_id)
    while not kept.over:
        kept = await play_turn(matches, match_id, index)
    return kept


async def test_a_turn_is_revealed_when_its_last_seat_decides(matches: Matches) -> None:
    kept = await matches.create("splito", THREE, Terms(options={"talk": True}, seed="a"))
    for seat in (2, 0):
        assert (await matches.seal(kept.id, decision(kept, seat))).turn == 0
    assert (await matches.get(kept.id)).sealed == {0, 2}
    after = await matches.seal(kept.id, decision(kept, 1, 3, "play:left"))
    assert after.turn == 1
    assert after.match.turns[0].talk == {1: "play:left"}
    assert (await matches.get(kept.id)).sealed == frozenset()


async def test_another_process_sees_the_same_match(matches: Matches, link: Link) -> None:
    other = Matches(link)
    match_id = (await matches.create("splito", THREE, Terms(options={"deals": 2}, seed="b"))).id
    for turn in range(4):
        kept = await other.get(match_id)
        for seat, store in ((0, matches), (1, other), (2, matches)):
            await store.seal(match_id, decision(kept, seat, turn))
    one, two, three = [await store.get(match_id) for store in (matches, other, Matches(link))]
    assert one.match == two.match == three.match
    assert facts(one) == facts(two) == facts(three)


def facts(kept: StoredMatch) -> dict[str, Any]:
    """Everything but the match; what a process knows by itself must be what Redis says."""
    names = ("deal", "sitters", "sittings", "change", "begun", "sealed", "began", "banks")
    return {name: getattr(kept, name) for name in names}


async def test_a_repeated_decision_is_accepted_even_after_the_turn(matches: Matches, link: Link) -> None:
    kept = await matches.create("splito", THREE, Terms(seed="c"))
    said = [decision(kept, seat) for seat in range(3)]
    for again in (said[0], *said):
        await matches.seal(kept.id, again)
    for store in (matches, Matches(link)):
        assert (await store.seal(kept.id, said[0])).turn == 1


async def test_a_different_decision_is_refused_during_and_after_the_turn(matches: Matches) -> None:
    kept = await matches.create("splito", THREE, Terms(seed="d"))
    await matches.seal(kept.id, decision(kept, 0, 0))
    with pytest.raises(AlreadySealed):
        await matches.seal(kept.id, decision(kept, 0, 1))
    for seat in (1, 2):
        await matches.seal(kept.id, decision(kept, seat))
    for turn in (0, 7):
        with pytest.raises(WrongTurn):
            await matches.seal(kept.id, Decision(turn, 0, decision(kept, 0, 1).move, sitting=1))


async def test_an_illegal_move_is_refused_and_nothing_is_sealed(matches: Matches) -> None:
    match_id = (await matches.create("splito", THREE, Terms(seed="e"))).id
    for seat, move, sitting, code in (
        (0, splito.Move("x9", "left"), 1, "unknown-move"),
        (5, splito.Move("r1", "left"), None, "not-your-turn"),
        (5, splito.Move("r1", "left"), 1, "wrong-token"),
    ):
        with pytest.raises(GameError) as caught:
            await matches.seal(match_id, Decision(0, seat, move, sitting=sitting))
        assert caught.value.code == code
    assert (await matches.get(match_id)).sealed == frozenset()


async def test_a_decision_with_the_sitting_of_another_seat_is_refused(matches: Matches) -> None:
    kept = await matches.create("splito", THREE)
    with pytest.raises(WrongToken):
        await matches.seal(kept.id, Decision(0, 0, decision(kept, 0).move, sitting=2))
    assert (await matches.get(kept.id)).sealed == frozenset()


async def test_an_invalid_match_is_refused_before_anything_is_stored(matches: Matches, redis: Client) -> None:
    before = await redis.dbsize()
    for game, sitters, options in (("chess", THREE, {}), ("splito", [ANN], {}), ("splito", THREE, {"deals": 99})):
        with pytest.raises(GameError):
            await matches.create(game, sitters, Terms(options=options))
    assert await redis.dbsize() == before


async def test_a_match_of_another_rule_version_is_not_replayed(matches: Matches, link: Link, redis: Client) -> None:
    kept = await matches.create("splito", THREE)
    older = msgspec.structs.replace(kept.deal, version="0.9")
    await redis.hset(f"match:{{{kept.id}}}", "deal", msgspec.json.encode(older))
    with pytest.raises(UnknownVersion):
        await Matches(link).get(kept.id)


async def test_an_unknown_match_raises_unknown_match(matches: Matches) -> None:
    with pytest.raises(UnknownMatch):
        await matches.get("nowhere")
    with pytest.raises(UnknownMatch):
        await matches.seal("nowhere", Decision(0, 0, splito.Move("r1", "left")))


@pytest.mark.parametrize("game", ["splito", "splitit", "splitter"])
async def test_a_match_that_is_over_has_a_record_that_verifies(matches: Matches, game: str) -> None:
    kept = await matches.create(game, THREE, Terms(seed="f"))
    record = (await play_out(matches, kept.id)).record()
    verify(encode(record))
    assert record.commitment == kept.deal.commitment
    assert record.names == ("Ann", "Bob", "Cy")


async def test_a_finished_match_is_archived_in_one_small_key_and_still_readable(
    matches: Matches, link: Link, redis: Client
) -> None:
    match_id = (await matches.create("splito", [*THREE, DI], Terms(seed="g"))).id
    over = await play_out(matches, match_id, -1)
    keys = [key async for key in redis.scan_iter(f"match:{{{match_id}}}*")]
    assert keys == [f"match:{{{match_id}}}:record".encode()]
    assert await redis.memory_usage(keys[0]) < 1300
    assert await redis.zscore("due", match_id) is None
    for store in (matches, Matches(link)):
        kept = await store.get(match_id)
        assert (kept.match, kept.sitters, kept.deal) == (over.match, over.sitters, over.deal)
        last = Decision(12, 0, over.match.turns[12].moves[0], sitting=1)
        assert (await store.seal(match_id, last)).match == over.match
        for turn in (12, 13):
            with pytest.raises(WrongTurn):
                await store.seal(match_id, Decision(turn, 0, over.match.turns[0].moves[0], sitting=1))


async def test_sealing_a_move_costs_one_round_trip_to_redis(matches: Matches, link: Link, redis: Client) -> None:
    other = Matches(link)
    kept = await matches.create("splito", THREE)
    kept = await play_turn(other, kept.id)
    await matches.get(kept.id)
    await redis.config_resetstat()
    for seat, store in ((0, matches), (1, other), (2, matches)):
        kept = await store.seal(kept.id, msgspec.structs.replace(decision(kept, seat), turn=1))
    stats = await redis.info("commandstats")
    sent = {name: stat["calls"] for name, stat in stats.items() if name in CLIENT_COMMANDS}
    assert sent == {"cmdstat_evalsha": 3}
    assert kept.turn == 2


CLIENT_COMMANDS = {f"cmdstat_{name}" for name in ("evalsha", "eval", "script|load", "get", "hgetall", "multi", "exec")}


async def test_matches_are_listed_by_status_newest_first_page_by_page(matches: Matches) -> None:
    game = "splitter"
    made = [(await matches.create(game, [ANN])).id for _ in range(5)]
    secret = (await matches.create(game, [ANN], Terms(listed=False))).id
    pages = [await matches.page(game, "running", None, 2)]
    while len(pages[-1]) == 2:
        pages.append(await matches.page(game, "running", pages[-1][-1], 2))
    listed = [match_id for page in pages for match_id in page]
    assert listed == sorted(listed, reverse=True), "ids sort by the time they were made"
    assert {*made} <= {*listed}
    assert secret not in listed
    for match_id in (made[0], secret):
        await play_out(matches, match_id)
    assert made[0] not in await matches.page(game, "running", None, 100)
    over = await matches.page(game, "over", None, 100)
    assert made[0] in over
    assert secret not in over


async def test_the_match_begins_when_its_last_seat_is_taken(matches: Matches, link: Link) -> None:
    kept = await matches.create("splito", [ANN, Sitter("open"), Sitter("open")])
    assert (kept.status, kept.turn) == ("open", -1)
    kept, seat, number = await matches.join(kept.id, 2, "Cy")
    assert (seat, number, kept.status, kept.sitters[2]) == (2, 2, "open", CY)
    with pytest.raises(GameError, match="seats are still open"):
        await matches.seal(kept.id, Decision(0, 0, legal_moves(kept.match, 0)[0], sitting=1))
    kept, seat, number = await Matches(link).join(kept.id, None, "Bob")
    assert (seat, number, kept.status, kept.turn) == (1, 3, "running", 0)
    assert (await matches.seal(kept.id, decision(kept, 0))).turn == 0
    assert kept.id in await matches.page("splito", "running", None, 1)


async def test_an_open_seat_is_taken_by_one_of_many_simultaneous_guests(matches: Matches) -> None:
    match_id = (await matches.create("splito", [ANN, BOB, Sitter("open")])).id
    tries = await asyncio.gather(
        *(matches.join(match_id, None, f"guest {number}") for number in range(20)), return_exceptions=True
    )
    (got,) = [found for found in tries if isinstance(found, tuple)]
    assert {error.code for error in tries if isinstance(error, GameError)} == {"seat-taken"}
    assert (await matches.get(match_id)).sitters[2] == got[0].sitters[2]


async def test_leaving_before_the_start_opens_the_seat_and_voids_the_token(matches: Matches) -> None:
    kept = await matches.create("splito", [ANN, BOB, Sitter("open")])
    kept = await matches.leave(kept.id, 1, 2, "greedy")
    assert kept.sitters[1] == Sitter("open")
    kept, _, number = await matches.join(kept.id, 1, "Bea")
    assert kept.sittings == (1, number, -1)
    assert number > 2
    with pytest.raises(WrongToken):
        await matches.leave(kept.id, 1, 2, "greedy")


async def test_leaving_later_seats_a_bot_under_the_same_name(matches: Matches) -> None:
    kept = await matches.create("splito", THREE)
    kept = await matches.leave(kept.id, 1, 2, "greedy")
    assert kept.sitters[1] == Sitter("bot", "Bob", "greedy")
    assert kept.has_bots
    with pytest.raises(WrongToken):
        await matches.seal(kept.id, Decision(0, 1, legal_moves(kept.match, 1)[0], sitting=2))
    assert kept.id in (await matches.due(1000))[1]


async def test_a_match_may_be_evicted_from_the_cache_while_it_is_loaded(
    matches: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splito_service.matches.store.KEPT", 2)
    made = [(await matches.create("splito", THREE)).id for _ in range(6)]
    for _ in range(3):
        found = await asyncio.gather(*(matches.get(match_id) for match_id in made[::-1]))
        assert [kept.id for kept in found] == made[::-1]


async def test_listing_and_reading_a_record_replay_no_match(matches: Matches, link: Link) -> None:
    waiting = await matches.create("splito", [ANN, OPEN])
    running = await play_turn(matches, (await matches.create("splito", THREE)).id)
    over = await play_out(matches, (await matches.create("splito", THREE)).id)
    other = Matches(link)
    for kept in (waiting, running, over):
        assert await other.listed(kept.id) == from_kept(kept)
    assert await other.archived_record("splito", over.id) == encode(over.record())
    for game, match_id in (("splitter", over.id), ("splito", running.id), ("splito", 24 * "0")):
        assert await other.archived_record(game, match_id) is None
    assert other.replayed == 0


async def test_a_finished_match_is_replayed_once_for_many_readers(matches: Matches, link: Link) -> None:
    over = await play_out(matches, (await matches.create("splito", THREE)).id)
    other = Matches(link)
    found = await asyncio.gather(*(other.get(over.id) for _ in range(20)))
    assert (len(set(map(id, found))), other.replayed) == (1, 1)


async def test_listing_a_deleted_match_raises_unknown_match(matches: Matches) -> None:
    with pytest.raises(UnknownMatch):
        await matches.listed(24 * "0")
