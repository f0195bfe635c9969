"""A match as it is watched: live, from its beginning or from anywhere, and through the death of the service."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from splito_bot import SPLITO, SPLITTER, Client, Event, NewBot, NewOpen, NewPerson, Over, Refused, Seats, Turn
from splito_bot.games.splito import SplitoMove
from splito_service.processes.embedded_redis import open_server
from tests.service.process import Process, running

TURNS = 13


@pytest.fixture
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A service that one test may kill, because no other test uses it."""
    with open_server(tmp_path_factory.mktemp("mortal")) as redis, running(redis.url) as service:
        yield service


def kinds(events: list[Event[SplitoMove]]) -> list[object]:
    """`seats`, the numbers of the turns, `over`."""
    return [event.news.turn if isinstance(event.news, Turn) else type(event.news).__name__.lower() for event in events]


def play(service: Process, match_id: str, token: str, turns: int) -> None:
    with Client(service.url) as client:
        for position in client.play(SPLITO, match_id, token):
            turns -= 1
            position.seal(position.legal_moves[0])
            if not turns:
                return


def watch(service: Process, match_id: str) -> list[Event[SplitoMove]]:
    with Client(service.url) as client:
        return list(client.events(SPLITO, match_id))


def test_a_watcher_misses_no_event_when_the_service_is_killed_and_restarted(mortal: Process) -> None:
    with Client(mortal.url) as client:
        created = client.create(SPLITO, [NewPerson("Ada"), NewBot("greedy"), NewBot("random")])
    match_id, token = created.match.id, created.token(0)
    with ThreadPoolExecutor() as threads:
        watcher = threads.submit(watch, mortal, match_id)
        try:
            for turns in (4, 3, TURNS):
                play(mortal, match_id, token, turns)
                mortal.kill()
                mortal.restart()
            assert kinds(watcher.result(60)) == ["seats", *range(TURNS), "over"]
        finally:
            with suppress(ProcessLookupError):
                mortal.kill()  # so that the watcher gives up, if it still waits


def test_a_late_watcher_gets_all_events(client: Client, service: Process) -> None:
    created = client.create(SPLITO, [NewPerson("Ada"), NewBot("greedy"), NewBot("random")])
    play(service, created.match.id, created.token(0), TURNS)
    events = list(client.events(SPLITO, created.match.id))
    assert kinds(events) == ["seats", *range(TURNS), "over"]
    assert [event.news for event in events[1:-1]] == client.turns(SPLITO, created.match.id)
    assert events[-1].news == Over(client.match(SPLITO, created.match.id).scores or [])
    for place, event in enumerate(events):
        assert list(client.events(SPLITO, created.match.id, event.id)) == events[place + 1 :]


def test_a_watcher_gets_an_event_when_a_person_joins(client: Client) -> None:
    created = client.create(SPLITTER, [NewPerson("Ada"), NewOpen()])
    events = client.events(SPLITTER, created.match.id)
    before = next(events).news
    client.join(SPLITTER, created.match.id, "Bob")
    after = next(events).news
    assert isinstance(before, Seats)
    assert isinstance(after, Seats)
    assert (before.status, [seat.name for seat in before.seats]) == ("open", ["Ada", None])
    assert (after.status, [seat.name for seat in after.seats]) == ("running", ["Ada", "Bob"])


def test_a_malformed_event_id_is_refused(client: Client) -> None:
    created = client.create(SPLITTER, [NewPerson("Ada")])
    with pytest.raises(Refused) as refused:
        next(client.events(SPLITTER, created.match.id, "nonsense"))
    assert (refused.value.code, refused.value.field) == ("bad-request", "Last-Event-ID")
