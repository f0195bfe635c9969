"""Owners have their hooks told what happens to their tournaments and bots, and see how each delivery went."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from time import time
from typing import Any

import httpx
import msgspec
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from splito_arena.blocks.ledger import Entry, Game, placings
from splito_arena.formats import RoundRobin
from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import BODY_LIMIT, AnyReader
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
from splito_service.tournaments.model import StoredTournament
from splito_service.webhooks.delivery import FAILURES as FAILURES_IN_A_ROW
from splito_service.webhooks.delivery import LIMIT, Deliverer, Sender
from splito_service.webhooks.delivery_store import LEASE, MOST_LOGGED, MOST_TRIES, REST, Deliveries
from splito_service.webhooks.model import EVENTS, PAUSES, PROOF_MS, PROOFS
from splito_service.webhooks.schemas import (
    BlockRatedEvent,
    BotDisabledEvent,
    HookChallengeEvent,
    MatchFinishedEvent,
    TournamentFinishedEvent,
)
from splito_service.webhooks.store import MOST_HOOKS, MOST_WAITING, WEEK, Hooks, Outbox
from tests.service.bots.test_registered_bots import Marvin
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE, Places, eventually
from tests.service.process import running
from tests.service.pushed import INFO, PushBot, serving

UNKNOWN = "0" * 24
KINDS = {
    "match.finished": MatchFinishedEvent,
    "block.rated": BlockRatedEvent,
    "tournament.finished": TournamentFinishedEvent,
    "bot.disabled": BotDisabledEvent,
}
BLOCK = "00000000-0001-00002"
PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text("utf-8")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A service that may call hooks on this machine, and whose courier delivers by itself."""
    with open_server(tmp_path_factory.mktemp("hooks")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def told() -> Iterator[PushBot]:
    """A receiver at the address of a webhook: it answers every request."""
    with serving() as receiver:
        yield receiver


@pytest.fixture
async def outside(places: Places) -> AsyncIterator[Link]:
    """Another process at the same Redis, such as a worker."""
    async with Link(places.redis) as link:
        yield link


class OwnHook:
    """A hook as its owner sees it."""

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
        """Have the receiver, which is told the secret, meet the challenge; it then has heard nothing yet."""
        receiver.secret = self.secret
        answer = self.ask("POST", "/proof")
        assert answer.status_code == 200, answer.text
        self.made = answer.json()
        receiver.called.clear()
        return self

    def deliveries(self, state: str = "delivered", count: int = 1) -> list[Any]:
        """As soon as there are so many in that state."""

        def found() -> list[Any]:
            rows = self.ask("GET", "/deliveries").json()["deliveries"]
            return [row for row in rows if row["state"] == state]

        return eventually(found, lambda rows: len(rows) == count)


@pytest.fixture
def hook(ada: Ada, told: PushBot) -> OwnHook:
    """A hook that has proved itself."""
    return OwnHook(ada, f"{told.url}/arena").prove(told)


def test_a_hook_is_its_owners_and_its_secret_is_shown_once(hook: OwnHook, told: PushBot) -> None:
    assert hook.look() == hook.made
    assert hook.owner.ask("GET", "/v1/hooks").json() == {"hooks": [hook.made]}
    assert hook.made["events"] == [*EVENTS]
    assert (hook.made["url"], hook.made["note"]) == (f"{told.url}/arena", "mine")
    assert (hook.made["enabled"], hook.made["reason"], hook.made["two_secrets"]) == (True, None, False)
    assert [hook.made[name] for name in ("failures", "waiting", "dropped")] == [0, 0, 0]
    assert hook.secret not in hook.ask("GET").text + hook.owner.ask("GET", "/v1/hooks").text
    assert told.called == []


EVERYTHING = [
    ("GET", ""),
    ("DELETE", ""),
    ("POST", "/proof"),
    ("POST", "/secret"),
    ("DELETE", "/secret"),
    ("GET", "/deliveries"),
    ("GET", f"/deliveries/{UNKNOWN}"),
    ("POST", f"/deliveries/{UNKNOWN}/redelivery"),
]


def test_nobody_else_learns_that_there_is_such_a_hook(hook: OwnHook) -> None:
    bob = Ada(hook.owner.api)
    change = {"url": "https://bob.example/", "events": ["bot.disabled"]}
    for method, path in EVERYTHING:
        problem(bob.ask(method, hook.path + path), 404, "unknown-hook")
        problem(bob.ask(method, f"/v1/hooks/{UNKNOWN}{path}"), 404, "unknown-hook")
        problem(bob.ask(method, f"/v1/hooks/*{path}"), 404, "unknown-hook")
    problem(bob.ask("PUT", hook.path, change), 404, "unknown-hook")
    assert bob.ask("GET", "/v1/hooks").json() == {"hooks": []}
    assert hook.look() == hook.made


def test_only_a_key_that_may_play_may_do_any_of_this(hook: OwnHook) -> None:
    other = hook.owner.make_key("bots", "logs", "keys")
    for method, path in EVERYTHING:
        problem(other.ask(method, hook.path + path), 403, "wrong-scope")
        problem(hook.owner.api.request(method, hook.path + path), 401, "no-key")
    problem(other.ask("GET", "/v1/hooks"), 403, "wrong-scope")
    assert hook.owner.make_key("play").ask("GET", hook.path).json() == hook.made


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"url": "ftp://ada.example/"}, 409, "bad-address"),
        ({"url": "http://ada@ada.example/"}, 409, "bad-address"),
        ({"url": "http://2130706433.1/"}, 409, "bad-address"),
        ({"url": ""}, 400, "bad-request"),
        ({"events": []}, 400, "bad-request"),
        ({"events": ["match.begun"]}, 400, "bad-request"),
        ({"events": ["match.finished"] * 5}, 400, "bad-request"),
        ({"note": "\u202e"}, 409, "bad-name"),
        ({"secret": "mine"}, 400, "bad-request"),
    ],
)
def test_what_cannot_be_a_hook_is_refused(hook: OwnHook, change: dict[str, Any], status: int, code: str) -> None:
    wanted = {"url": "https://ada.example/", "events": ["match.finished"], **change}
    problem(hook.owner.ask("POST", "/v1/hooks", wanted), status, code)
    problem(hook.ask("PUT", "", wanted), status, code)
    assert hook.look() == hook.made


