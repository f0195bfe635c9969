"""Consent: a registered bot is entered and seated only by clients to whom its owner has opened it."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from splito_arena.formats import Experiment, Format, Ladder, RoundRobin
from splito_arena.match.messages import BotInfo
from splito_service.bots.consent import HOUSE, NOBODY, Asker, Organisers, allows
from splito_service.bots.model import OpenTo, Registered, described
from splito_service.bots.store import Bots
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.entrants import CLOSED, OWNER_WITHDREW, absence
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.store import Tournaments
from tests.service.holding import SHORT, SMALL
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.playing import entrant, house, tournament
from tests.service.polling import GREEDY, PRIVATE
from tests.service.process import running

INFO = {"name": "polly", "author": "Ada", "version": "1", "games": ["splitter"]}
LADDER = {"kind": "ladder", "pause_seconds": 60}
ALLOWED: dict[OpenTo, set[str]] = {
    "owner": {"owner"},
    "organisers": {"owner", "organiser"},
    "everybody": {"owner", "organiser", "stranger", "nobody"},
}


class Arena(NamedTuple):
    """A service with one named organiser, an owner with bots, a stranger, and a client without a key."""

    organiser: Ada
    owner: Ada
    stranger: Ada
    nobody: httpx.Client

    def create(self, who: str, path: str, body: Any) -> httpx.Response:
        return self.nobody.post(path, json=body) if who == "nobody" else getattr(self, who).ask("POST", path, body)

    def bot(self, open_to: OpenTo | None = None) -> str:
        """Return the id of a pull bot of the owner that is ready."""
        wanted = {"name": "Polly", "kind": "pull"} | ({"open_to": open_to} if open_to else {})
        bot = self.owner.ask("POST", "/v1/bots", wanted).json()["bot"]["id"]
        assert self.owner.ask("PUT", f"/v1/bots/{bot}/info", INFO).json()["state"] == "ready"
        return bot


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """The organiser becomes an owner in one process and is named in the settings of the next."""
    settings = {**PRIVATE, "SPLITO_ORGANISERS": ""}
    with open_server(tmp_path_factory.mktemp("consent")) as server:
        with running(server.url, settings) as first, httpx.Client(base_url=first.url, timeout=60) as api:
            made = Ada(api).made
        named = {**settings, "SPLITO_ORGANISERS": made["id"]}
        with running(server.url, named) as process, httpx.Client(base_url=process.url, timeout=60) as api:
            yield Arena(Ada(api, made["key"]), Ada(api), Ada(api), api)


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without the bots of other tests."""
    with open_server(tmp_path_factory.mktemp("bots")) as server:
        yield server.url


@pytest.fixture
async def bots(link: Link) -> AsyncIterator[Bots]:
    """Bots that are deleted after the test."""
    bots = Bots(link)
    yield bots
    for bot in (await bots.page(None, 100)).bots:
        await bots.delete(bot)


async def registered(bots: Bots, open_to: OpenTo, owner: str = "ada") -> Registered:
    made = await bots.create(owner, "pull", "Polly", open_to=open_to)
    return await bots.change(made.id, partial(described, info=msgspec.convert(INFO, BotInfo)))


def seats(bot: str) -> dict[str, Any]:
    return {"seats": [{"kind": "bot", "bot": bot}, GREEDY]}


@pytest.mark.parametrize("who", ["owner", "organiser", "stranger", "nobody"])
@pytest.mark.parametrize("open_to", ALLOWED)
def test_a_bot_is_seated_only_by_clients_it_is_open_to(arena: Arena, open_to: OpenTo, who: str) -> None:
    answer = arena.create(who, "/v1/splitter/matches", seats(arena.bot(open_to)))
    if who in ALLOWED[open_to]:
        assert answer.status_code == 201, answer.text
    else:
        assert "its owner opens it with open_to" in problem(answer, 403, "not-allowed")["detail"]


@pytest.mark.parametrize("who", ["owner", "organiser", "stranger"])
@pytest.mark.parametrize("open_to", ALLOWED)
def test_a_bot_is_entered_only_by_owners_it_is_open_to(arena: Arena, open_to: OpenTo, who: str) -> None:
    bot = arena.bot(open_to)
    cup = {**SMALL, "bots": ["greedy", "random", bot]}
    asked = {
        "/v1/tournaments/dry-run": cup,
        "/v1/tournaments": cup,
        "/v1/experiments": {**SHORT, "field": ["greedy", bot]},
    }
    for path, body in asked.items():
        answer = arena.create(who, path, body)
        if who in ALLOWED[open_to]:
            assert answer.status_code in (200, 201), answer.text
        else:
            problem(answer, 403, "not-allowed")
    ladder = arena.create(who, "/v1/tournaments", {**SMALL, "format": LADDER}).headers["Location"]
    entered = getattr(arena, who).ask("PUT", f"{ladder}/bots/{bot}")
    assert entered.status_code == (200 if who in ALLOWED[open_to] else 403), entered.text
    getattr(arena, who).ask("PUT", f"{ladder}/state", {"state": "cancelled"})


