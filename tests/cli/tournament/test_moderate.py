"""`splito moderate` from the outside: an organiser bans, lifts, removes and reads the log."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.cli.conftest import Splito
from tests.service.holding import Organiser
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE, Polling
from tests.service.process import running

REASON = "Talks to [bold]friends[/bold]."


class Arena(NamedTuple):
    api: httpx.Client
    where: tuple[str, ...]
    """Options with the address of the service and the key of the organiser."""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with open_server(tmp_path_factory.mktemp("moderate")) as server:
        with running(server.url, PRIVATE) as process, httpx.Client(base_url=process.url, timeout=60) as api:
            olga = Organiser(api, "Olga")
        named = PRIVATE | {"SPLITO_ORGANISERS": olga.id}
        with running(server.url, named) as process, httpx.Client(base_url=process.url, timeout=60) as api:
            yield Arena(api, ("--url", process.url, "--key", olga.key))


def test_an_organiser_bans_and_lifts_and_the_log_and_the_bans_show_it(arena: Arena, splito: Splito) -> None:
    eve = Ada(arena.api)
    bot, owner = Polling(eve).id, eve.made["id"]
    for action, target in (("ban-bot", bot), ("ban-owner", owner), ("lift-owner-ban", owner)):
        run = splito("moderate", action, target, "--reason", REASON, *arena.where)
        assert (run.code, run.err) == (0, "")
        assert f"Done and logged: {action} {target}" in " ".join(run.out.split())
    bans = json.loads(splito("moderate", "bans", "--json", *arena.where).out)["bans"]
    assert [(ban["kind"], ban["target"], ban["reason"]) for ban in bans] == [("bot", bot, REASON)]
    assert REASON in " ".join(splito("moderate", "bans", *arena.where).out.split())
    log = json.loads(splito("moderate", "log", "--limit", "2", "--json", *arena.where).out)["actions"]
    assert [one["action"] for one in log] == ["lift-owner-ban", "ban-owner"]
    shown = splito("moderate", "log", *arena.where).out
    assert "Olga" in shown
    assert REASON in " ".join(shown.split()), "a reason is not read as markup"
    assert splito("moderate", "lift-bot-ban", bot, "--reason", "Corrected.", *arena.where).code == 0


def test_an_organiser_removes_a_tournament(arena: Arena, splito: Splito) -> None:
    path = Organiser(arena.api, "Eve").hold()
    held = path.rpartition("/")[2]
    assert splito("moderate", "remove-tournament", held, "--reason", REASON, *arena.where).code == 0
    assert arena.api.get(path).status_code == 404


def test_a_refusal_is_printed_with_advice(arena: Arena, splito: Splito) -> None:
    eve = Ada(arena.api)
    where = (*arena.where[:3], eve.key)
    run = splito("moderate", "ban-owner", eve.made["id"], "--reason", REASON, *where)
    assert run.code == 2
    assert "wrong-owner" in run.err
    assert eve.made["id"] in run.err