def test_ports_that_are_not_called_are_refused_where_private_addresses_are(api: httpx.Client) -> None:
    wanted = {"url": "https://ada.example:22/", "events": ["match.finished"]}
    problem(Ada(api).ask("POST", "/v1/hooks", wanted), 409, "bad-address")


def test_an_owner_has_so_many_hooks_and_no_more(ada: Ada) -> None:
    for _ in range(MOST_HOOKS):
        OwnHook(ada, "https://ada.example/")
    wanted = {"url": "https://ada.example/", "events": ["match.finished"]}
    problem(ada.ask("POST", "/v1/hooks", wanted), 409, "no-room")
    assert OwnHook(Ada(ada.api), "https://ada.example/").look()


def test_a_hook_changes_to_what_it_shall_be(hook: OwnHook) -> None:
    wanted = {"url": "https://ada.example/", "events": ["bot.disabled", "match.finished", "bot.disabled"]}
    changed = hook.ask("PUT", "", {**wanted, "enabled": False}).json()
    assert changed == hook.look()
    assert (changed["url"], changed["events"]) == (wanted["url"], ["match.finished", "bot.disabled"])
    assert (changed["enabled"], changed["note"]) == (False, "")
    assert hook.ask("PUT", "", wanted).json()["enabled"]


def test_a_hook_that_was_deleted_is_gone(hook: OwnHook) -> None:
    assert hook.ask("DELETE").status_code == 204
    for method, path in EVERYTHING:
        problem(hook.ask(method, path), 404, "unknown-hook")


def test_its_secret_changes_without_a_gap(hook: OwnHook) -> None:
    first = hook.ask("POST", "/secret")
    assert first.status_code == 201
    assert first.json()["secret"] != hook.secret
    assert hook.look()["two_secrets"]
    assert hook.ask("DELETE", "/secret").status_code == 204
    assert not hook.look()["two_secrets"]


def heard(told: PushBot, hook: OwnHook, number: int = 0) -> Any:
    """An event as a hook gets it, whose signature is right, as the type that the contract has for it."""
    called = told.called[number]
    assert called.path == "/arena"
    Webhook(hook.secret).verify(called.body, called.headers)
    kind = KINDS[msgspec.json.decode(called.body)["type"]]
    event = msgspec.json.decode(called.body, type=kind)
    assert msgspec.json.decode(msgspec.json.encode(event)) == msgspec.json.decode(called.body), "and nothing more"
    return event