def test_the_owner_of_a_closed_bot_enters_it_in_the_ladder_of_a_stranger(arena: Arena) -> None:
    bot = arena.bot("owner")
    ladder = arena.stranger.ask("POST", "/v1/tournaments", {**SMALL, "format": LADDER}).headers["Location"]
    assert arena.owner.ask("PUT", f"{ladder}/bots/{bot}").status_code == 200
    assert arena.owner.ask("DELETE", f"{ladder}/bots/{bot}").status_code == 204
    problem(arena.stranger.ask("PUT", f"{ladder}/bots/{bot}"), 403, "not-allowed")
    arena.stranger.ask("PUT", f"{ladder}/state", {"state": "cancelled"})


def test_the_holder_does_not_enter_a_bot_again_that_its_owner_withdrew(arena: Arena) -> None:
    bot = arena.bot("everybody")
    ladder = arena.stranger.ask("POST", "/v1/tournaments", {**SMALL, "format": LADDER}).headers["Location"]
    assert arena.stranger.ask("PUT", f"{ladder}/bots/{bot}").status_code == 200
    assert arena.owner.ask("DELETE", f"{ladder}/bots/{bot}").status_code == 204
    problem(arena.stranger.ask("PUT", f"{ladder}/bots/{bot}"), 403, "not-allowed")
    again = arena.owner.ask("PUT", f"{ladder}/bots/{bot}").json()["entrants"][-1]
    assert (again["bot"], again["gone"]) == (bot, None)
    arena.stranger.ask("PUT", f"{ladder}/state", {"state": "cancelled"})


def test_an_owner_withdraws_a_bot_from_the_experiment_of_a_stranger(arena: Arena) -> None:
    bot = arena.bot("everybody")
    question = {"least": 5000, "cap": 5000}
    made = arena.stranger.ask("POST", "/v1/experiments", {**SHORT, "field": [bot], "question": question}).json()
    problem(arena.organiser.ask("DELETE", f"/v1/tournaments/{made['id']}/bots/{bot}"), 403, "wrong-owner")
    assert arena.owner.ask("DELETE", f"/v1/tournaments/{made['id']}/bots/{bot}").status_code == 204
    shown = arena.nobody.get(f"/v1/experiments/{made['id']}").json()
    assert shown["field"][0]["gone"] == OWNER_WITHDREW


def test_a_refusal_does_not_tell_whether_the_bot_is_ready_or_plays_the_game(arena: Arena) -> None:
    new = arena.owner.ask("POST", "/v1/bots", {"name": "New", "kind": "push", "url": "http://127.0.0.1:3999"})
    said: set[str] = set()
    for bot in (arena.bot(), new.json()["bot"]["id"]):
        for game in ("splitter", "splito"):
            answer = arena.create("nobody", f"/v1/{game}/matches", seats(bot))
            said.add(answer.text.replace(bot, "BOT"))
        for path, body in (("/v1/tournaments", {**SMALL, "bots": ["greedy", bot]}), ("/v1/experiments", SHORT)):
            wanted = body if "bots" in body else {**body, "field": [bot]}
            refused = problem(arena.create("stranger", path, wanted), 403, "not-allowed")
            assert refused["detail"].replace(bot, "BOT") in next(iter(said))
    assert len(said) == 1, said


def test_a_key_that_is_not_good_for_play_creates_no_match(arena: Arena) -> None:
    body = seats(arena.bot("everybody"))
    problem(arena.owner.make_key("bots").ask("POST", "/v1/splitter/matches", body), 403, "wrong-scope")
    problem(Ada(arena.nobody, "key-nonsense").ask("POST", "/v1/splitter/matches", body), 401, "no-key")
    revoked = arena.owner.make_key("play")
    assert revoked.ask("POST", "/v1/splitter/matches", body).status_code == 201
    arena.owner.ask("DELETE", f"/v1/keys/{revoked.key_id}")
    problem(revoked.ask("POST", "/v1/splitter/matches", body), 401, "no-key")


def test_open_to_is_public_and_changed_by_the_owner(arena: Arena) -> None:
    path = f"/v1/bots/{arena.bot()}"
    assert arena.nobody.get(path).json()["open_to"] == "organisers"
    assert arena.owner.ask("PUT", path, {"name": "P", "open_to": "owner"}).json()["open_to"] == "owner"
    assert arena.owner.ask("PUT", path, {"name": "Polly"}).json()["open_to"] == "owner", "left out, it stays"
    assert arena.nobody.get("/v1/bots?limit=1").json()["bots"][0]["open_to"] == "owner"
    problem(arena.owner.ask("PUT", path, {"name": "P", "open_to": "friends"}), 400, "bad-request")


