"""Owners and bots that poll, over HTTP and over several connections at once."""

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

import httpx

from splito_engine.record import verify
from tests.service.owners.test_keys import Ada
from tests.service.process import LIMIT, NO_LIMITS

GAMES = ("splito", "splitit", "splitter")
PRIVATE = {**NO_LIMITS, "SPLITO_ALLOW_PRIVATE_BOTS": "1", "SPLITO_HEALTH_SECONDS": "0", "SPLITO_ORGANISERS": "*"}
GREEDY = {"kind": "bot", "bot": "greedy"}
POLLY = {"name": "Polly", "kind": "pull", "open_to": "everybody"}
WAIT = 1
"""Seconds of a poll: how long it takes until a bot notices that it is over."""

Choose = Callable[[Any], Any]
"""From an ask to the body of an answer."""


class Places(NamedTuple):
    url: str
    redis: str


class Polling:
    """A pull bot as its owner sees it. Made by `polling` if it is to answer by itself."""

    def __init__(self, owner: Ada, concurrency: int = 8, games: Sequence[str] = GAMES) -> None:
        self.owner = owner
        self.id: str = owner.ask("POST", "/v1/bots", POLLY).json()["bot"]["id"]
        info = {"name": "polly", "author": "Ada", "version": "1", "games": games, "concurrency": concurrency}
        described = owner.ask("PUT", f"/v1/bots/{self.id}/info", info)
        assert described.status_code == 200, described.text
        self.seat = {"kind": "bot", "bot": self.id}
        self.asked: list[Any] = []
        """All that was handed out, while it answers by itself."""
        self.answers: list[int] = []
        """HTTP status of the response to each answer."""
        self._lock = Lock()

    def poll(self, wait: int = 0, limit: int = 100) -> list[Any]:
        answer = self.owner.ask("GET", f"/v1/bot/asks?bot={self.id}&wait={wait}&limit={limit}")
        assert answer.status_code == 200, answer.text
        return answer.json()["asks"]

    def answer(self, ask: Any, body: Any) -> httpx.Response:
        return self.owner.ask("PUT", f"/v1/bot/{ask['game']}/asks/{ask['id']}", body)

    def logged(self, query: str = "") -> Any:
        answer = self.owner.ask("GET", f"/v1/bots/{self.id}/asks{query}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def run(self, urls: Sequence[str], choose: Choose, over: Event) -> None:
        """One connection after the other, to any of these places, until it is over."""
        headers = {"Authorization": f"Bearer {self.owner.key}"}
        while not over.is_set():
            with httpx.Client(base_url=random.choice(urls), timeout=LIMIT, headers=headers) as api:
                try:
                    self._serve(api, choose, over)
                except httpx.TransportError:
                    continue

    def _serve(self, api: httpx.Client, choose: Choose, over: Event) -> None:
        while not over.is_set():
            polled = api.get("/v1/bot/asks", params={"bot": self.id, "wait": WAIT})
            for ask in polled.json()["asks"] if polled.is_success else ():
                with self._lock:
                    self.asked.append(ask)
                said = api.put(f"/v1/bot/{ask['game']}/asks/{ask['id']}", json=choose(ask))
                self.answers.append(said.status_code)


@contextmanager
def polling(bot: Polling, urls: Sequence[str], choose: Choose, connections: int = 3) -> Generator[Polling]:
    """The bot answers whatever it is asked."""
    over = Event()
    threads = [Thread(target=bot.run, args=(urls, choose, over)) for _ in range(connections)]
    for thread in threads:
        thread.start()
    try:
        yield bot
    finally:
        over.set()
        for thread in threads:
            thread.join()


def last_move(ask: Any) -> Any:
    return {"move": ask["moves"][-1]}


def begin(api: httpx.Client, game: str, seats: Sequence[Any], **terms: Any) -> str:
    """The address of a new match."""
    made = api.post(f"/v1/{game}/matches", json={"seats": seats, **terms})
    assert made.status_code == 201, made.text
    return made.headers["Location"]


def turns_of(api: httpx.Client, path: str) -> Iterator[Any]:
    """The match as everybody sees it, whenever a turn has been revealed, to its end."""
    turn = -1
    while (match := api.get(path, params={"after": turn, "wait": 30}).json())["status"] != "over":
        assert match["turn"] > turn, f"nobody moved for half a minute: {match}"
        turn = match["turn"]
        yield match


def eventually(look: Callable[[], Any], good: Callable[[Any], bool]) -> Any:
    """Wait until the condition holds, because it comes about in another process; return the last value."""
    deadline = time.monotonic() + LIMIT
    while not good(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return found


def verified(api: httpx.Client, path: str) -> Any:
    """The record of a match that is over, which is right."""
    record, match = verify(api.get(f"{path}/record").content)
    assert match.over
    return record
