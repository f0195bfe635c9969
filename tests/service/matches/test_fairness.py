"""A stranger floods the service with matches among bots: people's tables are served first, and the flood is limited."""

import asyncio
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
import redis

from splito_arena.bots.subprocess import Priority
from splito_engine.match import legal_moves
from splito_service.errors import TooManyMatches
from splito_service.ids import new_id
from splito_service.matches.bot_turns import priority_of
from splito_service.matches.client_keys import Clients
from splito_service.matches.model import Creator, Decision, Sitter
from splito_service.matches.store import Matches
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from tests.service.matches.test_api import problem
from tests.service.process import NO_LIMITS, Process, running

PLANNER = {"kind": "bot", "bot": "planner"}
PERSON = {"kind": "person", "name": "Ann"}
BOTS = [Sitter("bot", "greedy", "greedy")] * 2
STRANGER, OTHER = "192.0.2.1", "192.0.2.2"
FLOOD = 60
FEW = 100
"""Moves of a flood of 480 at a time that may be made while a person waits for one move: far more than we saw."""


class Flooded(NamedTuple):
    process: Process
    redis: Any
    stranger: list[str]
    """The ids of the matches of the stranger."""

    def moves(self) -> int:
        """Return how many moves have been made in all matches of the stranger."""
        pipeline = self.redis.pipeline()
        for match_id in self.stranger:
            pipeline.hget(f"match:{{{match_id}}}", "change")
        return sum(int(change or 0) for change in pipeline.execute())


