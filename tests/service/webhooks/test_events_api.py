"""Owners receive signed events about their tournaments and bots, and read over HTTP how each delivery went."""

from pathlib import Path
from time import time
from typing import Any

import httpx
import msgspec
import pytest

from splito_arena.blocks.ledger import Entry, Game, placings
from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import AnyReader
from splito_arena.stats.online_rating import Rating
from splito_engine.games import splitter
from splito_engine.match import legal_moves, play, start
from splito_engine.record import Record, record_of
from splito_service.bots.registry import FAILURES, Registry
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.tournaments.announce import Announcer
from splito_service.tournaments.model import StoredEntrant
from splito_service.webhooks.delivery import Deliverer, Sender
from splito_service.webhooks.delivery_store import LEASE, Deliveries
from splito_service.webhooks.store import Hooks, Outbox
from tests.service.bots.own_bot import Marvin
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE, eventually
from tests.service.process import running
from tests.service.pushed import INFO, PushBot, serving
from tests.service.webhooks.owned_hooks import UNKNOWN, OwnHook, a_tournament, heard

BLOCK = "00000000-0001-00002"


@pytest.mark.anyio
async def test_the_owner_of_a_disabled_bot_receives_bot_disabled(hook: OwnHook, told: PushBot, outside: Link) -> None:
    with serving() as served:
        marvin = Marvin(hook.owner, served.url)
        served.secret = marvin.secret
        marvin.prove()
        served.status = 503
        async with Caller() as caller:
            registry = Registry(Bots(outside), Signer(outside), caller, True, Outbox(outside))
            for _ in range(FAILURES + 1):
                await registry.look(marvin.made["id"])
    (row,) = hook.deliveries()
    assert (row["event"], row["tries"], row["last"]["status"]) == ("bot.disabled", 1, 200)
    event = heard(told, hook)
    assert (event.data.bot, event.data.name, event.data.version) == (marvin.made["id"], "Marvin", INFO["version"])
    assert event.data.reason == "3 failed health checks in a row: the status is not 200: 503"


def a_record(seed: str) -> Record:
    match = start(splitter, 2, seed, None)
    while not match.over:
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return record_of(match, ("a", "b"), "00" * 16)


def an_entry() -> Entry:
    games = [
        Game(match=new_id(), seating=seating, record=a_record(seed), faults=faults, replaced=replaced)
        for seed, seating, faults, replaced in (
            ("1", (0, 1), ((), ("time-out", "refused")), (False, False)),
            ("1", (1, 0), ((), ()), (True, False)),
        )
    ]
    return Entry(block=BLOCK, bots=("owl@1.2", "greedy@0.1"), games=tuple(games))


@pytest.mark.anyio
async def test_the_organiser_receives_match_finished_for_every_match_of_a_block(
    hook: OwnHook, told: PushBot, outside: Link
) -> None:
    held, entry, announcer = a_tournament(hook.owner), an_entry(), Announcer(Outbox(outside))
    for _ in range(2):  # a worker was killed, and another does it all again
        await announcer.block_played(held, entry)
    hook.deliveries(count=2)
    events = {event.data.match: event.data for event in (heard(told, hook, number) for number in range(2))}
    assert len(told.called) == 2
    first, second = (events[game.match] for game in entry.games)
    assert (first.tournament, first.block, first.game) == (held.id, BLOCK, "splitter")
    assert (first.bots, second.bots) == (["owl@1.2", "greedy@0.1"], ["greedy@0.1", "owl@1.2"])
    assert first.scores == [[*points] for points in entry.games[0].record.scores]
    assert (first.faults, first.replaced) == ([[], ["time-out", "refused"]], [False, False])
    assert (second.places, second.replaced) == ([2, 1], [True, False])


@pytest.mark.anyio
async def test_the_organiser_receives_block_rated_once_with_the_new_ratings(
    hook: OwnHook, told: PushBot, outside: Link
) -> None:
    held, entry, announcer = a_tournament(hook.owner), an_entry(), Announcer(Outbox(outside))
    ratings, found = {"owl@1.2": Rating(27.0, 8.0), "greedy@0.1": Rating(23.0, 8.1)}, placings(entry)
    assert found is not None
    for _ in range(2):
        await announcer.block_rated(held, BLOCK, found, ratings)
    (row,) = hook.deliveries()
    assert row["event"] == "block.rated"
    event = heard(told, hook)
    assert (event.data.tournament, event.data.block, event.data.players) == (held.id, BLOCK, 2)
    assert [(bot.bot, bot.mean, bot.sigma) for bot in event.data.bots] == [
        ("owl@1.2", 27.0, 8.0),
        ("greedy@0.1", 23.0, 8.1),
    ]
    assert sum(bot.place for bot in event.data.bots) == 3


@pytest.mark.anyio
async def test_a_skipped_block_sends_no_match_finished(hook: OwnHook, told: PushBot, outside: Link) -> None:
    held, announcer = a_tournament(hook.owner), Announcer(Outbox(outside))
    skipped = Entry(block=BLOCK, bots=("owl@1.2", "greedy@0.1"), skipped="owl is gone")
    await announcer.block_played(held, skipped)
    await announcer.tournament_ended(held, 0)
    (row,) = hook.deliveries()
    assert row["event"] == "tournament.finished"
    assert len(told.called) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("state", ["finished", "cancelled"])
