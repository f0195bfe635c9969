"""A client that watches receives every turn once and in order, and the end; a client that comes back misses nothing."""

import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.service.matches.test_api import GREEDY, OPEN, PERSON, Table, persons, problem
from tests.service.process import kill_redis, running

UNAVAILABLE = 503


class Told(msgspec.Struct):
    id: str
    event: str
    data: Any


def read_events(lines: Iterator[str]) -> Iterator[Told]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            yield Told(fields["id"], fields["event"], msgspec.json.decode(fields["data"]))
            fields = {}


def stream(api: httpx.Client, path: str, last: str | None = None) -> Iterator[Told]:
    headers = {"Last-Event-ID": last} if last else {}
    with api.stream("GET", f"{path}/events", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield from read_events(answer.iter_lines())


def watch(api: httpx.Client, path: str, last: str | None = None, limit: int = 10_000) -> list[Told]:
    """Return the events until the stream ends or `limit` events have arrived."""
    return [*islice(stream(api, path, last), limit)]


class Watcher(threading.Thread):
    def __init__(self, url: str, path: str) -> None:
        super().__init__()
        self.url, self.path, self.told, self.watching = url, path, list[Told](), threading.Event()
        self.start()
        assert self.watching.wait(60)

    def run(self) -> None:
        with httpx.Client(base_url=self.url, timeout=60) as api:
            for told in stream(api, self.path):
                self.told.append(told)
                self.watching.set()


def turns_of(told: list[Told]) -> list[int]:
    return [event.data["turn"] for event in told if event.event == "turn"]


def test_a_watcher_from_the_start_receives_every_event_once(api: httpx.Client, service: str) -> None:
    table = Table(api, "splito", [PERSON, OPEN, *persons(1)])
    watchers = [Watcher(service, table.path) for _ in range(3)]
    joined = api.post(f"{table.path}/seats", json={"name": "Bob"}).json()
    table.tokens[1] = joined["token"]
    over = table.play_out()
    for watcher in watchers:
        watcher.join()
        assert turns_of(watcher.told) == [*range(13)]
        kinds = [event.event for event in watcher.told]
        assert kinds[0] == "seats"
        assert kinds[-1] == "over"
        assert watcher.told[-1].data["scores"] == over["scores"]
    revealed = api.get(f"{table.path}/turns").json()["turns"]
    assert [event.data for event in watchers[0].told if event.event == "turn"] == revealed


def test_a_watcher_that_reconnects_receives_the_missing_turns_even_after_the_end(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    for _ in range(3):
        table.play_turn()
    first = watch(api, table.path, limit=3)
    assert [event.event for event in first] == ["seats", "turn", "turn"]
    second = watch(api, table.path, first[-1].id, limit=1)
    assert turns_of(second) == [2]
    table.play_out()
    rest = watch(api, table.path, second[-1].id)
    assert turns_of(rest) == [*range(3, 26)]
    done = api.get(f"{table.path}/events", headers={"Last-Event-ID": rest[-1].id})
    assert (done.status_code, done.content) == (204, b"")
    assert turns_of(watch(api, table.path)) == [*range(26)]
    assert turns_of(_from(api, table.path, 23)) == [24, 25]


def _from(api: httpx.Client, path: str, after: int) -> list[Told]:
    with api.stream("GET", f"{path}/events?after={after}") as answer:
        return list(read_events(answer.iter_lines()))


def test_a_watcher_that_reconnects_receives_changed_seats(api: httpx.Client) -> None:
    table = Table(api, "splito", [PERSON, OPEN, OPEN])
    (seats,) = watch(api, table.path, limit=1)
    assert [seat["kind"] for seat in seats.data["seats"]] == ["person", "open", "open"]
    api.post(f"{table.path}/seats", json={"name": "Bob"})
    (changed,) = watch(api, table.path, seats.id, limit=1)
    assert [seat["kind"] for seat in changed.data["seats"]] == ["person", "person", "open"]


def test_a_sealed_move_is_not_shown_before_the_turn_is_revealed(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(3))
    before = {seat: api.get(table.path, headers=table.auth(seat)).json() for seat in (1, 2)}
    chosen = table.get(0)["legal_moves"][7]
    table.seal(0, 0, chosen)
    for seat, view in before.items():
        assert table.get(seat) == {**view, "sealed": [0]}, "other seats see only that seat 0 has sealed a move"
    public = table.get()
    assert public["sealed"] == [0]
    assert f'"{chosen["card"]}"'.encode() not in _without_commons(public)  # bare, it may be in the commitment by chance
    assert api.get(f"{table.path}/turns").json() == {"turns": []}
    assert turns_of(watch(api, table.path, limit=1)) == []


def _without_commons(match: Any) -> bytes:
    match["view"]["commons"] = []
    return msgspec.json.encode(match)


def test_a_spectator_sees_no_hand_before_the_end(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(4))
    for _ in range(12):
        hands = [hand for seat in range(4) for hand in table.get(seat)["view"]["seats"][seat]["hand"]]
        public = table.get()
        assert hands
        assert all(seat["hand"] is None for seat in public["view"]["seats"])
        assert public["legal_moves"] == []
        table.play_turn()


def test_an_invalid_last_event_id_is_refused(api: httpx.Client) -> None:
    path = Table(api, "splito", persons(2)).path
    for last in ("x", "1", "-1-00000000", "1-zz", "1-00000000-never", "9" * 50 + "-0"):
        problem(api.get(f"{path}/events", headers={"Last-Event-ID": last}), 400, "bad-request")


def test_an_event_stream_survives_a_restart_of_redis(tmp_path: Path) -> None:
    with (
        open_server(tmp_path, "always") as server,
        running(server.url) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        table = Table(api, "splito", [PERSON, GREEDY])
        watcher = Watcher(process.url, table.path)
        kill_redis(server)
        process.wait_until_ready()
        while api.get(table.path).status_code == UNAVAILABLE:  # the readiness may be a second old
            time.sleep(0.02)
        turn = -1
        while (own := table.get(0, f"?after={turn}&wait=30"))["status"] != "over":
            turn = own["turn"]
            table.seal(turn, 0, own["legal_moves"][0])
        watcher.join()
        assert turns_of(watcher.told) == [*range(26)]


@pytest.mark.parametrize("after", [-1, 0])
def test_an_event_stream_may_begin_after_a_given_turn(api: httpx.Client, after: int) -> None:
    table = Table(api, "splito", persons(2))
    for _ in range(2):
        table.play_turn()
    with api.stream("GET", f"{table.path}/events?after={after}") as answer:
        events = read_events(answer.iter_lines())
        assert next(events).event == "seats"
        assert next(events).data["turn"] == after + 1
