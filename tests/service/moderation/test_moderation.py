"""Organisers ban owners and bots and remove tournaments; the log has every action, and only organisers read it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.service.holding import SHORT, SMALL, Organiser, working
from tests.service.matches.test_api import OPEN, Table, problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import POLLY, PRIVATE, Polling, eventually, last_move, polling
from tests.service.process import running
from tests.service.tournaments.http_calls import LONG, NOBODY, get

ACTIONS, BANS = "/v1/moderation/actions", "/v1/moderation/bans"
STOPPED = "stopped by the organisers of the arena"
WHY = "It talks to its friends."


class Arena(NamedTuple):
    """A service with a worker, and two named organisers."""

    api: httpx.Client
    olga: Ada
    otto: Ada
    ids: tuple[str, str]
    """Owner ids of the organisers."""

    def moderate(self, action: str, target: str, reason: str = WHY) -> Any:
        """Return the entry of an action of Olga."""
        done = self.olga.ask("POST", ACTIONS, {"action": action, "target": target, "reason": reason})
        assert done.status_code == 201, done.text
        return done.json()


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with open_server(tmp_path_factory.mktemp("moderation")) as server:
        with running(server.url, PRIVATE) as process, httpx.Client(base_url=process.url, timeout=60) as api:
            olga, otto = Organiser(api, "Olga"), Organiser(api, "Otto")
        named = PRIVATE | {"SPLITO_ORGANISERS": f"{olga.id},{otto.id}"}
        with (
            running(server.url, named) as process,
            working(server.url),
            httpx.Client(base_url=process.url, timeout=60) as api,
        ):
            yield Arena(api, Ada(api, olga.key), Ada(api, otto.key), (olga.id, otto.id))


def entrant_of(arena: Arena, path: str, bot: str) -> Any:
    return next(one for one in get(arena.api, path)["entrants"] if one["bot"] == bot)


def test_a_banned_owner_gets_the_reason_and_others_only_learn_that_the_bot_is_not_ready(arena: Arena) -> None:
    eve, ada = Ada(arena.api), Ada(arena.api)
    bot = Polling(eve, games=["splitter"])
    arena.moderate("ban-owner", eve.made["id"])
    for method, path, body in (
        ("POST", "/v1/bots", POLLY),
        ("POST", "/v1/tournaments", SMALL),
        ("POST", "/v1/tournaments/dry-run", SMALL),
        ("POST", "/v1/experiments", SHORT),
        ("POST", "/v1/splitter/matches", {"seats": [bot.seat, OPEN]}),
    ):
        assert problem(eve.ask(method, path, body), 403, "banned")["detail"] == (
            f"you are banned by the organisers of this arena: {WHY}"
        )
    said = problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": ["greedy", bot.id]}), 409, "not-ready")
    seated = problem(arena.api.post("/v1/splitter/matches", json={"seats": [bot.seat, OPEN]}), 409, "bad-bot")
    for text in (said["detail"], seated["detail"], arena.api.get(f"/v1/bots/{bot.id}").text):
        assert WHY not in text
        assert "banned by" not in text
    assert eve.ask("GET", f"/v1/bots/{bot.id}").json()["own"]["banned"] == WHY
    assert eve.ask("DELETE", f"/v1/bots/{bot.id}").status_code == 204, "a banned owner may delete their own"


def test_tournaments_of_a_banned_owner_are_cancelled(arena: Arena) -> None:
    eve = Organiser(arena.api, "Eve")
    path, question = eve.hold(**LONG), eve.experiment(**SHORT | {"question": {"least": 1000, "cap": 1000}})
    arena.moderate("ban-owner", eve.id)
    for held in (path, question):
        progress = get(arena.api, held)["progress"]
        assert (progress["state"], progress["reason"]) == ("cancelled", STOPPED)


def test_a_ban_can_be_lifted_and_then_the_owner_plays_again(arena: Arena) -> None:
    eve = Organiser(arena.api, "Eve")
    arena.moderate("ban-owner", eve.id)
    problem(eve.ask("POST", "/v1/tournaments", SMALL), 403, "banned")
    arena.moderate("lift-owner-ban", eve.id, "Eve has apologised.")
    path = eve.hold()
    eve.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_a_removed_owner_leaves_no_ban_behind(arena: Arena) -> None:
    eve = Ada(arena.api)
    bot = Polling(eve).id
    arena.moderate("ban-bot", bot)
    arena.moderate("ban-owner", eve.made["id"])
    assert eve.ask("DELETE", "/v1/owner").status_code == 204
    targets = {ban["target"] for ban in arena.olga.ask("GET", f"{BANS}?limit=100").json()["bans"]}
    assert not targets & {bot, eve.made["id"]}


def test_the_owner_of_a_banned_bot_gets_the_reason_and_may_use_other_bots(arena: Arena) -> None:
    eve = Organiser(arena.api, "Eve")
    owner = Ada(arena.api, eve.key)
    bad, good = Polling(owner, games=["splitter"]), Polling(owner, games=["splitter"])
    arena.moderate("ban-bot", bad.id)
    for method, path, body in (
        ("POST", "/v1/tournaments", SMALL | {"bots": ["greedy", bad.id]}),
        ("POST", f"/v1/bots/{bad.id}/checks", {}),
        ("POST", "/v1/splitter/matches", {"seats": [bad.seat, OPEN]}),
    ):
        assert problem(owner.ask(method, path, body), 403, "banned")["detail"].endswith(f": {WHY}"), path
    path = eve.hold(bots=["greedy", good.id])
    eve.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_blocks_of_a_banned_bot_are_skipped_until_the_ban_is_lifted(arena: Arena) -> None:
    holder, bot = Organiser(arena.api, "Bob"), Polling(Ada(arena.api), games=["splitter"])
    with polling(bot, [str(arena.api.base_url)], last_move):
        path = holder.hold(bots=["greedy", bot.id], **LONG)
        eventually(lambda: get(arena.api, path)["progress"]["games"], lambda games: games > 0)
        arena.moderate("ban-bot", bot.id)
        eventually(lambda: get(arena.api, path)["progress"]["skipped"], lambda skipped: skipped > 0)
        assert entrant_of(arena, path, bot.id)["gone"] == STOPPED
        arena.moderate("lift-bot-ban", bot.id)
        assert arena.api.get(f"/v1/bots/{bot.id}").json()["state"] == "ready"
    holder.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_a_ladder_goes_on_without_a_banned_bot_and_takes_it_back(arena: Arena) -> None:
    holder, bot = Organiser(arena.api, "Bob"), Polling(Ada(arena.api), games=["splitter"])
    with polling(bot, [str(arena.api.base_url)], last_move):
        path = holder.hold(format={"kind": "ladder"}, bots=["greedy", "random", bot.id])
        arena.moderate("ban-bot", bot.id)
        eventually(lambda: entrant_of(arena, path, bot.id)["gone"], lambda gone: gone == STOPPED)
        arena.moderate("lift-bot-ban", bot.id)
        eventually(lambda: entrant_of(arena, path, bot.id)["gone"], lambda gone: gone is None)
    holder.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_a_house_bot_plays_for_a_banned_bot_in_a_live_match(arena: Arena) -> None:
    bot = Polling(Ada(arena.api), games=["splitter"])
    table = Table(arena.api, "splitter", [{"kind": "open"}, bot.seat])
    arena.moderate("ban-bot", bot.id)
    joined = arena.api.post(f"{table.path}/seats", json={"name": "Bob"})
    assert joined.status_code == 201, joined.text
    table.tokens[0] = joined.json()["token"]
    move = table.get(0)["legal_moves"][0]
    sealed = arena.api.put(
        f"{table.path}/turns/0/seats/0",
        json={"move": move},
        headers={"Authorization": f"Bearer {table.tokens[0]}"},
    )
    assert sealed.is_success, sealed.text
    eventually(lambda: table.get(0)["turn"], lambda turn: turn > 0)
    assert bot.poll() == []


@pytest.mark.parametrize("state", ["running", "over"])
def test_a_removed_tournament_is_gone_for_all_clients(arena: Arena, state: str) -> None:
    eve = Organiser(arena.api, "Eve")
    path = eve.hold(**(LONG if state == "running" else {"format": {"kind": "round-robin", "blocks": 1}}))
    if state == "over":
        eve.wait(path)
    tournament = path.rpartition("/")[2]
    entry = arena.moderate("remove-tournament", tournament, "Its name is an insult.")
    assert (entry["target"], entry["target_name"]) == (tournament, "Small")
    for part in ("", "/standings", "/dump", "/report"):
        problem(arena.api.get(path + part), 404, "unknown-tournament")
    listed = get(arena.api, f"/v1/tournaments?owner={eve.id}")["tournaments"]
    assert listed == []
    assert eve.hold(), "its owner may hold others"


def test_an_experiment_can_be_removed(arena: Arena) -> None:
    path = Organiser(arena.api, "Eve").experiment(**SHORT)
    arena.moderate("remove-tournament", path.rpartition("/")[2])
    problem(arena.api.get(path), 404, "unknown-tournament")


def test_the_log_has_organiser_action_target_reason_and_time_newest_first(arena: Arena) -> None:
    eve = Ada(arena.api)
    first = arena.moderate("ban-owner", eve.made["id"])
    done = arena.otto.ask(
        "POST", ACTIONS, {"action": "lift-owner-ban", "target": eve.made["id"], "reason": "A mistake."}
    )
    last = done.json()
    page = arena.olga.ask("GET", f"{ACTIONS}?limit=1").json()
    assert page["actions"] == [last]
    assert (last["organiser"]["name"], last["reason"]) == ("Otto", "A mistake.")
    (older,) = arena.otto.ask("GET", f"{ACTIONS}?limit=1&cursor={page['next']}").json()["actions"]
    assert older == first
    assert older["organiser"] == {"id": arena.ids[0], "name": "Olga"}
    assert (older["action"], older["target_name"], older["reason"]) == ("ban-owner", "Ada", WHY)
    assert older["time"] <= last["time"]


def test_the_list_of_bans_has_their_reasons_and_pages(arena: Arena) -> None:
    owners = [Ada(arena.api).made["id"] for _ in range(3)]
    for owner in owners:
        arena.moderate("ban-owner", owner)
    page = arena.olga.ask("GET", f"{BANS}?limit=2").json()
    assert [ban["target"] for ban in page["bans"]] == [owners[2], owners[1]]
    assert {(ban["kind"], ban["reason"]) for ban in page["bans"]} == {("owner", WHY)}
    rest = arena.olga.ask("GET", f"{BANS}?limit=1&cursor={page['next']}").json()
    assert [ban["target"] for ban in rest["bans"]] == [owners[0]]


@pytest.mark.parametrize("reason", ["", " ", "two\nlines", "\x1b[31mred", "\u202eevil", "x" * 501])
def test_a_reason_is_one_line_of_visible_text(arena: Arena, reason: str) -> None:
    before = arena.olga.ask("GET", f"{ACTIONS}?limit=1").json()
    wanted = {"action": "ban-owner", "target": Ada(arena.api).made["id"], "reason": reason}
    refused = arena.olga.ask("POST", ACTIONS, wanted)
    problem(refused, 400, "bad-request")
    assert arena.olga.ask("GET", f"{ACTIONS}?limit=1").json() == before, "a refused action is not logged"


def test_no_request_changes_or_removes_an_entry(arena: Arena) -> None:
    entry = arena.moderate("ban-owner", Ada(arena.api).made["id"])
    for method in ("PUT", "DELETE", "PATCH"):
        assert arena.olga.ask(method, ACTIONS, {}).status_code == 405
        assert arena.olga.ask(method, f"{ACTIONS}/{entry['id']}", {}).status_code in (404, 405)


def test_strangers_and_other_owners_neither_act_nor_read(arena: Arena) -> None:
    eve, target = Ada(arena.api), Ada(arena.api).made["id"]
    wanted = {"action": "ban-owner", "target": target, "reason": WHY}
    problem(arena.api.post(ACTIONS, json=wanted), 401, "no-key")
    problem(eve.ask("POST", ACTIONS, wanted), 403, "wrong-owner")
    for path in (ACTIONS, BANS):
        problem(arena.api.get(path), 401, "no-key")
        problem(eve.ask("GET", path), 403, "wrong-owner")
    for scope in ("play", "bots", "logs"):
        problem(arena.olga.make_key(scope).ask("POST", ACTIONS, wanted), 403, "wrong-scope")


def test_organisers_cannot_ban_each_other_or_themselves(arena: Arena) -> None:
    for owner in arena.ids:
        wanted = {"action": "ban-owner", "target": owner, "reason": WHY}
        problem(arena.olga.ask("POST", ACTIONS, wanted), 403, "protected")


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("ban-owner", "unknown-owner"),
        ("ban-bot", "unknown-bot"),
        ("remove-tournament", "unknown-tournament"),
        ("lift-owner-ban", "not-banned"),
        ("lift-bot-ban", "not-banned"),
    ],
)
def test_an_action_on_an_unknown_target_is_refused(arena: Arena, action: str, code: str) -> None:
    status = 409 if code == "not-banned" else 404
    wanted = {"action": action, "target": NOBODY, "reason": WHY}
    problem(arena.olga.ask("POST", ACTIONS, wanted), status, code)


def test_house_bots_cannot_be_banned(arena: Arena) -> None:
    wanted = {"action": "ban-bot", "target": "planner", "reason": WHY}
    problem(arena.olga.ask("POST", ACTIONS, wanted), 400, "bad-request")
