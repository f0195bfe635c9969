"""Answers of bots in processes as the referee gets them: moves, nudges, notes, faults and time-outs."""

import asyncio
import sys
from pathlib import Path

import pytest

from splito_arena.bots.direct import HOUSE
from splito_arena.bots.find import find_bot
from splito_arena.bots.subprocess import BotProcesses, Housed
from splito_arena.faults import Fault
from splito_arena.match.player import AskOutcome, asked
from splito_engine.match import Match, legal_moves, start
from splito_engine.player import Answer
from splito_engine.registry import find_game
from tests.arena.bots.subprocess.bot_processes import (
    PLAYERS,
    asking,
    begun,
    pids,
    position,
    running,
    until,
)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]


async def heard(bot: str, match: Match, milliseconds: int = 20_000) -> AskOutcome:
    async with BotProcesses(anywhere=":" in bot) as house:
        return await asked(Housed(house, bot), asking(match, milliseconds=milliseconds))


@pytest.mark.parametrize("game", PLAYERS)
async def test_a_bot_in_a_process_gives_the_same_answer_as_in_this_process(game: str) -> None:
    match = position(game, turns=2)
    async with BotProcesses() as house:
        for bot in HOUSE:
            asked_now = asking(match, match.actors[0])
            came = await asked(Housed(house, bot), asked_now)
            assert came.answer == Answer(find_bot(bot)(asked_now.ask))
            assert came.elapsed > 0


async def test_the_nudge_and_the_shortened_debug_note_come_with_the_move() -> None:
    match = start(find_game("splito"), 3, "7", {"talk": True})
    came = await heard("explains", match)
    nudge = match.game.nudges(match.state, 0)[0]
    assert came.answer == Answer(legal_moves(match, 0)[-1], nudge, "x" * 1024)


@pytest.mark.parametrize(
    ("bot", "code", "said"),
    [
        ("fails", "crashed", "failed with ValueError"),
        ("fails", "crashed", "I hold"),
        ("leaves", "crashed", "failed with SystemExit"),
        ("declines", "crashed", "I only play chess"),
        ("exits", "crashed", "its process ended"),
        ("broken", "crashed", "cannot be loaded: AttributeError"),
        ("nobody", "crashed", "no bot 'nobody'"),
        ("answers_nothing", "illegal-move", "None"),
    ],
)
async def test_a_failing_bot_gets_a_fault_that_names_the_reason(bot: str, code: str, said: str) -> None:
    fault = (await heard(bot, position())).answer
    assert isinstance(fault, Fault)
    assert fault.code == code
    assert said in str(fault)


@pytest.mark.parametrize("bot", ["thinks_for_ever", "thinks_for_ever_in_c"])
async def test_a_bot_that_exceeds_the_time_of_its_question_gets_a_time_out_and_its_process_ends(
    bot: str, bots: Path
) -> None:
    match = position()
    async with BotProcesses(limit=60) as house:
        came = await asked(Housed(house, bot), asking(match, milliseconds=300))
        assert isinstance(came.answer, Fault)
        assert came.answer.code == "time-out"
        assert came.elapsed > 0.29  # a timer of uvloop may be a millisecond early
        until(lambda: not any(map(running, pids(bots))))  # a busy machine may end it before it is asked
        again = await asked(Housed(house, "last"), asking(match))
    assert again.answer == Answer(legal_moves(match, 0)[-1])


async def test_a_question_without_a_clock_has_the_time_limit_of_the_processes() -> None:
    async with BotProcesses(limit=0.3) as house:
        came = await asked(Housed(house, "thinks_for_ever"), asking(position(), milliseconds=None))
    assert isinstance(came.answer, Fault)
    assert came.answer.code == "time-out"


async def test_the_time_to_import_a_bot_does_not_count_as_thinking_time(
    bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(bots)])
    slow = "import time\nend = time.monotonic() + 1.0\nwhile time.monotonic() < end:\n    pass\n"
    (bots / "slow_to_import.py").write_text(slow + "def choose(ask):\n    return ask.moves[0]\n")
    match = position()
    came = await heard("slow_to_import:choose", match, milliseconds=900)
    assert came.answer == Answer(legal_moves(match, 0)[0])


async def test_a_bot_process_imports_functions_from_the_same_path_as_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text("def last(ask):\n    return ask.moves[-1]\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(elsewhere)])
    match = position()
    assert (await heard("mine:last", match)).answer == Answer(legal_moves(match, 0)[-1])


async def test_a_process_that_cannot_start_is_an_error_of_the_arena_and_no_fault_of_the_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        came = await heard("last", position())
    assert isinstance(came.answer, Exception)
    assert not isinstance(came.answer, Fault)


async def test_a_question_that_waits_when_the_context_ends_gets_an_error(bots: Path) -> None:
    async with BotProcesses(limit=60) as house:
        waiting = asyncio.create_task(asked(Housed(house, "thinks_for_ever"), asking(position())))
        await begun(bots)
    came = await waiting
    assert isinstance(came.answer, RuntimeError)
