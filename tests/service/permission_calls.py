"""Requests that walk the permission table: for each operation of the contract, things of an owner that it works on.

A new operation needs an entry here only if it has a body (`BODIES`), a query (`QUERIES`), or a path parameter that no
property of `Things` is named after.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

import httpx
import msgspec

from splito_service.http.access import Role
from splito_service.http.contract.document import HOUSE
from splito_service.owners.model import Scope
from splito_service.storage.client import Link
from splito_service.webhooks.store import Outbox
from tests.contract.reader import Call
from tests.service.holding import SHORT, SMALL
from tests.service.matches.test_api import OPEN, Table, persons
from tests.service.owners.test_keys import Ada
from tests.service.polling import GREEDY, POLLY, Polling, eventually
from tests.service.pushed import PushBot

SCOPES: Mapping[Role, Scope] = {"bots key": "bots", "play key": "play", "logs key": "logs", "keys key": "keys"}
LADDER = {"format": {"kind": "ladder", "blocks": 1}, "bots": ["greedy", "random"]}


class World(NamedTuple):
    """A service, and the objects that the requests of all operations share."""

    api: httpx.Client
    redis: str
    organiser: Ada
    spare: Ada
    """Another organiser, who may be deleted."""
    push: PushBot
    tournament: str
    """Id of a tournament that is over."""
    block: str


class Told(msgspec.Struct, frozen=True):
    """Body of an event that is delivered to a hook."""

    bot: str


class Cast:
    """An owner and the other owners, with a key for each role that has one."""

    def __init__(self, world: World, organiser: Ada | None = None) -> None:
        self.owner, self.other = Ada(world.api), Ada(world.api)
        revoked = self.owner.make_key("bots", "play", "logs", "keys")
        assert self.owner.ask("DELETE", f"/v1/keys/{revoked.key_id}").status_code == 204
        self.keys: dict[Role, str] = {
            "owner": self.owner.key,
            "other owner": self.other.key,
            "organiser": (organiser or world.organiser).key,
            "revoked key": revoked.key,
        }
        self.keys |= {role: self.owner.make_key(scope).key for role, scope in SCOPES.items()}


class Things:
    """The things that one request is about. Each property is named after a path parameter, and made on first use."""

    def __init__(self, world: World, cast: Cast, call: Call) -> None:
        self._world, self._cast, self._call = world, cast, call
        self._api, self._owner = world.api, cast.owner

    def request(self, role: Role) -> httpx.Response:
        """Return the answer to the request of the call in this role."""
        if role == "seat" and self.operation == "delete{Game}Match":
            self._leave_alone()
        path = self._call.path
        for part in self._call.path.split("/"):
            if part.startswith("{"):
                path = path.replace(part, str(getattr(self, part[1:-1])))
        query = QUERIES.get(self.operation, lambda _: "")(self)
        body = BODIES[self.operation](self) if "requestBody" in self._call.operation else None
        return self._api.request(self._call.method.upper(), path + query, json=body, headers=self._headers(role))

    def _headers(self, role: Role) -> dict[str, str]:
        if role == "nobody":
            return {}
        tokens = self._seats[1]
        secret = tokens[role] if role in tokens else self._cast.keys[role]
        return {"Authorization": f"Bearer {secret}"}

    @property
    def operation(self) -> str:
        """Id of the operation as in the permission table."""
        game = next((game for game in HOUSE if f"/{game}/" in self._call.path), None)
        return self._call.id if game is None else self._call.id.replace(game.capitalize(), "{Game}")

    @property
    def game(self) -> str:
        return next((game for game in HOUSE if f"/{game}/" in self._call.path), "splitter")

    @cached_property
    def _seats(self) -> tuple[Table, dict[Role, str]]:
        """A running match: seat 0 was left and taken again, so it has a former player and a player."""
        table = Table(self._api, self.game, [OPEN, *persons(1), OPEN])
        former = self._join(table, 0)
        assert self._api.delete(f"{table.path}/seats/0", headers=bearer(former)).status_code == 204
        table.tokens[0] = self._join(table, 0)
        table.tokens[2] = self._join(table, 2)
        return table, {"seat": table.tokens[0], "former seat": former, "other seat": table.tokens[1] or ""}

    def _leave_alone(self) -> None:
        """Have everybody leave the match but the player of seat 0."""
        for seat in (1, 2):
            left = self._api.delete(f"{self.table.path}/seats/{seat}", headers=bearer(self.table.tokens[seat] or ""))
            assert left.status_code == 204, left.text

    def _join(self, table: Table, seat: int) -> str:
        joined = self._api.post(f"{table.path}/seats", json={"name": "Eve", "seat": seat})
        assert joined.status_code == 201, joined.text
        return joined.json()["token"]

    @property
    def table(self) -> Table:
        return self._seats[0]

    @cached_property
    def match(self) -> str:
        """Id of the running match; of one that is over, or that has an open seat, where the operation needs that."""
        if self.operation in ("join{Game}Match", "enter{Game}Match"):
            path = Table(self._api, self.game, [OPEN, OPEN, OPEN]).path
        elif self.operation in ("get{Game}Record", "explain{Game}Match", "watch{Game}Match"):
            path = Table(self._api, self.game, [GREEDY, GREEDY]).path
            eventually(lambda: self._api.get(path, params={"wait": 30, "after": 99}).json(), is_over)
        else:
            path = self.table.path
        return path.rpartition("/")[2]

    seat, turn = 0, 0

    @cached_property
    def key(self) -> str:
        return self._owner.make_key("logs").key_id

    @cached_property
    def bot(self) -> str:
        if self.operation == "leaveTournament":
            assert self._owner.ask("PUT", f"/v1/tournaments/{self.tournament}/bots/{self.polling.id}").is_success
        if self.operation in ("proveBot", "rotateSecret", "settleSecret"):
            wanted = {"name": "Marvin", "kind": "push", "url": self._world.push.url}
            made = self._owner.ask("POST", "/v1/bots", wanted).json()
            self._world.push.secret = made["secret"]
            return made["bot"]["id"]
        return self.polling.id

    @cached_property
    def polling(self) -> Polling:
        return Polling(self._owner)

    @cached_property
    def ask(self) -> str:
        """Id of an ask of the bot: open, or answered and in the log where that is read."""
        Table(self._api, self.game, [self.polling.seat, *persons(1)])
        (asked,) = self.polling.poll(wait=30)
        if self.operation == "getAsk":
            assert self.polling.answer(asked, {"index": 0}).status_code == 200
            eventually(lambda: self.polling.logged()["asks"], bool)
        return asked["id"]

    @cached_property
    def check(self) -> str:
        return self._owner.ask("POST", f"/v1/bots/{self.bot}/checks", {}).json()["id"]

    @cached_property
    def hook(self) -> str:
        wanted = {"url": f"{self._world.push.url}/told", "events": ["bot.disabled"]}
        made = self._owner.ask("POST", "/v1/hooks", wanted)
        assert made.status_code == 201, made.text
        self._world.push.secret = made.json()["secret"]
        return made.json()["hook"]["id"]

    @cached_property
    def delivery(self) -> str:
        hook = f"/v1/hooks/{self.hook}"
        assert self._owner.ask("POST", f"{hook}/proof").status_code == 200
        asyncio.run(self._tell())
        look = f"{hook}/deliveries"
        return eventually(lambda: self._owner.ask("GET", look).json()["deliveries"], is_delivered)[0]["id"]

    async def _tell(self) -> None:
        async with Link(self._world.redis) as link:
            assert await Outbox(link).put(self._owner.made["id"], "bot.disabled", self.hook, Told("it"))

    @cached_property
    def tournament(self) -> str:
        """Id of a tournament of the owner; of the one that is over where its results are read."""
        if self._call.method == "get":
            return self._world.tournament
        more = LADDER if "/bots/" in self._call.path else {}
        more |= {"starts": in_an_hour()} if self.operation == "changeTournamentTimes" else {}
        made = self._owner.ask("POST", "/v1/tournaments", SMALL | more | {"ranked": False})
        assert made.status_code == 201, made.text
        if self.operation == "deleteTournament":
            self._owner.ask("PUT", f"/v1/tournaments/{made.json()['id']}/state", {"state": "cancelled"})
        return made.json()["id"]

    @cached_property
    def series(self) -> str:
        """Id of a series of the owner, the same for all requests that leave it there."""
        there = self._api.get("/v1/series", params={"owner": self._owner.made["id"]}).json()["series"]
        if there and self._call.method != "delete":
            return there[0]["id"]
        made = self._owner.ask("POST", "/v1/series", SERIES)
        assert made.status_code == 201, made.text
        return made.json()["id"]

    @cached_property
    def block(self) -> str:
        return self._world.block

    file = "standings.csv"

    @cached_property
    def experiment(self) -> str:
        made = self._owner.ask("POST", "/v1/experiments", SHORT)
        assert made.status_code == 201, made.text
        if self.operation in ("deleteExperiment", "watchExperiment"):
            self._owner.ask("PUT", f"/v1/experiments/{made.json()['id']}/state", {"state": "cancelled"})
        return made.json()["id"]

    @property
    def move(self) -> Any:
        return self.table.get(0)["legal_moves"][0]


def in_an_hour() -> str:
    return (datetime.now(UTC) + timedelta(hours=1)).isoformat()


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def is_over(match: Any) -> bool:
    return match["status"] == "over"


def is_delivered(deliveries: list[Any]) -> bool:
    return bool(deliveries) and deliveries[0]["state"] == "delivered"


INFO = {"name": "polly", "author": "Ada", "version": "2", "games": ["splitter"]}
HOOK = {"url": "https://ada.example/told", "events": ["bot.disabled"]}
UNRANKED = SMALL | {"ranked": False}
SERIES = {"tournament": UNRANKED, "rule": {"kind": "hourly", "hours": 24}}

BODIES: Mapping[str, Callable[[Things], Any]] = {
    "createOwner": lambda _: {"name": "Ada"},
    "createKey": lambda _: {"scopes": ["keys"]},
    "createBot": lambda _: POLLY,
    "changeBot": lambda _: {"name": "Polly"},
    "describeBot": lambda _: INFO,
    "createCheck": lambda _: {"quick": True},
    "createHook": lambda _: HOOK,
    "changeHook": lambda _: HOOK,
    "createTournament": lambda _: UNRANKED,
    "estimateTournament": lambda _: UNRANKED,
    "changeTournamentState": lambda _: {"state": "paused"},
    "changeTournamentTimes": lambda _: {"starts": in_an_hour()},
    "createSeries": lambda _: SERIES,
    "changeSeries": lambda _: SERIES,
    "changeTournamentBlocks": lambda _: {"blocks": 5},
    "createExperiment": lambda _: SHORT,
    "changeExperimentState": lambda _: {"state": "paused"},
    "create{Game}Match": lambda _: {"seats": persons(2)},
    "join{Game}Match": lambda _: {"name": "Bob"},
    "enter{Game}Match": lambda _: {"bot": "greedy"},
    "seal{Game}Move": lambda things: {"move": things.move},
    "answer{Game}Ask": lambda _: {"index": 0},
    "createModeration": lambda things: {"action": "ban-bot", "target": things.polling.id, "reason": "Spam"},
}
"""Bodies of permitted requests, by operation."""

QUERIES: Mapping[str, Callable[[Things], str]] = {
    "listOpenAsks": lambda things: f"?bot={things.bot}",
}
"""Queries of permitted requests, by operation, where there must be one."""
