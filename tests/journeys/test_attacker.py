"""An attacker tries to see hidden cards, to starve others, to fill the memory and to reach private addresses.

The service is not in development mode, except where bots on this machine play.
"""

import json
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from socket import create_server, socket
from typing import Any

import pytest

from tests.journeys.arena import LONG, PATIENT, Arena
from tests.journeys.commands import Api, answers, finished, free_port, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are for POSIX systems")
STRICT = {"SPLITO_RATE": "0", "SPLITO_CREATE_RATE": "0"}
GAMES = ("splito", "splitit", "splitter") if LONG else ("splito",)
CUPS = 20
"""Tournaments that one owner may have running."""
BLOCKS = 24 if LONG else 8
MEMORY = """
import json, pathlib

def remember(ask):
    if ask.turn == 0:
        with pathlib.Path("memory").open("a") as file:
            file.write(json.dumps([ask.match, ask.seat, ask.view], default=str) + "\\n")
    return ask.moves[0]
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """One arena for all attacks, as it would be."""
    with ExitStack() as stack:
        yield Arena(stack, tmp_path_factory.mktemp("arena"), STRICT)


@contextmanager
def listener() -> Generator[socket]:
    """Listen on this machine at a port that the arena would call if the address were public."""
    for port in range(8100, 8999):
        try:
            listening = create_server(("127.0.0.1", port))
        except OSError:
            continue
        with listening:
            listening.setblocking(False)
            yield listening
            return
    pytest.fail("no port is free")


@pytest.mark.parametrize("game", GAMES)
def test_neither_a_stranger_nor_a_former_player_learns_a_card(arena: Arena, game: str) -> None:
    stranger = Api(arena.url)
    seats = [{"kind": "person", "name": "Ann"}, {"kind": "open"}, {"kind": "open"}]
    made = stranger("POST", f"/v1/{game}/matches", {"seats": seats})
    path = f"/v1/{game}/matches/{made['match']['id']}"
    first = Api(arena.url, stranger("POST", f"{path}/seats", {"name": "Mallory"})["token"])
    first("DELETE", f"{path}/seats/1")
    bob = Api(arena.url, stranger("POST", f"{path}/seats", {"name": "Bob"})["token"])
    cleo = Api(arena.url, stranger("POST", f"{path}/seats", {"name": "Cleo"})["token"])

    legal, turn = _on_turn(bob, path, {0: Api(arena.url, made["tokens"][0]), 2: cleo})
    every = [*legal, *({**move, field: value} for move in legal for field in move for value in range(14)), {}, None]
    former = {
        first.answer("PUT", f"{path}/turns/{number}/seats/1", {"move": move})
        for move, number in product(every, (turn, turn + 1))
    }
    nobody = {stranger.answer("PUT", f"{path}/turns/{turn}/seats/1", {"move": move}) for move in every}
    assert [status for status, _ in former] == [403], "one refusal, whatever the move"
    assert [status for status, _ in nobody] == [401], "one refusal, whatever the move"
    assert first.refusal("GET", path) == (403, "wrong-token")
    assert stranger("GET", path).get("legal_moves") in (None, [])
    for secret in ("record", "explanation"):
        assert 400 <= stranger.answer("GET", f"{path}/{secret}")[0] < 500
    assert first.refusal("DELETE", path) == (403, "wrong-token")
    if bob("GET", path)["acting"] != [1]:
        bob("PUT", f"{path}/turns/{turn}/seats/1", {"move": legal[0]})
        assert len(stranger("GET", f"{path}/turns")["turns"]) == turn, "a sealed move is not shown to others"


def _on_turn(bob: Api, path: str, others: Mapping[int, Api]) -> tuple[list[dict[str, Any]], int]:
    """Return the legal moves of Bob and the number of the turn, as soon as others have played up to it."""
    while not (found := until(lambda: bob("GET", path)))["legal_moves"]:
        for seat in {*found["acting"]} - {*found["sealed"]}:
            move = others[seat]("GET", path)["legal_moves"][0]
            others[seat]("PUT", f"{path}/turns/{found['turn']}/seats/{seat}", {"move": move})
    return found["legal_moves"], found["turn"]


def test_the_service_calls_no_private_address_for_a_bot_or_a_hook(arena: Arena) -> None:
    api = Api(arena.url, arena.owner("Mallory"))
    with listener() as machine:
        port = machine.getsockname()[1]
        hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[::]", "127.1", "2130706433"]
        bodies: dict[str, dict[str, Any]] = {
            "bots": {"name": "x", "kind": "push"},
            "hooks": {"events": ["match.finished"]},
        }
        for host, kind in product(hosts, bodies):
            wanted = {**bodies[kind], "url": f"http://{host}:{port}/"}
            status, told = api.answer("POST", f"/v1/{kind}", wanted)
            if status == 201:
                made = json.loads(told)[kind[:-1]]["id"]
                status, _ = api.answer("POST", f"/v1/{kind}/{made}/proof")
                assert api.answer("DELETE", f"/v1/{kind}/{made}")[0] == 204
            assert 400 <= status < 500, (kind, host)
        with pytest.raises(BlockingIOError):
            machine.accept()


def test_an_owner_can_neither_change_nor_read_what_belongs_to_another(arena: Arena) -> None:
    ada, mallory = Api(arena.url, arena.owner("Ada")), Api(arena.url, arena.owner("Mallory"))
    bot = ada("POST", "/v1/bots", {"name": "Marvin", "kind": "pull"})["bot"]["id"]
    cup = ada("POST", "/v1/tournaments", _cup("greedy", "random", blocks=1000))["id"]
    limited = Api(arena.url, ada("POST", "/v1/keys", {"scopes": ["logs"]})["key"])
    requests: list[tuple[str, str, Any]] = [
        ("PUT", f"/v1/tournaments/{cup}/state", {"state": "cancelled"}),
        ("PUT", f"/v1/tournaments/{cup}/blocks", {"blocks": 2000}),
        ("DELETE", f"/v1/tournaments/{cup}/bots/greedy", None),
        ("DELETE", f"/v1/tournaments/{cup}", None),
        ("DELETE", f"/v1/bots/{bot}", None),
        ("POST", f"/v1/bots/{bot}/secret", None),
        ("GET", f"/v1/bot/asks?bot={bot}", None),
    ]
    for request in requests:
        assert mallory.refusal(*request)[0] in {403, 404}, request
        assert limited.refusal(*request) == (403, "wrong-scope"), request
        assert Api(arena.url).refusal(*request) == (401, "no-key"), request
    assert mallory.refusal("GET", f"/v1/bots/{bot}/asks") == (404, "unknown-bot")
    assert ada("GET", f"/v1/tournaments/{cup}")["progress"]["state"] == "running"
    assert mallory.refusal("POST", "/v1/tournaments", _cup("greedy", "random", ranked=True)) == (403, "wrong-owner")
    ada("PUT", f"/v1/tournaments/{cup}/state", {"state": "cancelled"})


def test_twenty_tournaments_of_one_owner_do_not_delay_the_cup_of_another(arena: Arena) -> None:
    mallory, bob = Api(arena.url, arena.owner("Mallory")), Api(arena.url, arena.owner("Bob"))
    long = [mallory("POST", "/v1/tournaments", _cup("planner", "greedy", blocks=1000))["id"] for _ in range(CUPS)]
    assert mallory.refusal("POST", "/v1/tournaments", _cup("planner", "greedy")) == (409, "no-room")
    until(lambda: sum(_progress(mallory, cup)["playing"] for cup in long) >= 2 * CUPS, lambda: arena.worker.log)

    cup = bob("POST", "/v1/tournaments", _cup("greedy", "random", blocks=BLOCKS))["id"]
    until(lambda: (now := _progress(bob, cup))["playing"] or now["done"])
    before = sum(_progress(mallory, one)["done"] for one in long)
    until(lambda: _progress(bob, cup)["state"] == "finished")
    meanwhile = sum(_progress(mallory, one)["done"] for one in long) - before
    assert mallory.answer("DELETE", "/v1/owner")[0] == 204
    assert meanwhile < 2 * CUPS, "what Mallory had in hand before must not all be played first"


def test_requests_beyond_the_limits_are_refused_and_other_clients_are_served(arena: Arena) -> None:
    stranger = Api(arena.url)
    bots = {"seats": [{"kind": "bot", "bot": "planner"}] * 6}
    found = [stranger.answer("POST", "/v1/splito/matches", bots)[0] for _ in range(40)]
    assert 429 in found, "matches among bots alone are limited"
    assert stranger.refusal("POST", "/v1/owners", {"name": "x" * 200_000}) == (413, "too-large")
    nested: Any = []
    for _ in range(900):
        nested = [nested]
    assert stranger.refusal("POST", "/v1/owners", {"name": nested}) == (400, "bad-request")
    for name in ("greedy", "\u200b", "\u202egreedy", ""):
        assert 400 <= stranger.answer("POST", "/v1/owners", {"name": name})[0] < 500, ascii(name)
    key = arena.owner("Mallory")
    keys = [Api(arena.url, key).answer("POST", "/v1/keys", {"scopes": ["play"]})[0] for _ in range(60)]
    assert {*keys[50:]} == {409}, "keys of one owner are limited"
    seats = [{"kind": "person", "name": "Ann"}, {"kind": "bot", "bot": "greedy"}, {"kind": "bot", "bot": "greedy"}]
    table = stranger("POST", "/v1/splito/matches", {"seats": seats})
    path = f"/v1/splito/matches/{table['match']['id']}"
    until(lambda: len([one for one in stranger("GET", path)["sealed"] if one]) == 2, lambda: stranger("GET", path))


def test_cooperating_bots_never_see_the_same_opening_twice(tmp_path: Path) -> None:
    (tmp_path / "friends.py").write_text(MEMORY, "utf-8")
    with ExitStack() as stack:
        arena = Arena(stack, tmp_path, STRICT | {"SPLITO_DEV": "1"})
        key, ports = arena.owner("Mallory"), [free_port(), free_port()]
        bots = [arena.register(key, f"Friend {port}", f"http://127.0.0.1:{port}") for port in ports]
        for bot, port in zip(bots, ports, strict=True):
            words = ("splito-bot", "serve", "friends:remember", "--port", str(port))
            arena.start(*words, SPLITO_BOT_SECRET=bot["secret"])
        until(lambda: all(answers(f"http://127.0.0.1:{port}", "/info") for port in ports))
        for bot in bots:
            arena.make_ready(key, bot["bot"]["id"])
        (tmp_path / "memory").unlink(missing_ok=True)  # the bots also remember the games of their checks
        api = Api(arena.url, key)
        wanted = _cup(*(bot["bot"]["id"] for bot in bots), blocks=BLOCKS) | {"game": "splito", "clock": PATIENT}
        cup = api("POST", "/v1/tournaments", wanted)["id"]
        until(lambda: _progress(api, cup)["state"] == "finished", lambda: arena.worker.log)
    seen = [json.loads(line) for line in (tmp_path / "memory").read_text("utf-8").splitlines()]
    matches = {match for match, _, _ in seen}
    assert len(matches) == 2 * BLOCKS
    assert len({json.dumps(view) for _, _, view in seen}) == len({(match, seat) for match, seat, _ in seen})


def test_a_file_sent_by_mail_is_refused_without_harm(tmp_path: Path) -> None:
    hostile = {
        "nested.ndjson": "[" * 100_000,
        "names.json": json.dumps({"game": "../../etc/passwd", "names": ["[/nope]", "\x1b[2J"]}),
        "binary.ndjson": "\x00\x1b]0;owned\x07",
        "[nope].json": "{}",
    }
    for name, text in hostile.items():
        (tmp_path / name).write_text(text, "utf-8")
    dumps = hostile if LONG else ["nested.ndjson", "binary.ndjson"]
    for words in (["verify", *hostile], *(["tournament", "verify", name] for name in dumps)):
        told = finished(["splito", *words], {}, tmp_path)
        assert told.code in {1, 2}, (words, told.out)
        assert "Traceback" not in told.err + told.out, words
        assert "\x1b]0" not in told.err + told.out
        assert "\x1b[2J" not in told.err + told.out


def _cup(*bots: str, blocks: int = 1, ranked: bool = False) -> dict[str, Any]:
    form = {"kind": "round-robin", "blocks": blocks}
    return {"name": "Cup", "game": "splitter", "players": 2, "ranked": ranked, "format": form, "bots": bots}


def _progress(api: Api, cup: str) -> Any:
    return api("GET", f"/v1/tournaments/{cup}")["progress"]
