"""Bots that live in processes of their own, and what their tests look at: positions, process ids, outcomes."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from splito_arena.bots.direct import Bot, ask_bot
from splito_arena.bots.find import find_bot
from splito_arena.match.question import History, Question, question
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import Time
from splito_engine.registry import find_game

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


def position(game: str = "splitter", seed: str = "7", turns: int = 0) -> Match:
    match = start(find_game(game), PLAYERS[game], seed)
    for _ in range(turns):
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return match


def here(match: Match, seat: int, bot: str) -> Any:
    """Return the move of the bot when it is asked in this process."""
    return ask_bot(match, seat, Bot(bot, find_bot(bot)))


def pids(bots: Path) -> list[int]:
    """Return a process id for each question that a bot has begun to think about."""
    file = bots / "pids"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


async def begun(bots: Path, count: int = 1) -> None:
    """Wait until that many questions have reached our bots."""
    await asyncio.to_thread(until, lambda: len(pids(bots)) >= count)


def asking(match: Match, seat: int = 0, milliseconds: int | None = 20_000) -> Question:
    time = None if milliseconds is None else Time(milliseconds, milliseconds, 0)
    return question(match, seat, "m", History(), time=time)
