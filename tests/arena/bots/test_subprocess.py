"""The house, as it is: real bots in real processes, some of them really killed."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splito_arena.bots.direct import HOUSE, Bot, ask_bot
from splito_arena.bots.find import check_bot, find_bot
from splito_arena.bots.subprocess import BotProcesses, Housed, Priority
from splito_arena.faults import Fault
from splito_arena.match.player import AskOutcome, asked
from splito_arena.match.question import History, Question, question
from splito_engine.errors import BadBot, NotYourTurn
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import Answer, Time
from splito_engine.registry import find_game

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]

PLAYERS = {"splito": 4, "splitit": 3, "splitter": 2}

BOTS = """
import os, signal, sys
from pathlib import Path

HERE = Path(__file__).parent

def last(ask):
    with (HERE / "pids").open("a") as pids:
        pids.write(f"{os.getpid()}\\n")
    return ask.moves[-1]

def turns_the_list_round(ask):
    ask.moves.reverse()
    return ask.moves[0]

def talks(ask):
    print("nonsense", flush=True)
    assert sys.stdin.read() == ""
    return ask.moves[-1]

def fails(ask):
    raise ValueError(f"I hold {ask.view}")

def leaves(ask):
    sys.exit(0)

def declines(ask):
    from splito_engine.errors import BadBot
    raise BadBot("I only play chess")

def answers_nothing(ask):
    return None

def invents(ask):
    class Agreeable:
        def __eq__(self, other):
            raise RuntimeError("do not compare me")
    return Agreeable()

def thinks(ask):
    last(ask)
    while not (HERE / "enough").exists():
        sum(number for number in range(1000))
    return ask.moves[-1]

def thinks_for_ever(ask):
    last(ask)
    while True:
        pass

def thinks_for_ever_in_c(ask):
    last(ask)
    sum(range(10**15))  # no other thread of the process gets a turn

def exits(ask):
    last(ask)
    os._exit(0)

def kills_itself(ask):
    last(ask)
    os.kill(os.getpid(), signal.SIGKILL)

def explains(ask):
    from splito_engine.player import Answer
    return Answer(ask.moves[-1], nudge=ask.nudges[0], debug="x" * 2000)

def dies_once(ask):
    if not (HERE / "pids").exists():
        kills_itself(ask)
    return ask.moves[-1]
"""

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


@pytest.fixture(params=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Both loops that the service may run on."""
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