def client(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


def create(api: httpx.Client, seats: list[dict[str, str]], address: str) -> Any:
    answer = api.post("/v1/splito/matches", json={"seats": seats}, headers=client(address))
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def flooded(tmp_path: Any) -> Iterator[Flooded]:
    settings = {**NO_LIMITS, "SPLITO_BEHIND_PROXY": "1"}
    with open_server(tmp_path) as server, running(server.url, settings) as process:
        with httpx.Client(base_url=process.url, timeout=60) as api:
            made = [create(api, [PLANNER] * 8, STRANGER)["match"]["id"] for _ in range(FLOOD)]
        connection: Any = redis.Redis.from_url(server.url)  # pyright: ignore[reportUnknownMemberType]
        yield Flooded(process, connection, made)
        connection.close()


@pytest.mark.parametrize("address", [OTHER, STRANGER], ids=["another client", "the same client"])
def test_the_bot_at_a_persons_table_answers_before_a_strangers_sixty_matches(flooded: Flooded, address: str) -> None:
    """Clients take turns, and among the tables of one client those with persons come first."""
    with httpx.Client(base_url=flooded.process.url, timeout=60) as api:
        made = create(api, [PERSON, PLANNER], address)
        path, token = f"/v1/splito/matches/{made['match']['id']}", made["tokens"][0]
        for turn in range(6):
            if turn == 3:
                flooded.process.kill()
                flooded.process.restart()  # due matches are played again, and fairly
            before = flooded.moves()
            play(api, path, token, turn)
            assert flooded.moves() - before < FEW
    assert flooded.moves() > 0, "the stranger's matches go on, too"


def play(api: httpx.Client, path: str, token: str, turn: int) -> None:
    """The person makes a move, and waits until the bot has made its own."""
    headers = {"Authorization": f"Bearer {token}"}
    move = api.get(path, headers=headers).json()["legal_moves"][0]
    sealed = api.put(f"{path}/turns/{turn}/seats/0", json={"move": move}, headers=headers)
    assert sealed.status_code == 200, sealed.text
    seen = api.get(path, params={"after": turn, "wait": 25}, headers=headers).json()
    assert seen["turn"] > turn, "the bot has not moved"


def test_a_client_is_refused_when_too_many_of_its_matches_among_bots_run(tmp_path: Any) -> None:
    settings = {**NO_LIMITS, "SPLITO_BEHIND_PROXY": "1", "SPLITO_BOT_MATCHES": "2"}
    with (
        open_server(tmp_path) as server,
        running(server.url, settings) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        body = {"seats": [PLANNER] * 8}
        answers = [api.post("/v1/splito/matches", json=body, headers=client("192.0.2.1")) for _ in range(20)]
        refused = [answer for answer in answers if answer.status_code != 201]
        assert problem(refused[0], 429, "too-many-matches")["field"] == "seats"
        assert int(refused[0].headers["retry-after"]) > 0
        create(api, [PERSON, PLANNER], "192.0.2.1")
        create(api, [PLANNER] * 2, "192.0.2.2")


@pytest.mark.anyio
async def test_house_bots_are_scheduled_by_the_client_of_their_table_and_first_while_a_person_sits_there(
    matches: Matches,
) -> None:
    client_key = new_id()
    kept = await matches.create("splitter", [Sitter("person", "Ann"), *BOTS], creator=Creator(client_key))
    assert priority_of(kept) == Priority(client_key, urgent=True)
    await matches.leave(kept.id, 0, 1, "greedy")
    assert priority_of(await matches.get(kept.id)) == Priority(client_key, urgent=False)
    among_bots = await matches.create("splitter", BOTS, creator=Creator(client_key))
    assert priority_of(among_bots) == Priority(client_key, urgent=False)


# The count, in Redis


@pytest.fixture
def creator() -> Creator:
    return Creator(new_id(), most_bot_matches=3)


@pytest.mark.anyio
async def test_the_limit_of_matches_among_bots_is_exact_across_processes(redis_url: str, creator: Creator) -> None:
    async with Link(redis_url) as one, Link(redis_url) as other:
        stores = [Matches(one), Matches(other)]
        tries = [stores[number % 2].create("splitter", BOTS, creator=creator) for number in range(20)]
        found = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(one) for one in found if isinstance(one, Exception)] == 17 * [TooManyMatches]


@pytest.mark.anyio
async def test_a_finished_or_deleted_match_no_longer_counts_against_the_limit(
    link: Link, matches: Matches, creator: Creator
) -> None:
    over, gone, _ = [await matches.create("splitter", BOTS, creator=creator) for _ in range(3)]
    while not over.over:
        seat = over.awaited[0]
        over = await matches.seal(over.id, Decision(over.turn, seat, legal_moves(over.match, seat)[0]))
    await matches.create("splitter", BOTS, creator=creator)
    with pytest.raises(TooManyMatches):
        await matches.create("splitter", BOTS, creator=creator)
    await link.call("DEL", f"match:{{{gone.id}}}")
    await matches.create("splitter", BOTS, creator=creator)


@pytest.mark.anyio
async def test_a_match_that_its_last_person_left_counts_as_a_match_among_bots(
    matches: Matches, creator: Creator
) -> None:
    people = [Sitter("person", "Ann"), Sitter("person", "Bob")]
    for _ in range(3):
        kept = await matches.create("splitter", people, creator=creator)
        await matches.leave(kept.id, 0, 1, "greedy")
        await matches.leave(kept.id, 1, 2, "greedy")
    with pytest.raises(TooManyMatches):
        await matches.create("splitter", BOTS, creator=creator)
    await matches.create("splitter", people, creator=creator)


@pytest.mark.anyio
async def test_a_match_stores_a_keyed_hash_instead_of_the_client_address(link: Link, matches: Matches) -> None:
    one, other = Clients(link), Clients(link)
    key = await one.key("192.0.2.1")
    assert key == await other.key("192.0.2.1") != await one.key("192.0.2.2")
    kept = await matches.create("splitter", BOTS, creator=Creator(key))
    stored = b" ".join(await link.call("HGETALL", f"match:{{{kept.id}}}"))
    assert key.encode() in stored
    assert b"192.0.2.1" not in stored
    assert (await Matches(link).get(kept.id)).client == key, "for other processes, and after a restart"
