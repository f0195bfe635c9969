"""Webhooks as their owner sees them over HTTP, and events that the service sends to them."""

from typing import Any

import httpx
import msgspec
from standardwebhooks import Webhook

from splito_arena.formats import RoundRobin
from splito_service.ids import new_id
from splito_service.tournaments.model import StoredTournament
from splito_service.webhooks.model import EVENTS
from splito_service.webhooks.schemas import (
    BlockRatedEvent,
    BotDisabledEvent,
    BotFailingEvent,
    MatchFinishedEvent,
    TournamentFinishedEvent,
)
from tests.service.owners.test_keys import Ada
from tests.service.polling import eventually
from tests.service.pushed import PushBot

UNKNOWN = "0" * 24
KINDS = {
    "match.finished": MatchFinishedEvent,
    "block.rated": BlockRatedEvent,
    "tournament.finished": TournamentFinishedEvent,
    "bot.failing": BotFailingEvent,
    "bot.disabled": BotDisabledEvent,
}


class OwnHook:
    """A webhook as its owner sees it."""

    def __init__(self, owner: Ada, url: str, events: tuple[str, ...] = EVENTS) -> None:
        answer = owner.ask("POST", "/v1/hooks", {"url": url, "events": events, "note": "mine"})
        assert answer.status_code == 201, answer.text
        self.owner, self.path = owner, answer.headers["Location"]
        self.made, self.secret = answer.json()["hook"], answer.json()["secret"]

    def ask(self, method: str, path: str = "", body: Any = None) -> httpx.Response:
        return self.owner.ask(method, self.path + path, body)

    def look(self) -> Any:
        return self.ask("GET").json()

    def prove(self, receiver: PushBot) -> "OwnHook":
        """Give the receiver the secret and have it meet the challenge; forget that call."""
        receiver.secret = self.secret
        answer = self.ask("POST", "/proof")
        assert answer.status_code == 200, answer.text
        self.made = answer.json()
        receiver.called.clear()
        return self

    def deliveries(self, state: str = "delivered", count: int = 1) -> list[Any]:
        """Wait until there are `count` deliveries in that state; return them."""

        def found() -> list[Any]:
            rows = self.ask("GET", "/deliveries").json()["deliveries"]
            return [row for row in rows if row["state"] == state]

        return eventually(found, lambda rows: len(rows) == count)


def heard(told: PushBot, hook: OwnHook, number: int = 0) -> Any:
    """Return a received event as its type in the contract, after verifying its signature."""
    called = told.called[number]
    assert called.path == "/arena"
    Webhook(hook.secret).verify(called.body, called.headers)
    kind = KINDS[msgspec.json.decode(called.body)["type"]]
    event = msgspec.json.decode(called.body, type=kind)
    assert msgspec.json.decode(msgspec.json.encode(event)) == msgspec.json.decode(called.body), (
        "the event has only the fields of the contract"
    )
    return event


def a_tournament(owner: Ada) -> StoredTournament:
    return StoredTournament(
        id=new_id(),
        owner=owner.made["id"],
        name="Cup",
        game="splitter",
        players=2,
        format=RoundRobin(),
        entrants=(),
        secret="-",  # noqa: S106 (of no deal)
        state="finished",
    )