@pytest.fixture(autouse=True)
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bots above, installed for every process that starts from now on."""
    names = [line[4:].partition("(")[0] for line in BOTS.splitlines() if line.startswith("def ")]
    entries = [f"{name} = bots_of_the_test:{name}\n" for name in names]
    installed = tmp_path / "bots_of_the_test-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: bots-of-the-test\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        f"[splito.bots]\n{''.join(entries)}broken = bots_of_the_test:no_such_function\n"
    )
    (tmp_path / "bots_of_the_test.py").write_text(BOTS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


def position(game: str = "splitter", seed: str = "7", turns: int = 0) -> Match:
    match = start(find_game(game), PLAYERS[game], seed)
    for _ in range(turns):
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return match


def here(match: Match, seat: int, bot: str) -> Any:
    """Return the move of the bot when it is asked in this process."""
    return ask_bot(match, seat, Bot(bot, find_bot(bot)))


def pids(bots: Path) -> list[int]:
    """Of the processes of our bots, one for each question that one of them has begun to think about."""
    file = bots / "pids"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def all_buried(bots: Path) -> bool:
    """Not even a zombie is left."""
    return not any(Path(f"/proc/{pid}").exists() for pid in pids(bots))


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


async def begun(bots: Path, count: int = 1) -> None:
    """So many questions have reached our bots."""
    await asyncio.to_thread(until, lambda: len(pids(bots)) >= count)


@pytest.mark.parametrize("game", PLAYERS)
async def test_house_bots_play_as_they_do_at_a_table(game: str) -> None:
    async with BotProcesses() as house:
        for match in (position(game, turns=turns) for turns in (0, 3)):
            for bot in HOUSE:
                for seat in match.actors:
                    assert await house.choose(match, seat, bot) == here(match, seat, bot)


async def test_the_loop_goes_on_while_a_bot_thinks(bots: Path) -> None:
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


async def test_two_hundred_questions_at_once() -> None:
    questions = [(position("splito", str(number)), number % 4) for number in range(200)]
    async with BotProcesses(workers=2) as house:
        answers = await asyncio.gather(*(house.choose(match, seat, "random") for match, seat in questions))
    assert answers == [here(match, seat, "random") for match, seat in questions]


@pytest.mark.parametrize("bot", ["turns_the_list_round", "talks"])
async def test_odd_habits_are_no_fault(bot: str, caplog: pytest.LogCaptureFixture) -> None:
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
async def test_without_a_move_the_default_is_played_and_the_process_kept(
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


@pytest.mark.parametrize("bot", ["exits", "kills_itself"])
async def test_who_ends_the_process_is_asked_once_more_elsewhere(
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


async def test_one_death_costs_nobody_a_move(bots: Path) -> None:
    match = position()
    async with BotProcesses() as house:
        assert await house.choose(match, 0, "dies_once") == legal_moves(match, 0)[-1]
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert len({*pids(bots)}) == 2


async def test_idle_processes_may_be_killed(bots: Path, caplog: pytest.LogCaptureFixture) -> None:
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
async def test_who_hangs_is_killed_and_nobody_else_pays(bot: str, bots: Path, caplog: pytest.LogCaptureFixture) -> None:
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


async def test_a_caller_that_gives_up_disturbs_nobody(bots: Path, caplog: pytest.LogCaptureFixture) -> None:
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


async def test_a_caller_may_give_up_before_the_process_has_started() -> None:
    match = position()
    async with BotProcesses() as house:
        asking = asyncio.create_task(house.choose(match, 0, "last"))
        await asyncio.sleep(0)
        asking.cancel()
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert asking.cancelled()


async def test_a_house_that_cannot_start_a_process_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    match = position()
    async with BotProcesses() as house:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/nowhere/python")
            assert await house.choose(match, 0, "last") == legal_moves(match, 0)[0]
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert ["/nowhere/python" in record.message for record in caplog.records] == [True, True]


async def test_the_terminal_cannot_stop_a_process(bots: Path) -> None:
    match = position()
    async with BotProcesses() as house:
        await house.choose(match, 0, "last")
        (pid,) = pids(bots)
        assert os.getsid(pid) != os.getsid(0)
        os.kill(pid, signal.SIGINT)
        assert await house.choose(match, 0, "last") == legal_moves(match, 0)[-1]
    assert pids(bots) == [pid, pid]


async def test_no_process_is_left_when_the_house_is(bots: Path) -> None:
    match = position()
    async with BotProcesses(workers=2) as house:
        await asyncio.gather(*(house.choose(match, seat, "last") for seat in match.actors for _ in range(20)))
        assert any(running(pid) for pid in pids(bots))
    assert all_buried(bots)


async def test_leaving_ends_all_questions_without_a_default_move(bots: Path, caplog: pytest.LogCaptureFixture) -> None:
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


async def test_who_has_nothing_to_decide_is_not_asked() -> None:
    async with BotProcesses() as house:
        with pytest.raises(NotYourTurn):
            await house.choose(position(), 2, "random")


@pytest.mark.parametrize("game", PLAYERS)
def test_installed_bots_may_be_chosen(game: str) -> None:
    for bot in HOUSE:
        check_bot(bot, game)


@pytest.mark.parametrize("bot", ["nobody", "", "splito_house.random:choose", "os:getcwd", "random "])
def test_other_names_are_refused_with_the_known_ones(bot: str) -> None:
    with pytest.raises(BadBot, match=r"there are: .*greedy.*planner.*random") as caught:
        check_bot(bot, "splito")
    assert (caught.value.code, caught.value.field) == ("bad-bot", "bot")


def asking(match: Match, seat: int = 0, milliseconds: int | None = 20_000) -> Question:
    time = None if milliseconds is None else Time(milliseconds, milliseconds, 0)
    return question(match, seat, "m", History(), time=time)


async def heard(bot: str, match: Match, milliseconds: int = 20_000) -> AskOutcome:
    async with BotProcesses(anywhere=":" in bot) as house:
        return await asked(Housed(house, bot), asking(match, milliseconds=milliseconds))


@pytest.mark.parametrize("game", PLAYERS)
async def test_a_housed_bot_answers_as_it_does_at_a_table(game: str) -> None:
    match = position(game, turns=2)
    async with BotProcesses() as house:
        for bot in HOUSE:
            asked_now = asking(match, match.actors[0])
            came = await asked(Housed(house, bot), asked_now)
            assert came.answer == Answer(find_bot(bot)(asked_now.ask))
            assert came.elapsed > 0


async def test_what_a_bot_says_with_its_move_travels_too() -> None:
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
async def test_what_a_housed_bot_does_wrong_is_a_fault_that_its_owner_understands(
    bot: str, code: str, said: str
) -> None:
    fault = (await heard(bot, position())).answer
    assert isinstance(fault, Fault)
    assert fault.code == code
    assert said in str(fault)


@pytest.mark.parametrize("bot", ["thinks_for_ever", "thinks_for_ever_in_c"])
async def test_the_time_of_the_question_is_the_limit_and_ends_the_process(bot: str, bots: Path) -> None:
    match = position()
    async with BotProcesses(limit=60) as house:
        came = await asked(Housed(house, bot), asking(match, milliseconds=300))
        assert isinstance(came.answer, Fault)
        assert came.answer.code == "time-out"
        assert came.elapsed > 0.29  # a timer of uvloop may be a millisecond early
        until(lambda: not running(pids(bots)[0]))
        again = await asked(Housed(house, "last"), asking(match))
    assert again.answer == Answer(legal_moves(match, 0)[-1])


async def test_a_question_without_a_clock_has_the_limit_of_the_house() -> None:
    async with BotProcesses(limit=0.3) as house:
        came = await asked(Housed(house, "thinks_for_ever"), asking(position(), milliseconds=None))
    assert isinstance(came.answer, Fault)
    assert came.answer.code == "time-out"


async def test_to_import_a_bot_is_not_to_think(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(bots)])
    slow = "import time\nend = time.monotonic() + 1.0\nwhile time.monotonic() < end:\n    pass\n"
    (bots / "slow_to_import.py").write_text(slow + "def choose(ask):\n    return ask.moves[0]\n")
    match = position()
    came = await heard("slow_to_import:choose", match, milliseconds=900)
    assert came.answer == Answer(legal_moves(match, 0)[0])


async def test_functions_are_found_where_this_process_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text("def last(ask):\n    return ask.moves[-1]\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(elsewhere)])
    match = position()
    assert (await heard("mine:last", match)).answer == Answer(legal_moves(match, 0)[-1])


async def test_what_fails_on_our_side_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        came = await heard("last", position())
    assert isinstance(came.answer, Exception)
    assert not isinstance(came.answer, Fault)


async def test_whoever_waits_when_the_house_is_left_hears_of_it(bots: Path) -> None:
    async with BotProcesses(limit=60) as house:
        waiting = asyncio.create_task(asked(Housed(house, "thinks_for_ever"), asking(position())))
        await begun(bots)
    came = await waiting
    assert isinstance(came.answer, RuntimeError)


# Fairness


async def served_in(questions: list[tuple[str, Priority]]) -> list[str]:
    """Return the labels of the questions in the order of their answers; one process has all of them to answer."""
    match, order = position(), list[str]()

    async def ask(label: str, priority: Priority) -> None:
        await house.choose(match, 0, "last", priority)
        order.append(label)

    async with BotProcesses() as house:
        await asyncio.gather(*(ask(*question) for question in questions))
    return order


async def test_a_table_with_a_person_is_served_before_all_that_a_stranger_has_asked() -> None:
    flood = [("stranger", Priority("stranger"))] * 40
    order = await served_in([*flood, ("person", Priority("client", urgent=True))])
    assert order.index("person") <= 1, "after the question that had a process already"


async def test_clients_are_served_in_turn() -> None:
    flood = [("stranger", Priority("stranger", urgent=True))] * 40
    order = await served_in([*flood, *[("person", Priority("client", urgent=True))] * 3])
    assert [at for at, label in enumerate(order) if label == "person"][-1] <= 7


async def test_tables_without_people_are_not_starved() -> None:
    people = [("person", Priority("client", urgent=True))] * 40
    order = await served_in([*people, *[("bots", Priority("other"))] * 3])
    assert [at for at, label in enumerate(order) if label == "bots"][-1] <= 13
