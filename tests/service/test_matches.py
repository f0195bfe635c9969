"""The store: one seat decides for one turn, once; the last to decide reveals; nobody else does."""

import msgspec
import pytest

from engine.errors import AlreadySealed, GameError, UnknownMatch, UnknownVersion, WrongTurn
from engine.games import splito
from engine.match import legal_moves
from engine.record import encode, verify
from service.store.connection import Client
from service.store.matches import Matches

pytestmark = pytest.mark.anyio
NAMES = ("Ann", "Bob", "Cy")


@pytest.fixture
def matches(redis: Client) -> Matches:
    return Matches(redis)


async def test_a_turn_is_revealed_by_the_last_of_its_seats(matches: Matches) -> None:
    match_id, deal = await matches.create("splito", NAMES, {"talk": True}, seed="a")
    match = (await matches.get(match_id)).match
    for seat in (2, 0):
        after = await matches.seal(match_id, 0, seat, legal_moves(match, seat)[0])
        assert len(after.turns) == 0
    assert (await matches.get(match_id)).sealed == {0, 2}
    after = await matches.seal(match_id, 0, 1, legal_moves(match, 1)[3], "play:left")
    assert len(after.turns) == 1
    assert after.turns[0].talk == {1: "play:left"}
    assert (await matches.get(match_id)).sealed == frozenset()
    assert deal.names == NAMES


async def test_another_process_sees_the_same_match(matches: Matches, redis: Client) -> None:
    other = Matches(redis)
    match_id, _ = await matches.create("splito", NAMES, {"deals": 2}, seed="b")
    for turn in range(4):
        match = (await other.get(match_id)).match
        for seat, store in ((0, matches), (1, other), (2, matches)):
            await store.seal(match_id, turn, seat, legal_moves(match, seat)[turn])
    assert (await matches.get(match_id)).match == (await other.get(match_id)).match
    assert (await Matches(redis).get(match_id)).match == (await other.get(match_id)).match


async def test_the_same_decision_again_is_no_fault_not_even_later(matches: Matches, redis: Client) -> None:
    match_id, _ = await matches.create("splito", NAMES, seed="c")
    match = (await matches.get(match_id)).match
    moves = {seat: legal_moves(match, seat)[0] for seat in range(3)}
    for _ in range(2):
        await matches.seal(match_id, 0, 0, moves[0])
    for seat in (1, 2):
        await matches.seal(match_id, 0, seat, moves[seat])
    for store in (matches, Matches(redis)):
        assert len((await store.seal(match_id, 0, 0, moves[0])).turns) == 1


async def test_another_decision_is_refused_before_and_after_the_turn(matches: Matches) -> None:
    match_id, _ = await matches.create("splito", NAMES, seed="d")
    match = (await matches.get(match_id)).match
    moves = {seat: legal_moves(match, seat) for seat in range(3)}
    await matches.seal(match_id, 0, 0, moves[0][0])
    with pytest.raises(AlreadySealed):
        await matches.seal(match_id, 0, 0, moves[0][1])
    for seat in (1, 2):
        await matches.seal(match_id, 0, seat, moves[seat][0])
    with pytest.raises(WrongTurn):
        await matches.seal(match_id, 0, 0, moves[0][1])
    with pytest.raises(WrongTurn):
        await matches.seal(match_id, 7, 0, moves[0][1])


async def test_an_illegal_move_is_refused_and_nothing_is_sealed(matches: Matches) -> None:
    match_id, _ = await matches.create("splito", NAMES, seed="e")
    for seat, move, code in (
        (0, splito.Move("x9", "left"), "unknown-move"),
        (5, splito.Move("r1", "left"), "not-your-turn"),
    ):
        with pytest.raises(GameError) as caught:
            await matches.seal(match_id, 0, seat, move)
        assert caught.value.code == code
    assert (await matches.get(match_id)).sealed == frozenset()


async def test_what_is_wrong_with_a_match_is_said_before_anything_is_stored(matches: Matches, redis: Client) -> None:
    before = await redis.dbsize()
    for game, names, options in (("chess", NAMES, {}), ("splito", ("Ann",), {}), ("splito", NAMES, {"deals": 99})):
        with pytest.raises(GameError):
            await matches.create(game, names, options)
    assert await redis.dbsize() == before


async def test_a_match_played_by_other_rules_is_not_replayed_by_ours(matches: Matches, redis: Client) -> None:
    match_id, deal = await matches.create("splito", NAMES, seed="i")
    older = msgspec.structs.replace(deal, version="0.9")
    await redis.hset(f"match:{{{match_id}}}", "deal", msgspec.json.encode(older))
    with pytest.raises(UnknownVersion):
        await Matches(redis).get(match_id)


async def test_an_unknown_match_is_unknown(matches: Matches) -> None:
    with pytest.raises(UnknownMatch):
        await matches.get("nowhere")
    with pytest.raises(UnknownMatch):
        await matches.seal("nowhere", 0, 0, splito.Move("r1", "left"))


@pytest.mark.parametrize("game", ["splito", "splitit", "splitter"])
async def test_a_match_that_is_over_has_a_record_that_verifies(matches: Matches, game: str) -> None:
    match_id, deal = await matches.create(game, NAMES, seed="f")
    while not (match := (await matches.get(match_id)).match).over:
        for seat in match.actors:
            await matches.seal(match_id, len(match.turns), seat, legal_moves(match, seat)[0])
    record = await matches.record(match_id)
    verify(encode(record))
    assert record.commitment == deal.commitment


async def test_a_match_that_is_over_takes_little_room_and_still_answers(matches: Matches, redis: Client) -> None:
    match_id, _ = await matches.create("splito", (*NAMES, "Di"), seed="g")
    while not (match := (await matches.get(match_id)).match).over:
        for seat in match.actors:
            await matches.seal(match_id, len(match.turns), seat, legal_moves(match, seat)[-1])
    keys = [key async for key in redis.scan_iter(f"match:{{{match_id}}}*")]
    assert sorted(keys) == [f"match:{{{match_id}}}:{part}".encode() for part in ("events", "record")]
    assert await redis.memory_usage(f"match:{{{match_id}}}:record") < 1500
    assert 0 < await redis.ttl(f"match:{{{match_id}}}:events") <= 3600
    for store in (matches, Matches(redis)):
        assert (await store.get(match_id)).match == match
        assert await store.seal(match_id, 12, 0, match.turns[12].moves[0]) == match
        for turn in (12, 13):
            with pytest.raises(WrongTurn):
                await store.seal(match_id, turn, 0, match.turns[0].moves[0])


async def test_sealing_costs_one_round_trip(matches: Matches, redis: Client) -> None:
    match_id, _ = await matches.create("splito", NAMES, seed="h")
    match = (await matches.get(match_id)).match
    await matches.seal(match_id, 0, 0, legal_moves(match, 0)[0])
    await redis.config_resetstat()
    await matches.seal(match_id, 0, 1, legal_moves(match, 1)[0])
    await matches.seal(match_id, 0, 2, legal_moves(match, 2)[0])
    stats = await redis.info("commandstats")
    sent = {name: stat["calls"] for name, stat in stats.items() if name in CLIENT_COMMANDS}
    assert sent == {"cmdstat_evalsha": 2}


CLIENT_COMMANDS = {f"cmdstat_{name}" for name in ("evalsha", "eval", "script|load", "get", "hgetall", "multi", "exec")}
