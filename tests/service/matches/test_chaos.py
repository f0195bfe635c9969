"""Several service processes, hundreds of matches, `kill -9` at any instant: nothing acknowledged is lost or changed."""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from random import Random

import msgspec

from splito_engine.record import Record, verify
from splito_service.processes.embedded_redis import open_server
from tests.conftest import LONG_RUNS
from tests.service.chaos import Connections, Journal, Said, Table, misbehave, persist
from tests.service.process import kill_redis, running

SEATS = {
    "splito": [{"kind": "person", "name": name} for name in "ABC"] + [{"kind": "bot", "bot": "random"}],
    "splitit": [{"kind": "person", "name": name} for name in "ABC"],
    "splitter": [{"kind": "person", "name": name} for name in "AB"],
}
CLIENTS = 16
TABLES, KILLS, MOST_BETWEEN = (210, 8, 900) if LONG_RUNS else (90, 4, 500)
"""Matches, killed processes, and acknowledged moves between two kills; `make journeys` tries more."""
LIMIT = 240.0


async def make_tables(ports: list[int], count: int) -> list[Table]:
    connections, tables = Connections(ports, Random("tables")), list[Table]()
    for number in range(count):
        game = [*SEATS][number % len(SEATS)]
        _, made = await persist(connections, "POST", f"/v1/{game}/matches", None, {"seats": SEATS[game]})
        tables.append(Table(game, made["match"]["id"], made["tokens"]))
    connections.close()
    return tables


async def play(ports: list[int], tables: list[Table], journal: Journal, trouble: "asyncio.Task[None]") -> None:
    async with asyncio.timeout(LIMIT):
        await asyncio.gather(*(misbehave(ports, tables, f"client {number}", journal) for number in range(CLIENTS)))
        await trouble


async def enough(journal: Journal, more: int) -> None:
    goal = len(journal.acknowledged) + more
    while len(journal.acknowledged) < goal:  # noqa: ASYNC110 (the clients know nothing of us)
        await asyncio.sleep(0.01)


async def read_records(ports: list[int], tables: list[Table]) -> dict[str, Record]:
    connections = Connections(ports, Random("records"))
    records: dict[str, Record] = {}
    for table in tables:
        _, record = await persist(connections, "GET", f"{table.path}/record")
        records[table.id], _ = verify(msgspec.json.encode(record) + b"\n")
        _, told = await persist(connections, "GET", f"{table.path}/turns")
        assert [turn["turn"] for turn in told["turns"]] == [*range(len(records[table.id].turns))]
    connections.close()
    return records


def check_journal(tables: list[Table], records: dict[str, Record], journal: Journal) -> None:
    """Check that the match has every acknowledged move, and that each move of a person was sent by its client."""
    moves: dict[tuple[str, int, int], str] = {}
    for table in tables:
        _, match = verify(msgspec.json.encode(records[table.id]) + b"\n")
        for number, turn in enumerate(match.turns):
            for seat, move in turn.moves.items():
                moves[table.id, number, seat] = msgspec.json.encode(move).decode()
    for said in journal.acknowledged:
        assert moves[said.match, said.turn, said.seat] == said.move
    persons = {(table.id, seat) for table in tables for seat, token in enumerate(table.tokens) if token}
    for (match_id, turn, seat), move in moves.items():
        assert (match_id, seat) not in persons or Said(match_id, turn, seat, move) in journal.sent


def test_an_acknowledged_move_is_never_lost_or_changed_whichever_process_is_killed(tmp_path: Path) -> None:
    journal = Journal()
    with open_server(tmp_path, "everysec") as server, ExitStack() as stack:
        processes = [stack.enter_context(running(server.url)) for _ in range(3)]
        ports = [process.port for process in processes]

        async def kill_now_and_then(rng: Random) -> None:
            for _ in range(KILLS):
                await enough(journal, rng.randint(200, MOST_BETWEEN))
                victim = rng.choice(processes)
                victim.kill()
                await asyncio.to_thread(victim.restart)

        async def main() -> tuple[list[Table], dict[str, Record]]:
            tables = await make_tables(ports, TABLES)
            await play(ports, tables, journal, asyncio.create_task(kill_now_and_then(Random("kills"))))
            return tables, await read_records(ports, tables)

        check_journal(*asyncio.run(main()), journal)


def test_with_fsync_always_a_killed_redis_loses_no_acknowledged_move(tmp_path: Path) -> None:
    journal = Journal()
    with open_server(tmp_path, "always") as server, running(server.url) as one, running(server.url) as two:
        ports = [one.port, two.port]

        async def kill_redis_now_and_then() -> None:
            for _ in range(3):
                await enough(journal, 150)
                await asyncio.to_thread(kill_redis, server)

        async def main() -> tuple[list[Table], dict[str, Record]]:
            tables = await make_tables(ports, 30)
            await play(ports, tables, journal, asyncio.create_task(kill_redis_now_and_then()))
            return tables, await read_records(ports, tables)

        check_journal(*asyncio.run(main()), journal)
