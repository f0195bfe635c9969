"""Bots move and clocks run out without a connected client, and after a restart.

Time does not pass here. A test that needs it to have passed moves the beginning of the turn into the past.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import pytest

from splito_arena.bots.subprocess import BotProcesses
from splito_engine.match import legal_moves, play, start
from splito_service.errors import OutOfTime
from splito_service.matches.autoplay import attending
from splito_service.matches.bot_turns import BotTurns
from splito_service.matches.model import (
    BankClock,
    Clock,
    Decision,
    Sitter,
    StoredMatch,
    Terms,
    TurnClock,
)
from splito_service.matches.store import Matches
from splito_service.storage.client import Link
from splito_service.storage.connect import Client

pytestmark = pytest.mark.anyio
ANN, BOB = Sitter("person", "Ann"), Sitter("person", "Bob")
GREEDY = Sitter("bot", "greedy", "greedy")
LIMIT = 60.0


@pytest.fixture
async def house() -> AsyncIterator[BotProcesses]:
    async with BotProcesses() as house:
        yield house


async def until(happened: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(LIMIT):
        while not await happened():  # noqa: ASYNC110 (it happens in Redis)
            await asyncio.sleep(0.02)


async def pass_time(redis: Client, match_id: str, seconds: int) -> None:
    """Move the start of the turn and the due time of the match into the past by so many seconds."""
    key = f"match:{{{match_id}}}"
    began = int(await redis.hget(key, "began"))
    await redis.hset(key, "began", began - 1000 * seconds)
    await redis.hincrby(key, "change", 1)
    await redis.zincrby("due", -1000 * seconds, match_id)


def first_move(kept: StoredMatch, seat: int) -> Decision:
    return Decision(kept.turn, seat, legal_moves(kept.match, seat)[0], sitting=kept.sittings[seat])


async def test_bots_play_a_match_to_its_end(matches: Matches, house: BotProcesses, bot_turns: BotTurns) -> None:
    kept = await matches.create("splito", [GREEDY, GREEDY, GREEDY])
    async with attending(matches, house, bot_turns) as autoplay:
        autoplay.attend(kept)
        await until(lambda: _over(matches, kept.id))


async def test_bots_move_after_the_process_that_began_the_turn_is_gone(
    matches: Matches, house: BotProcesses, bot_turns: BotTurns, redis: Client
) -> None:
    kept = await matches.create("splito", [ANN, GREEDY, GREEDY])
    assert 0 < await redis.zscore("due", kept.id) - kept.began <= 3000, "any process may look at it soon"
    await pass_time(redis, kept.id, 5)
    async with attending(matches, house, bot_turns):
        await until(lambda: _sealed(matches, kept.id, frozenset({1, 2})))
        await until(lambda: _not_due(redis, kept.id))


async def test_a_bot_plays_for_a_person_who_left(matches: Matches, house: BotProcesses, bot_turns: BotTurns) -> None:
    kept = await matches.create("splito", [ANN, BOB])
    await matches.seal(kept.id, first_move(kept, 0))
    await matches.leave(kept.id, 1, 2, "greedy")
    async with attending(matches, house, bot_turns):
        await until(lambda: _turn(matches, kept.id, 1))


@pytest.mark.parametrize("clock", [TurnClock(30), BankClock(30)])
async def test_when_time_runs_out_the_default_move_is_sealed(
    matches: Matches, house: BotProcesses, bot_turns: BotTurns, redis: Client, clock: Clock
) -> None:
    kept = await matches.create("splito", [ANN, BOB], Terms(clock=clock))
    chosen = legal_moves(kept.match, 0)[5]
    await matches.seal(kept.id, Decision(0, 0, chosen, sitting=1))
    await pass_time(redis, kept.id, 29)
    async with attending(matches, house, bot_turns) as autoplay:
        await autoplay.sweep_once()
        assert await _turn(matches, kept.id, 0), "there is one second left"
        await pass_time(redis, kept.id, 2)
        await until(lambda: _turn(matches, kept.id, 1))
    turn = (await matches.get(kept.id)).match.turns[0]
    assert turn.moves == {0: chosen, 1: legal_moves(kept.match, 1)[0]}


async def test_a_bank_is_used_up_by_thinking_and_not_by_waiting_for_others(matches: Matches, redis: Client) -> None:
    kept = await matches.create("splito", [ANN, BOB], Terms(clock=BankClock(100)))
    await pass_time(redis, kept.id, 10)
    await matches.seal(kept.id, first_move(kept, 0))
    await pass_time(redis, kept.id, 20)
    kept = await matches.seal(kept.id, first_move(kept, 1))
    kept = await matches.get(kept.id)
    assert [bank // 1000 for bank in kept.banks] == [89, 69]
    assert kept.deadline(0) == kept.began + kept.banks[0]


async def test_a_late_move_is_refused_and_not_sealed(matches: Matches, redis: Client) -> None:
    kept = await matches.create("splito", [ANN, BOB], Terms(clock=TurnClock(30)))
    await pass_time(redis, kept.id, 31)
    with pytest.raises(OutOfTime):
        await matches.seal(kept.id, first_move(kept, 0))
    assert (await matches.get(kept.id)).sealed == frozenset()


async def test_a_used_up_bank_leaves_only_default_moves(
    matches: Matches, house: BotProcesses, bot_turns: BotTurns, redis: Client
) -> None:
    kept = await matches.create("splitter", [ANN], Terms(clock=BankClock(5)))
    await pass_time(redis, kept.id, 6)
    async with attending(matches, house, bot_turns):
        await until(lambda: _over(matches, kept.id))
    match = start(kept.match.game, 1, kept.match.seed)
    while not match.over:
        match = play(match, {0: legal_moves(match, 0)[0]})
    assert (await matches.get(kept.id)).match == match


async def test_two_processes_play_due_matches_without_conflict(
    link: Link, house: BotProcesses, bot_turns: BotTurns, redis: Client
) -> None:
    one, two = Matches(link), Matches(link)
    made = [await one.create("splito", [GREEDY, GREEDY]) for _ in range(6)]
    for kept in made:
        await pass_time(redis, kept.id, 5)
    async with attending(one, house, bot_turns), attending(two, house, bot_turns):
        for kept in made:
            await until(lambda kept=kept: _over(one, kept.id))


async def test_a_due_match_is_claimed_by_one_process_at_a_time(matches: Matches, redis: Client) -> None:
    kept = await matches.create("splito", [ANN, GREEDY])
    await pass_time(redis, kept.id, 5)
    _, claimed = await matches.due(1000)
    _, again = await matches.due(1000)
    assert kept.id in claimed
    assert kept.id not in again


async def test_a_plan_made_from_an_outdated_match_is_not_stored(matches: Matches) -> None:
    kept = await matches.create("splito", [ANN, BOB])
    await matches.seal(kept.id, first_move(kept, 0))
    assert not await matches.plan(kept.id, kept.change, None)
    assert await matches.plan(kept.id, kept.change + 1, None)


async def test_a_match_of_another_rule_version_stays_due_for_processes_that_have_it(
    link: Link, house: BotProcesses, bot_turns: BotTurns, redis: Client, caplog: pytest.LogCaptureFixture
) -> None:
    matches = Matches(link)
    kept = await matches.create("splito", [ANN, GREEDY])
    newer = msgspec.structs.replace(kept.deal, version="9.9")
    await redis.hset(f"match:{{{kept.id}}}", "deal", msgspec.json.encode(newer))
    async with attending(Matches(link), house, bot_turns) as autoplay:
        for _ in range(3):
            await pass_time(redis, kept.id, 5)
            await autoplay.sweep_once()
        assert await redis.zscore("due", kept.id) > 0
    assert [kept.id in line for line in caplog.messages].count(True) == 1, "it is logged once"
    await redis.hset(f"match:{{{kept.id}}}", "deal", msgspec.json.encode(kept.deal))  # for this process has the rules
    await pass_time(redis, kept.id, 5)
    async with attending(Matches(link), house, bot_turns):
        await until(lambda: _sealed(matches, kept.id, frozenset({1})))
        await until(lambda: _not_due(redis, kept.id))


async def test_a_match_that_cannot_be_read_does_not_delay_other_matches(
    matches: Matches, link: Link, house: BotProcesses, bot_turns: BotTurns, redis: Client
) -> None:
    broken, whole = [await matches.create("splito", [ANN, GREEDY]) for _ in range(2)]
    await redis.hset(f"match:{{{broken.id}}}", "deal", "?")
    await redis.hincrby(f"match:{{{broken.id}}}", "change", 1)
    await redis.zadd("due", {broken.id: -2, whole.id: -1})  # the broken one is looked at first
    async with attending(Matches(link), house, bot_turns):
        await until(lambda: _sealed(matches, whole.id, frozenset({1})))
    assert await redis.zscore("due", broken.id) > 0
    await redis.delete(f"match:{{{broken.id}}}")


async def test_a_deleted_match_is_removed_from_the_due_list(
    matches: Matches, house: BotProcesses, bot_turns: BotTurns, redis: Client
) -> None:
    await redis.zadd("due", {"gone": 0})
    async with attending(matches, house, bot_turns):
        await until(lambda: _not_due(redis, "gone"))


async def _over(matches: Matches, match_id: str) -> bool:
    return (await matches.get(match_id)).over


async def _turn(matches: Matches, match_id: str, turn: int) -> bool:
    return (await matches.get(match_id)).turn == turn


async def _sealed(matches: Matches, match_id: str, seats: frozenset[int]) -> bool:
    return (await matches.get(match_id)).sealed == seats


async def _not_due(redis: Client, match_id: str) -> bool:
    return await redis.zscore("due", match_id) is None
