"""Processes of bots are killed, replaced and ended; no process is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from splito_arena.bots.subprocess import BotProcesses
from splito_engine.match import legal_moves
from tests.arena.bots.subprocess.bot_processes import begun, here, pids, position, running, until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]

SERVICE = """
import asyncio, sys
from splito_engine.match import start
from splito_engine.registry import find_game
from splito_arena.bots.subprocess import BotProcesses

async def main():
    match = start(find_game("splitter"), 2, "7")
    async with BotProcesses(workers=2) as house:
        await asyncio.gather(*(house.choose(match, seat, sys.argv[1]) for seat in range(2)))

asyncio.run(main())
"""


def all_buried(bots: Path) -> bool:
    """Not even a zombie is left."""
    return not any(Path(f"/proc/{pid}").exists() for pid in pids(bots))


@pytest.mark.parametrize("bot", ["exits", "kills_itself"])
async def test_a_bot_that_ends_its_process_is_asked_once_more_in_another_process(
    bot: str, bots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses() as house:
        answers = await asyncio.gather(*(house.choose(match, 0, name) for name in (bot, "last", "last")))
    assert answers == [legal_moves(match, 0)[place] for place in (0, -1, -1)]
    first, second, *others = pids(bots)
    assert len({first, second, *others}) == 3
    assert [record.message.rpartition(": ")[2] for record in caplog.records] == [
        "its process ended; it is asked again",
        "its process ended; the default move is played",
    ]


async def test_a_bot_whose_process_dies_once_still_plays_its_own_move(bots: Path) -> None:
    match = position()
    async with BotProcesses() as house:
        assert await house.choose(match, 0, "dies_once") == legal_moves(match, 0)[-1]
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert len({*pids(bots)}) == 2


async def test_a_killed_idle_process_is_replaced_without_a_default_move(
    bots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses(workers=2) as house:
        thinking = [asyncio.create_task(house.choose(match, seat, "thinks")) for seat in match.actors]
        await begun(bots, 2)
        (bots / "enough").touch()
        await asyncio.gather(*thinking)
        for pid in pids(bots):
            os.kill(pid, signal.SIGKILL)
        for seat in match.actors:
            assert await house.choose(match, seat, "last") == legal_moves(match, seat)[-1]
    assert ["asked again" in record.message for record in caplog.records] == [True]


@pytest.mark.parametrize("bot", ["thinks_for_ever", "thinks_for_ever_in_c"])
async def test_the_process_of_a_hanging_bot_is_killed_and_other_bots_keep_their_moves(
    bot: str, bots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses(limit=2) as house:
        answers = await asyncio.gather(*(house.choose(match, 0, name) for name in (bot, "last", "last", "random")))
        hung, *others = pids(bots)
        assert hung not in others
        until(lambda: not running(hung))
    assert answers == [*(legal_moves(match, 0)[place] for place in (0, -1, -1)), here(match, 0, "random")]
    (record,) = caplog.records
    assert (
        record.message == f"bot {bot!r} in splitter, turn 0, seat 0: no answer within 2 s; the default move is played"
    )


async def test_a_cancelled_call_ends_its_process_and_leaves_other_calls_alone(
    bots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses(limit=60) as house:
        thinking, waiting, other = (
            asyncio.create_task(house.choose(match, 1, name)) for name in ("thinks_for_ever", "last", "last")
        )
        await begun(bots)
        waiting.cancel()
        thinking.cancel()
        assert await other == legal_moves(match, 1)[-1]
        await asyncio.to_thread(until, lambda: not running(pids(bots)[0]))
        assert await house.choose(match, 1, "last") == legal_moves(match, 1)[-1]
    assert thinking.cancelled()
    assert waiting.cancelled()
    assert len(pids(bots)) == 3
    assert not caplog.records


async def test_a_call_can_be_cancelled_before_its_process_has_started() -> None:
    match = position()
    async with BotProcesses() as house:
        asking = asyncio.create_task(house.choose(match, 0, "last"))
        await asyncio.sleep(0)
        asking.cancel()
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert asking.cancelled()


async def test_a_process_that_cannot_be_started_is_logged_and_the_default_move_played(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses() as house:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/nowhere/python")
            assert await house.choose(match, 0, "last") == legal_moves(match, 0)[0]
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert ["/nowhere/python" in record.message for record in caplog.records] == [True, True]


async def test_ctrl_c_in_the_terminal_does_not_stop_a_bot_process(bots: Path) -> None:
    match = position()
    async with BotProcesses() as house:
        await house.choose(match, 0, "last")
        (pid,) = pids(bots)
        assert os.getsid(pid) != os.getsid(0)
        os.kill(pid, signal.SIGINT)
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert pids(bots) == [pid, pid]


async def test_no_process_is_left_after_the_context_ends(bots: Path) -> None:
    match = position()
    async with BotProcesses(workers=2) as house:
        await asyncio.gather(*(house.choose(match, seat, "last") for seat in match.actors for _ in range(20)))
        assert any(running(pid) for pid in pids(bots))
    assert all_buried(bots)


async def test_calls_that_wait_when_the_context_ends_raise_an_error_instead_of_a_default_move(
    bots: Path, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses(limit=60) as house:
        asking = [asyncio.create_task(house.choose(match, 0, "thinks_for_ever")) for _ in range(3)]
        await begun(bots)
    ends = await asyncio.gather(*asking, house.choose(match, 0, "last"), return_exceptions=True)
    assert [str(end) for end in ends] == ["the house is closed"] * 4
    assert all_buried(bots)
    assert not caplog.records


@pytest.mark.parametrize("bot", ["thinks_for_ever", "thinks_for_ever_in_c"])
def test_no_process_is_left_when_the_service_is_killed(bot: str, bots: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SERVICE, bot]) as service:
        until(lambda: len(pids(bots)) == 2)
        assert all(running(pid) for pid in pids(bots))
        service.kill()
    until(lambda: not any(running(pid) for pid in pids(bots)))