def test_a_bot_with_a_new_url_keeps_its_open_to(arena: Arena) -> None:
    wanted = {"name": "M", "kind": "push", "url": "http://127.0.0.1:3998", "open_to": "owner"}
    path = f"/v1/bots/{arena.owner.ask('POST', '/v1/bots', wanted).json()['bot']['id']}"
    moved = arena.owner.ask("PUT", path, {"name": "M", "url": "http://127.0.0.1:3999"}).json()
    assert (moved["open_to"], moved["own"]["url"]) == ("owner", "http://127.0.0.1:3999")


def test_without_named_organisers_only_the_arena_and_the_owner_may_enter_a_bot() -> None:
    bot = Registered(id="0" * 24, owner="ada", kind="pull", name="Polly")
    nobody, everyone = Organisers(), Organisers(["*"])
    assert [owner in nobody for owner in (HOUSE, "ada", "bob")] == [True, False, False]
    assert [owner in everyone for owner in (HOUSE, "ada", "bob")] == [True, True, True]
    assert [allows(bot, Asker(owner, owner in nobody)) for owner in (HOUSE, "ada", "bob")] == [True, True, False]
    assert not allows(bot, NOBODY)


@pytest.mark.anyio
async def test_a_bot_stored_without_open_to_is_open_to_organisers(link: Link, bots: Bots) -> None:
    bot = await registered(bots, "everybody")
    stored = msgspec.to_builtins(bot)
    del stored["open_to"]
    await link.call("SET", f"bot:{bot.id}", msgspec.json.encode(stored))
    assert await bots.get(bot.id) == replace(bot, open_to="organisers")


@pytest.mark.anyio
async def test_a_tournament_stored_without_consent_fields_is_read(link: Link) -> None:
    kept = tournament(RoundRobin(), *house("random", "planner"))
    stored = msgspec.to_builtins(kept)
    del stored["by_organiser"], stored["entrants"][0]["by_owner"]
    await link.call("SET", f"tournament:{kept.id}", msgspec.json.encode(stored))
    assert await Tournaments(link).get(kept.id) == kept


@pytest.mark.anyio
async def test_the_ladder_of_the_arena_takes_no_bot_that_is_open_to_its_owner_only(link: Link, bots: Bots) -> None:
    closed, organised, public = [await registered(bots, open_to) for open_to in ALLOWED]
    kept = await held(link, Ladder(everybody=True))
    assert present(kept) == {"random", "planner", organised.id, public.id}
    await bots.change(closed.id, partial(replace, open_to="organisers"))
    assert closed.id in present(await next_round(link, kept))
    await bots.change(closed.id, partial(replace, open_to="owner"))
    after = await next_round(link, kept)
    assert {one.bot: one.gone for one in after.entrants}[closed.id] == CLOSED


@pytest.mark.anyio
@pytest.mark.parametrize(("by_organiser", "opens"), [(True, {"organisers", "everybody"}), (False, {"everybody"})])
async def test_the_ladder_of_an_owner_takes_the_bots_that_are_open_to_that_owner(
    link: Link, bots: Bots, by_organiser: bool, opens: set[OpenTo]
) -> None:
    made = {open_to: (await registered(bots, open_to)).id for open_to in ALLOWED}
    own = await registered(bots, "owner", owner="bob")
    kept = await held(link, Ladder(everybody=True), owner="bob", by_organiser=by_organiser)
    assert present(kept) == {"random", "planner", own.id, *(made[open_to] for open_to in opens)}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("kind", "by_owner", "gone"),
    [
        (RoundRobin(), False, None),
        (Experiment(new="random", old="planner", field=("greedy",)), False, None),
        (Ladder(), False, CLOSED),
        (Ladder(), True, None),
    ],
)
async def test_a_closed_bot_leaves_ladders_but_stays_in_finite_tournaments(
    bots: Bots, kind: Format, by_owner: bool, gone: str | None
) -> None:
    bot = await registered(bots, "owner")
    entered = replace(entrant(bot), by_owner=by_owner)
    kept = tournament(kind, *house("random"), entered, owner="bob", by_organiser=True)
    assert absence(kept, entered, bot) == gone


async def held(link: Link, kind: Ladder, **more: Any) -> StoredTournament:
    return await Organiser(link, Bots(link)).hold(tournament(kind, *house("random", "planner"), **more))


async def next_round(link: Link, kept: StoredTournament) -> StoredTournament:
    """Return the ladder with its next round planned, as if the last one were played and its pause over."""
    number = (await Tournaments(link).get(kept.id)).round
    await link.call("DEL", f"tournament:{kept.id}:open")
    await link.call("SET", f"tournament:{kept.id}:rest", f"{number} 0")
    assert await Organiser(link, Bots(link)).advance(kept.id)
    return await Tournaments(link).get(kept.id)


def present(kept: StoredTournament) -> set[str]:
    return {one.bot for one in kept.entrants if one.gone is None}