async def test_the_organiser_receives_tournament_finished(
    hook: OwnHook, told: PushBot, outside: Link, state: Any
) -> None:
    held = msgspec.structs.replace(a_tournament(hook.owner), state=state, reason="enough")

    async def winners() -> list[StoredEntrant]:
        return [StoredEntrant(bot="greedy", name="Greedy", version="1")]

    await Announcer(Outbox(outside)).tournament_ended(held, 12, winners)
    hook.deliveries()
    event = heard(told, hook)
    assert [(one.bot, one.name) for one in event.data.winners] == [("greedy", "Greedy")]
    assert (event.data.tournament, event.data.name, event.data.kind) == (held.id, "Cup", "tournament")
    assert (event.data.state, event.data.reason, event.data.blocks) == (state, "enough", 12)


@pytest.mark.anyio
async def test_a_delivery_can_be_read_and_redelivered(hook: OwnHook, told: PushBot, outside: Link) -> None:
    await Announcer(Outbox(outside)).tournament_ended(a_tournament(hook.owner), 12)
    (row,) = hook.deliveries()
    path = f"/deliveries/{row['id']}"
    read = hook.ask("GET", path).json()
    assert {name: read[name] for name in row} == row
    assert read["body"].encode() == told.called[0].body
    assert read["message"] == told.called[0].headers["webhook-id"]
    assert read["attempts"] == [row["last"]]
    assert read["last"]["response"] == msgspec.json.encode(INFO).decode()
    again = hook.ask("POST", f"{path}/redelivery")
    assert again.status_code == 202
    assert again.json()["state"] in {"waiting", "delivered"}
    eventually(lambda: len(told.called), lambda count: count == 2)
    assert {called.headers["webhook-id"] for called in told.called} == {read["message"]}
    problem(hook.ask("GET", f"/deliveries/{UNKNOWN}"), 404, "unknown-delivery")
    problem(hook.ask("POST", "/deliveries/*/redelivery"), 404, "unknown-delivery")


@pytest.mark.anyio
async def test_a_failed_delivery_shows_its_error_and_can_be_redelivered(
    hook: OwnHook, told: PushBot, outside: Link
) -> None:
    told.status = 500
    await Announcer(Outbox(outside)).tournament_ended(a_tournament(hook.owner), 12)
    row = eventually(lambda: hook.ask("GET", "/deliveries").json()["deliveries"], bool)[0]
    assert (row["state"], row["last"]["status"], row["last"]["error"]) == ("waiting", 500, "the status is 500, not 2xx")
    assert row["due"] > row["last"]["at"]
    assert hook.look()["waiting"] == 1
    told.status = 200
    assert hook.ask("POST", f"/deliveries/{row['id']}/redelivery").status_code == 202
    assert hook.deliveries()[0]["tries"] == 2
    assert hook.look()["waiting"] == 0


@pytest.mark.anyio
async def test_a_delivery_of_a_killed_service_is_sent_by_another_process(tmp_path: Path, told: PushBot) -> None:
    """The service is killed while the receiver reads the request; for the other process the claim has expired."""
    with open_server(tmp_path) as server, running(server.url, PRIVATE) as process:
        with httpx.Client(base_url=process.url, timeout=60) as api:
            hook = OwnHook(Ada(api), f"{told.url}/arena").prove(told)
        told.meanwhile = process.kill
        async with Link(server.url) as link, Caller(reader=AnyReader) as caller:
            await Announcer(Outbox(link)).tournament_ended(a_tournament(hook.owner), 12)
            eventually(process.popen.poll, lambda code: code is not None)
            sender = Sender(Signer(link), caller, True)
            await Deliverer(Hooks(link), Deliveries(link), sender, lambda: int(1000 * time()) + LEASE).deliver_due()
            rows, _ = await Deliveries(link).page(hook.made["id"], None, 10)
        assert [(row.state, row.tried) for row in rows] == [("delivered", 1)]
    assert [heard(told, hook, number).data.blocks for number in range(2)] == [12, 12]
    assert len({called.headers["webhook-id"] for called in told.called}) == 1


@pytest.mark.anyio
async def test_deliveries_are_listed_page_by_page(hook: OwnHook, outside: Link) -> None:
    for _ in range(3):
        await Announcer(Outbox(outside)).tournament_ended(a_tournament(hook.owner), 12)
    ids = [row["id"] for row in hook.deliveries(count=3)]
    first = hook.ask("GET", "/deliveries?limit=2").json()
    second = hook.ask("GET", f"/deliveries?limit=2&cursor={first['next']}").json()
    assert [row["id"] for row in (*first["deliveries"], *second["deliveries"])] == ids
    assert second["next"] is None
    problem(hook.ask("GET", "/deliveries?limit=0"), 400, "bad-request")
