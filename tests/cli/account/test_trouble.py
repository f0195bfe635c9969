"""Everything that can go wrong at an arena: both programs name the cause and the next step, in one line."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
import redis

import splito_bot.program
from splito_cli.main import main
from splito_service.owners.bans import BANS, field_of
from splito_service.owners.model import Ban
from splito_service.processes.embedded_redis import open_server
from tests.arena.net.servers import HOST, answer, closes_after, nobody
from tests.cli.serving import served
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE
from tests.service.process import running

LADDER = {
    "name": "Ladder",
    "game": "splitter",
    "players": 2,
    "format": {"kind": "ladder", "blocks": 1},
    "bots": ["greedy", "random"],
}
PROGRAMS = ("splito-bot", "splito")


class World(NamedTuple):
    """A service with an owner, keys of several kinds, and what they may not do."""

    url: str
    deleted: str
    play: str
    banned: str
    ada: str
    bob: str
    bot: str
    """Id of a push bot of Ada, which is new and not running."""
    ladder: str
    elsewhere: str
    """Address at which another program answers."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with (
        open_server(tmp_path_factory.mktemp("trouble")) as server,
        served(closes_after(answer(b"<html>"))) as elsewhere,
        running(server.url, PRIVATE) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        ada, bob, eve = Ada(api), Ada(api), Ada(api)
        deleted = ada.make_key("bots", "play")
        assert ada.ask("DELETE", f"/v1/keys/{deleted.key_id}").status_code == 204
        client: Any = redis.Redis.from_url(server.url)  # pyright: ignore[reportUnknownMemberType]
        with client:
            client.hset(BANS, field_of("owner", eve.made["id"]), msgspec.json.encode(Ban("Sells rankings", 0)))
        wanted = {"name": "owl", "kind": "push", "url": f"http://{HOST}:{nobody()}"}
        bot = ada.ask("POST", "/v1/bots", wanted).json()["bot"]["id"]
        ladder = bob.ask("POST", "/v1/tournaments", LADDER).json()["id"]
        play = ada.make_key("play").key
        yield World(process.url, deleted.key, play, eve.key, ada.key, bob.key, bot, ladder, elsewhere)


class Case(NamedTuple):
    """Words of a command, with `{fields}` of the world, and what is said."""

    words: str
    cause: str
    next: str


AT = "--url {url} --key"
CASES = {
    "the service is away": Case(
        f"status --url http://{HOST}:{nobody()} --key k", "no service at http://", "`splito serve` starts an arena"
    ),
    "a wrong address": Case(
        "status --url {elsewhere} --key k", "does not answer as the service does", "another program answers there"
    ),
    "an address without scheme": Case(
        "status --url 127.0.0.1:8000 --key k", "'127.0.0.1:8000' is no address", "write http://127.0.0.1:8000"
    ),
    "nobody is logged in": Case("status", "you are not logged in at any arena", "log in once with `{login}"),
    "not logged in there": Case("status --url {url}", "you are not logged in at {url}", "log in with `{login} {url}`"),
    "a deleted key": Case(f"status {AT} {{deleted}}", "no-key: this key does not exist", "log in with a key"),
    "a key without the scope": Case(
        f"register kite --pull {AT} {{play}}",
        "wrong-scope: this key has no scope 'bots', but play",
        "{whoami}` shows",
    ),
    "an unknown profile": Case(
        "status --profile nowhere", "there is no profile 'nowhere'", "log in with `{login} URL`"
    ),
    "the profile of another owner": Case(
        f"prove {{bot}} {AT} {{bob}}", "you have no bot here", "register one: `{group} register"
    ),
    "an unknown bot": Case(
        f"status kite {AT} {{ada}}", "you have no bot 'kite' here", "name one of yours: owl ({bot})"
    ),
    "a name that is taken": Case(
        f"register owl --pull {AT} {{ada}}",
        "you have a bot 'owl' here already",
        "choose another name, or `{group} retire`",
    ),
    "a banned owner": Case(f"register owl --pull {AT} {{banned}}", "Sells rankings", "ask the organisers of the arena"),
    "a bot that is not running": Case(
        f"prove {AT} {{ada}}", "not-proved: the connection was refused", "start the bot with its secret"
    ),
    "a bot that is not ready": Case(
        f"enter {{ladder}} owl {AT} {{ada}}", "not-ready: bot 'owl'", "`{group} status` says what the bot needs"
    ),
    "an unknown tournament": Case(
        f"enter {'0' * 24} owl {AT} {{ada}}", "unknown-tournament", "check that --url is the service that holds it"
    ),
    "a bot that must not be retired by mistake": Case(
        f"retire owl {AT} {{ada}}", "owl ({bot}) was not retired", "add --yes: nothing brings it back"
    ),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", CASES)
def test_every_failure_has_a_cause_and_a_next_step_in_both_programs(
    name: str, program: str, world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = "splito bot" if program == "splito" else program
    texts = world._asdict() | {"group": group, "login": f"{program} login", "whoami": f"{program} whoami"}
    case = Case(*(text.format(**texts) for text in CASES[name]))
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # nobody answers questions
    run = main if program == "splito" else splito_bot.program.main
    code = run([*(["bot"] if program == "splito" else []), *case.words.split()])
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1), said
    cause, _, advice = said.err.partition(". Next: ")
    assert cause.startswith(f"{program}: ")
    assert case.cause in cause
    assert case.next in advice
    assert not any(key in said.err for key in (world.deleted, world.play, world.banned, world.ada, world.bob))


def test_connect_refuses_a_push_bot(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["connect", "json:dumps", "--bot", "owl", "--url", world.url, "--key", world.ada]
    assert splito_bot.program.main(words) == 2
    said = capsys.readouterr().err
    assert f"owl ({world.bot}) is a push bot, which the arena calls. Next: serve it: `splito-bot serve" in said


def test_commands_of_organisers_have_the_same_messages(
    world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "cup.toml").write_text("")
    for words in (["tournament", "dry-run", str(tmp_path / "cup.toml")], ["moderate", "log"]):
        assert main(words) == 2
        assert "not-logged-in: you are not logged in at any arena. Next: log in once" in capsys.readouterr().err
        assert main([*words, "--url", world.url, "--key", world.deleted]) == 2
        assert "no-key: this key does not exist" in capsys.readouterr().err
