"""Every operation of the contract, called in every role over HTTP, is permitted or refused as the table says."""

from collections.abc import Iterator

import httpx
import pytest

from splito_service.http.access import ROLES, SEATS, Role, verdict
from splito_service.http.app import ENDPOINTS
from splito_service.problems import STATUS
from splito_service.processes.embedded_redis import open_server
from tests.contract.documents import service_document
from tests.contract.reader import Call
from tests.service.holding import SMALL, Organiser, working
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.permission_calls import BODIES, Cast, Things, World
from tests.service.polling import PRIVATE
from tests.service.process import running
from tests.service.pushed import serving

ACCESS = {row.id: row.access for row in ENDPOINTS}
CALLS = [*service_document().calls]
ROWS = {row.id: row for row in ENDPOINTS}
CHANGES = [
    call
    for call in CALLS
    if call.method in ("post", "put") and call.operation.get("security") and call.id != "createModeration"
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A service with a named organiser, and a tournament that a worker has played."""
    with open_server(tmp_path_factory.mktemp("permissions")) as server, serving() as push:
        with running(server.url, PRIVATE) as process, httpx.Client(base_url=process.url, timeout=60) as api:
            holder = Organiser(api)
            held = holder.hold(ranked=False)
            spare = Organiser(api)
            with working(server.url):
                holder.wait(held)
        named = PRIVATE | {"SPLITO_ORGANISERS": f"{holder.id},{spare.id}"}
        with running(server.url, named) as process, httpx.Client(base_url=process.url, timeout=60) as api:
            block = api.get(f"{held}/blocks").json()["blocks"][0]["block"]
            organiser, deleted = Ada(api, holder.key), Ada(api, spare.key)
            yield World(api, server.url, organiser, deleted, push, held.rpartition("/")[2], block)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.id)
def test_an_operation_is_permitted_and_refused_as_the_table_says(world: World, call: Call) -> None:
    cast = Cast(world)
    shared = Things(world, cast, call)
    verdicts: dict[Role, str | None] = {role: verdict(ACCESS[shared.operation], role) for role in ROLES}
    for role, code in verdicts.items():
        if code is not None:
            problem(shared.request(role), STATUS[code], code)
    success = min(status for status in call.operation["responses"] if status < "300")
    for role, code in verdicts.items():
        if code is None:
            cast = Cast(world, world.spare) if call.id == "deleteOwner" else cast  # the last one was deleted
            answer = Things(world, cast, call).request(role)
            assert str(answer.status_code) == success, (role, answer.text)


@pytest.fixture(scope="module")
def banned(world: World) -> Cast:
    """A cast whose other owner is banned."""
    cast = Cast(world)
    wanted = {"action": "ban-owner", "target": cast.other.made["id"], "reason": "Spam"}
    assert world.organiser.ask("POST", "/v1/moderation/actions", wanted).status_code == 201
    return cast


@pytest.mark.parametrize("call", CHANGES, ids=lambda call: call.id)
def test_a_banned_owner_meets_the_ban_wherever_a_key_changes_something(world: World, banned: Cast, call: Call) -> None:
    things = Things(world, banned, call)
    row = ROWS[things.operation]
    answer = things.request("other owner")
    if row.refuses_banned:
        assert problem(answer, 403, "banned")["detail"].endswith(": Spam")
    else:
        assert answer.json()["code"] != "banned" if answer.status_code >= 400 else row.access.while_banned


def refusing(role: Role) -> set[str]:
    """Return the operations that the role may not call."""
    return {name for name, row in ACCESS.items() if verdict(row, role) is not None}


def test_every_role_except_the_entitled_owner_and_seat_is_refused_somewhere() -> None:
    refused: dict[Role, set[str]] = {role: refusing(role) for role in ROLES}
    of_organisers = {"createModeration", "listModeration", "listBans"}
    assert {name for name in refused["owner"] if ACCESS[name].access.startswith("owner")} == of_organisers
    assert not refused["organiser"] & of_organisers
    assert {name for name in refused["seat"] if ACCESS[name].access in ("seat", "either")} == set()
    assert [role for role in ROLES if role not in ("owner", "seat") and not refused[role]] == []
    assert refused["former seat"] >= {"leave{Game}Match", "seal{Game}Move", "get{Game}Match"}
    assert all(role in ROLES for role in SEATS)


def test_only_an_organiser_holds_a_ranked_tournament(world: World) -> None:
    cast, wanted = Cast(world), SMALL | {"ranked": True}
    for path in ("/v1/tournaments", "/v1/tournaments/dry-run"):
        problem(cast.owner.ask("POST", path, wanted), 403, "wrong-owner")
        problem(world.organiser.ask("POST", path, wanted), 409, "bad-option")  # bots of the house alone


def test_a_new_key_has_only_scopes_of_the_creating_key(world: World) -> None:
    cast = Cast(world)
    answer = Ada(world.api, cast.keys["keys key"]).ask("POST", "/v1/keys", {"scopes": ["keys", "play"]})
    problem(answer, 403, "wrong-scope")


def test_the_table_of_request_bodies_names_only_existing_operations() -> None:
    assert BODIES.keys() <= ACCESS.keys()