@pytest.mark.anyio
async def test_the_owner_of_a_bot_that_is_disabled_is_told_at_once(hook: OwnHook, told: PushBot, outside: Link) -> None:
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
    assert event.data.reason == "3 times in a row when we looked: the status is not 200: 503"


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
async def test_an_organiser_is_told_of_the_matches_of_a_block(hook: OwnHook, told: PushBot, outside: Link) -> None:
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
async def test_and_of_what_they_come_to(hook: OwnHook, told: PushBot, outside: Link) -> None:
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
async def test_what_was_not_played_is_not_told(hook: OwnHook, told: PushBot, outside: Link) -> None:
    held, announcer = a_tournament(hook.owner), Announcer(Outbox(outside))
    skipped = Entry(block=BLOCK, bots=("owl@1.2", "greedy@0.1"), skipped="owl is gone")
    await announcer.block_played(held, skipped)
    await announcer.tournament_ended(held, 0)
    (row,) = hook.deliveries()
    assert row["event"] == "tournament.finished"
    assert len(told.called) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("state", ["finished", "cancelled"])
async def test_and_of_the_end(hook: OwnHook, told: PushBot, outside: Link, state: Any) -> None:
    held = msgspec.structs.replace(a_tournament(hook.owner), state=state, reason="enough")
    await Announcer(Outbox(outside)).tournament_ended(held, 12)
    hook.deliveries()
    event = heard(told, hook)
    assert (event.data.tournament, event.data.name, event.data.kind) == (held.id, "Cup", "tournament")
    assert (event.data.state, event.data.reason, event.data.blocks) == (state, "enough", 12)


@pytest.mark.anyio
async def test_what_was_sent_can_be_read_and_sent_again(hook: OwnHook, told: PushBot, outside: Link) -> None:
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
async def test_what_was_not_taken_can_be_seen_with_what_was_wrong(hook: OwnHook, told: PushBot, outside: Link) -> None:
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
async def test_what_a_killed_service_had_under_way_is_sent_by_another(tmp_path: Path, told: PushBot) -> None:
    """Killed while the hook reads. The other is one for whom the time of the claim is over."""
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
async def test_the_log_is_read_page_by_page(hook: OwnHook, outside: Link) -> None:
    for _ in range(3):
        await Announcer(Outbox(outside)).tournament_ended(a_tournament(hook.owner), 12)
    ids = [row["id"] for row in hook.deliveries(count=3)]
    first = hook.ask("GET", "/deliveries?limit=2").json()
    second = hook.ask("GET", f"/deliveries?limit=2&cursor={first['next']}").json()
    assert [row["id"] for row in (*first["deliveries"], *second["deliveries"])] == ids
    assert second["next"] is None
    problem(hook.ask("GET", "/deliveries?limit=0"), 400, "bad-request")


@pytest.mark.anyio
async def test_the_page_tells_how_to_receive_an_event(hook: OwnHook, told: PushBot, outside: Link) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    program: dict[str, Any] = {}
    exec(code, program)  # noqa: S102 (our own)
    await Announcer(Outbox(outside)).tournament_ended(a_tournament(hook.owner), 12)
    hook.deliveries()
    (called,) = told.called
    assert program["receive"](hook.secret, called.headers, called.body) == msgspec.json.decode(called.body)
    assert program["receive"](hook.secret, called.headers, called.body) is None
    with pytest.raises(WebhookVerificationError):
        program["receive"](hook.secret, called.headers, called.body + b" ")


def test_and_shows_one_and_names_them_all() -> None:
    challenge, _, shown = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert msgspec.json.decode(challenge, type=HookChallengeEvent).data.challenge
    assert msgspec.json.decode(shown, type=TournamentFinishedEvent).data.blocks == 120
    assert re.findall(r"^\| `([a-z.]+)` \|", PAGE, re.MULTILINE) == [*EVENTS]


def test_its_numbers_are_those_of_the_code() -> None:
    words = " ".join(PAGE.split())
    for said in (
        f"at most {MOST_HOOKS} webhooks",
        f"has not proved itself {PROOF_MS // 3_600_000} hours after",
        f"at most {PROOFS} a minute are sent",
        f"with 2xx within {LIMIT:g} seconds",
        f"{BODY_LIMIT:,} bytes of body",
        f"left alone for {REST // 1000} s",
        f"after {FAILURES_IN_A_ROW} deliveries in a row",
        f"At most {MOST_WAITING:,} deliveries wait",
        f"the last {MOST_LOGGED} deliveries of {WEEK // 86_400} days, and of each the last {MOST_TRIES} tries",
        "after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h",
    ):
        assert said in words
    assert [pause // 1000 for pause in PAUSES] == [5, 30, 2 * 60, 10 * 60, 3600, 6 * 3600]
