"""Many processes, hundreds of matches, `kill -9` at any instant: nothing that was acknowledged is lost or changed."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic

from engine.record import encode, verify
from service.embedded import open_server
from service.store.connection import connect
from service.store.matches import Matches

GAMES = {"splito": 4, "splitit": 3, "splitter": 2}
MATCHES, PROCESSES, KILLS = 150, 4, 12


async def created(url: str, count: int) -> list[str]:
    async with connect(url) as redis:
        matches = Matches(redis)
        made = [
            await matches.create(game, tuple(f"seat {seat}" for seat in range(players)), seed=f"chaos/{number}")
            for number in range(count // len(GAMES))
            for game, players in GAMES.items()
        ]
    return [match_id for match_id, _ in made]


async def process_id(url: str) -> int:
    async with connect(url) as redis:
        return (await redis.info("server"))["process_id"]


def players(url: str, folder: Path, ids: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Ever new processes, each with a journal of its own."""
    number = 0
    while True:
        journal = folder / f"journal-{number}"
        command = [sys.executable, "-m", "tests.service.chaos", url, str(journal), str(number), *ids]
        yield subprocess.Popen(command)  # noqa: S603 (our own)
        number += 1


def acknowledged(folder: Path) -> list[tuple[str, int, int, str]]:
    """Every complete line of every journal; a killed process may have been cut off in its last one."""
    lines = [line for path in folder.glob("journal-*") for line in path.read_text().split("\n")[:-1]]
    return [tuple(json.loads(line)) for line in lines]


def _wait_for_lines(folder: Path, at_least: int) -> None:
    """Until so many more moves have been acknowledged."""
    begin, deadline = len(acknowledged(folder)), monotonic() + 60
    while len(acknowledged(folder)) < begin + at_least:
        assert monotonic() < deadline, "nobody plays on"


async def checked(url: str, ids: list[str], acks: list[tuple[str, int, int, str]]) -> int:
    async with connect(url) as redis:
        matches = Matches(redis)
        turns = 0
        records = {match_id: await matches.record(match_id) for match_id in ids}
        for match_id, record in records.items():
            verify(encode(record))
            *revealed, over = [fields for _, fields in await redis.xrange(f"match:{{{match_id}}}:events")]
            assert [int(fields[b"turn"]) for fields in revealed] == [*range(len(record.turns))]
            assert over == {b"over": str(len(record.turns)).encode()}
            turns += len(record.turns)
        replayed = {match_id: (await matches.get(match_id)).match for match_id in ids}
    for match_id, turn, seat, text in acks:
        match = replayed[match_id]
        assert match.game.move_text(match.turns[turn].moves[seat]) == text
    return turns


def test_an_acknowledged_move_is_never_lost_or_changed(redis_url: str, tmp_path: Path) -> None:
    ids, rng = asyncio.run(created(redis_url, MATCHES)), Random("kills")
    source = players(redis_url, tmp_path, ids)
    running = [next(source) for _ in range(PROCESSES)]
    for _ in range(KILLS):
        victim = rng.randrange(PROCESSES)
        _wait_for_lines(tmp_path, at_least=rng.randint(100, 500))
        assert running[victim].poll() is None, "the matches were over before the killing was"
        running[victim].kill()
        running[victim].wait()
        running[victim] = next(source)
    _check_all(redis_url, tmp_path, ids, running)


def test_with_always_the_death_of_the_server_loses_nothing_acknowledged(tmp_path: Path) -> None:
    with open_server(tmp_path / "data", "always") as server:
        ids = asyncio.run(created(server.url, 30))
        source = players(server.url, tmp_path, ids)
        running = [next(source) for _ in range(2)]
        for _ in range(3):
            _wait_for_lines(tmp_path, at_least=60)
            os.kill(asyncio.run(process_id(server.url)), signal.SIGKILL)
            server.ensure()
        _check_all(server.url, tmp_path, ids, running)


def _check_all(url: str, folder: Path, ids: list[str], running: "list[subprocess.Popen[bytes]]") -> None:
    assert [process.wait() for process in running] == [0] * len(running)
    acks = acknowledged(folder)
    turns = asyncio.run(checked(url, ids, acks))
    assert len(acks) > turns > 0
