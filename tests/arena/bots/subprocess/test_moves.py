"""Moves of bots in processes: the same as in this process, the default move for a bot that fails, and fair turns."""

import asyncio
import logging
import sys
from pathlib import Path

import pytest

from splito_arena.bots.direct import HOUSE
from splito_arena.bots.find import check_bot
from splito_arena.bots.subprocess import BotProcesses, Priority
from splito_engine.errors import BadBot, NotYourTurn
from splito_engine.match import legal_moves
from tests.arena.bots.subprocess.bot_processes import PLAYERS, begun, here, pids, position

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]


@pytest.mark.parametrize("game", PLAYERS)
async def test_house_bots_play_the_same_moves_in_a_process_as_in_this_one(game: str) -> None:
    async with BotProcesses() as house:
        for match in (position(game, turns=turns) for turns in (0, 3)):
            for bot in HOUSE:
                for seat in match.actors:
                    assert await house.choose(match, seat, bot) == here(match, seat, bot)


async def test_the_event_loop_runs_on_while_a_bot_thinks(bots: Path) -> None:
    match, ticks = position(), 0
    async with BotProcesses(limit=60) as house, asyncio.TaskGroup() as tasks:
        thought = tasks.create_task(house.choose(match, 0, "thinks"))
        await begun(bots)
        while ticks < 1000:
            assert not thought.done()
            await asyncio.sleep(0)
            ticks += 1
        (bots / "enough").touch()
        assert await thought == legal_moves(match, 0)[-1]


async def test_two_hundred_calls_at_once_each_get_their_own_move() -> None:
    questions = [(position("splito", str(number)), number % 4) for number in range(200)]
    async with BotProcesses(workers=2) as house:
        answers = await asyncio.gather(*(house.choose(match, seat, "random") for match, seat in questions))
    assert answers == [here(match, seat, "random") for match, seat in questions]


@pytest.mark.parametrize("bot", ["turns_the_list_round", "talks"])
async def test_a_bot_may_change_its_list_of_moves_and_send_a_nudge(bot: str, caplog: pytest.LogCaptureFixture) -> None:
    match = position()
    async with BotProcesses() as house:
        for seat in match.actors:
            assert await house.choose(match, seat, bot) == legal_moves(match, seat)[-1]
    assert not caplog.records


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ("fails", "failed with ValueError at"),
        ("leaves", "failed with SystemExit at"),
        ("declines", "failed with BadBot at"),
        ("answers_nothing", "its answer is not one of its moves"),
        ("invents", "failed with RuntimeError at"),
        ("broken", "bot 'broken' (bots_of_the_test:no_such_function) cannot be loaded: AttributeError"),
        ("nobody", "no bot 'nobody' here to play splito"),
        ("splito_house.random:choose", "no bot 'splito_house.random:choose' here to play splito"),
    ],
)
async def test_a_bot_that_fails_gets_the_default_move_and_its_process_is_kept(
    bot: str, said: str, bots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match = position("splito", turns=2)
    async with BotProcesses() as house:
        for asked in ("last", bot, "last"):
            expected = legal_moves(match, 1)[0 if asked == bot else -1]
            assert await house.choose(match, 1, asked) == expected
    assert len({*pids(bots)}) == 1
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("splito.house", logging.WARNING)
    assert record.message.startswith(f"bot {bot!r} in splito, turn 2, seat 1: {said}")
    assert record.message.endswith("; the default move is played")
    assert "I hold" not in record.message


async def test_a_seat_with_nothing_to_decide_raises_not_your_turn() -> None:
    async with BotProcesses() as house:
        with pytest.raises(NotYourTurn):
            await house.choose(position(), 2, "random")


@pytest.mark.parametrize("game", PLAYERS)
def test_every_installed_house_bot_passes_the_check_of_its_name(game: str) -> None:
    for bot in HOUSE:
        check_bot(bot, game)


@pytest.mark.parametrize("bot", ["nobody", "", "splito_house.random:choose", "os:getcwd", "random "])
def test_an_unknown_bot_name_is_refused_with_the_list_of_known_ones(bot: str) -> None:
    with pytest.raises(BadBot, match=r"there are: .*greedy.*planner.*random") as caught:
        check_bot(bot, "splito")
    assert (caught.value.code, caught.value.field) == ("bad-bot", "bot")


async def served_in(questions: list[tuple[str, Priority]]) -> list[str]:
    """Return the labels of the questions in the order of their answers; one process has all of them to answer."""
    match, order = position(), list[str]()

    async def ask(label: str, priority: Priority) -> None:
        await house.choose(match, 0, "last", priority)
        order.append(label)

    async with BotProcesses() as house:
        await asyncio.gather(*(ask(*question) for question in questions))
    return order


async def test_a_match_with_a_person_is_served_before_a_flood_of_other_calls() -> None:
    flood = [("stranger", Priority("stranger"))] * 40
    order = await served_in([*flood, ("person", Priority("client", urgent=True))])
    assert order.index("person") <= 1, "after the question that had a process already"


async def test_clients_of_the_same_priority_are_served_in_turn() -> None:
    flood = [("stranger", Priority("stranger", urgent=True))] * 40
    order = await served_in([*flood, *[("person", Priority("client", urgent=True))] * 3])
    assert [at for at, label in enumerate(order) if label == "person"][-1] <= 7


async def test_matches_without_people_are_served_among_many_with_people() -> None:
    people = [("person", Priority("client", urgent=True))] * 40
    order = await served_in([*people, *[("bots", Priority("other"))] * 3])
    assert [at for at, label in enumerate(order) if label == "bots"][-1] <= 13
