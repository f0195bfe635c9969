"""A token of another seat or match gets the same refusal for every request, byte for byte."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Event
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
import redis

from splito_engine.games.splitit.move import ALL_MOVES
from splito_engine.games.splito.deck import STANDARD, find_deck
from splito_engine.games.splito.move import SplitoMove
from splito_engine.games.splitter.rules import SplitterMove
from splito_service.processes.embedded_redis import open_server
from tests.service.matches.test_api import GAMES, OPEN, Table, persons, problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import Polling
from tests.service.process import LIMIT, running

MOVES: Mapping[str, list[Any]] = {
    "splito": [SplitoMove(card, side) for card, side in product(find_deck(STANDARD).names, ("left", "right"))],
    "splitit": [*ALL_MOVES],
    "splitter": [SplitterMove(*cell) for cell in product(range(1, 8), range(1, 5), range(1, 7))],
}
"""Every move of each game, in any hand."""
BODIES = (
    b'{"move":{"card":"x9","side":"left"}}',
    b'{"move":{}}',
    b'{"move":null,"nudge":1}',
    b"{",
    b"",
    b'{"move":"%b"}' % (b"x" * 20_000),
)
"""Bodies that hold no move."""
TURNS = ("0", "1", "7", "9999999", "-1")
NUDGES = ("think", "", "left", "x" * 300)
TAGS = ("*", '"0.0"', '"1.0"', '"2.0"', '"3.0"', '"4.0"', 'W/"4.0"', '"over.0"')
JSON = {"Content-Type": "application/json"}
BROWSER = {"Origin": "https://example.org"}
"""A page of another origin seals through the framework, every other client around it."""
TOKENS = ("former player", "other seat", "other match", "forged", "none")
STATUS = {"former player": 403, "other seat": 403, "other match": 401, "forged": 401, "none": 401}

Refusal = tuple[int, tuple[tuple[str, str], ...], bytes]
every_game = pytest.mark.parametrize("game", GAMES)
every_token = pytest.mark.parametrize("token", TOKENS)
every_way = pytest.mark.parametrize("way", [pytest.param({}, id="short"), pytest.param(BROWSER, id="framework")])


class Pair(NamedTuple):
    """Two processes of one service."""

    here: httpx.Client
    there: httpx.Client
    redis: str


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with (
        open_server(tmp_path_factory.mktemp("hands")) as server,
        running(server.url) as one,
        running(server.url) as other,
        httpx.Client(base_url=one.url, timeout=LIMIT) as here,
        httpx.Client(base_url=other.url, timeout=LIMIT) as there,
    ):
        yield Pair(here, there, server.url)


class Seized(NamedTuple):
    """A match at whose seat 0 the next player sits, with tokens that are not the next player's."""

    table: Table
    next: str
    stale: dict[str, str | None]


def seize(pair: Pair, game: str) -> Seized:
    """Return a match whose seat 0 was left and taken again before the first turn; the next player has not decided."""
    table = Table(pair.here, game, [OPEN, *persons(1), OPEN])
    former, following = join(pair.here, table), join(pair.here, table, leave_first=True)
    assert pair.here.post(f"{table.path}/seats", json={"name": "Bob"}).json()["match"]["turn"] == 0
    elsewhere = Table(pair.here, game, persons(3))
    stale = {
        "former player": former,
        "other seat": table.tokens[1],
        "other match": elsewhere.tokens[0],
        "forged": following[:-1] + ("A" if following[-1] != "A" else "B"),
        "none": None,
    }
    return Seized(table, following, stale)


def join(api: httpx.Client, table: Table, *, leave_first: bool = False) -> str:
    """Take seat 0, which is left before if it is taken, and return its token."""
    if leave_first:
        assert leave(api, table, table.tokens[0]).status_code == 204
    joined = api.post(f"{table.path}/seats", json={"name": "Eve", "seat": 0})
    assert joined.status_code == 201, joined.text
    table.tokens[0] = joined.json()["token"]
    return joined.json()["token"]


def leave(api: httpx.Client, table: Table, token: str | None) -> httpx.Response:
    return api.delete(f"{table.path}/seats/0", headers=bearer(token))


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def put(
    api: httpx.Client, table: Table, token: str | None, body: bytes, turn: str = "0", **more: str
) -> httpx.Response:
    headers = {**JSON, **bearer(token), **more}
    return api.put(f"{table.path}/turns/{turn}/seats/0", content=body, headers=headers)


def refusal(answer: httpx.Response) -> Refusal:
    """Return all of an answer but the time of day."""
    headers = ((name, value) for name, value in answer.headers.items() if name not in ("date", "connection"))
    return answer.status_code, tuple(sorted(headers)), answer.content


def sealing(move: Any, nudge: str | None = None) -> bytes:
    return msgspec.json.encode({"move": move} if nudge is None else {"move": move, "nudge": nudge})


@pytest.fixture(scope="module", params=GAMES)
def seized(request: pytest.FixtureRequest, pair: Pair) -> Seized:
    return seize(pair, request.param)


def game_of(seized: Seized) -> str:
    return seized.table.path.split("/")[2]


@every_way
@every_token
def test_a_stale_or_foreign_token_gets_the_same_refusal_for_every_move(
    pair: Pair, seized: Seized, token: str, way: dict[str, str]
) -> None:
    bodies = [*map(sealing, MOVES[game_of(seized)]), *BODIES]
    found = {refusal(put(pair.here, seized.table, seized.stale[token], body, **way)) for body in bodies}
    assert len(found) == 1
    assert found.pop()[0] == STATUS[token]


@every_way
@every_token
def test_a_stale_or_foreign_token_gets_the_same_refusal_for_every_turn_and_nudge(
    pair: Pair, seized: Seized, token: str, way: dict[str, str]
) -> None:
    first, *_, last = MOVES[game_of(seized)]
    found = {
        refusal(put(pair.here, seized.table, seized.stale[token], sealing(move, nudge), turn, **way))
        for move, turn, nudge in product((first, last), TURNS, (None, *NUDGES))
    }
    assert len(found) == 1
    assert found.pop()[0] == STATUS[token]


def test_the_next_player_is_told_which_moves_are_in_the_hand(pair: Pair, seized: Seized) -> None:
    """This shows that the tests above would fail if a former player got the answer of the current player."""
    legal = pair.here.get(seized.table.path, headers=bearer(seized.next)).json()["legal_moves"]
    assert legal
    moves = [move for move in msgspec.to_builtins(MOVES[game_of(seized)]) if move not in legal]
    answers = [put(pair.here, seized.table, seized.next, sealing(move)) for move in moves]
    for answer in answers:
        assert problem(answer, 409, "illegal-move")["legal_moves"] == legal


def test_a_former_player_and_another_seat_are_refused_in_the_same_words(pair: Pair, seized: Seized) -> None:
    body = sealing(MOVES[game_of(seized)][0])
    former, other = (put(pair.here, seized.table, seized.stale[who], body) for who in ("former player", "other seat"))
    assert refusal(former) == refusal(other)
    assert refusal(leave(pair.here, seized.table, seized.stale["former player"]))[2] == former.content
    assert pair.here.get(seized.table.path, headers=bearer(seized.stale["former player"])).content == former.content


def test_a_stale_or_foreign_token_sees_no_view_whatever_etag_it_sends(pair: Pair, seized: Seized) -> None:
    queries = ("", "?after=-1&wait=5", "?after=0&wait=1", "?after=7&wait=1")
    for token in ("former player", "other match", "forged"):
        found = {
            refusal(
                pair.here.get(seized.table.path + query, headers=bearer(seized.stale[token]) | {"If-None-Match": tag})
            )
            for query, tag in product(queries, TAGS)
        }
        assert len(found) == 1, token
        assert found.pop()[0] == STATUS[token]


def test_a_stale_or_foreign_token_cannot_leave_for_the_next_player(pair: Pair, seized: Seized) -> None:
    for token in TOKENS:
        assert leave(pair.here, seized.table, seized.stale[token]).status_code == STATUS[token]
    assert pair.here.get(seized.table.path, headers=bearer(seized.next)).json()["seat"] == 0


def test_record_and_explanation_refuse_every_token_alike_before_the_end(pair: Pair, seized: Seized) -> None:
    for part in ("record", "explanation"):
        answers = [
            pair.here.get(f"{seized.table.path}/{part}", headers=bearer(token))
            for token in (*seized.stale.values(), seized.next)
        ]
        assert len({refusal(answer) for answer in answers}) == 1
        problem(answers[0], 409, "not-over")


QUESTIONS: Mapping[str, Callable[[list[Any], list[Any]], tuple[bytes, str]]] = {
    "a card of the hand": lambda legal, _: (sealing(legal[0]), "0"),
    "another card of the hand": lambda legal, _: (sealing(legal[-1]), "0"),
    "a card of no hand": lambda _, others: (sealing(others[0]), "0"),
    "no card": lambda _, __: (b'{"move":{"card":"x9","side":"left"}}', "0"),
    "a nudge": lambda legal, _: (sealing(legal[0], "think"), "0"),
    "no move": lambda _, __: (b"{", "0"),
    "a later turn": lambda legal, _: (sealing(legal[0]), "5"),
    "an earlier turn": lambda legal, _: (sealing(legal[0]), "-1"),
}


@every_game
@every_way
def test_a_process_unaware_that_the_player_left_still_refuses_the_old_token(
    pair: Pair, game: str, way: dict[str, str]
) -> None:
    """Each question is the first that this process hears after the player has left by another process."""
    found = set[Refusal]()
    for question in QUESTIONS.values():
        table = Table(pair.here, game, persons(3))
        legal = table.get(0)["legal_moves"]
        others = [move for move in msgspec.to_builtins(MOVES[game]) if move not in legal]
        token = table.tokens[0]
        assert leave(pair.there, table, token).status_code == 204
        body, turn = question(legal, others)
        found.add(refusal(put(pair.here, table, token, body, turn, **way)))
    assert len(found) == 1
    assert found.pop()[0] == 403


@every_game
def test_a_move_that_was_revealed_is_not_acknowledged_again_to_a_former_player(pair: Pair, game: str) -> None:
    table = Table(pair.here, game, persons(3))
    played = dict[int, Any]()
    while 0 not in played:
        public = table.get()
        for seat in public["acting"]:
            move = table.get(seat)["legal_moves"][0]
            assert table.seal(public["turn"], seat, move).status_code == 200
            played[seat] = (move, public["turn"])
    move, turn = played[0]
    assert put(pair.here, table, table.tokens[0], sealing(move), str(turn)).status_code == 200
    assert leave(pair.there, table, table.tokens[0]).status_code == 204
    problem(put(pair.here, table, table.tokens[0], sealing(move), str(turn)), 403, "wrong-token")


@every_game
def test_before_the_match_begins_every_move_gets_the_same_not_begun_refusal(pair: Pair, game: str) -> None:
    """The cards are dealt already, and a player who could test them might leave and take another seat."""
    table = Table(pair.here, game, [OPEN, OPEN, *persons(1)])
    token = join(pair.here, table)
    assert pair.here.get(table.path, headers=bearer(token)).json()["view"] is None
    bodies = [*map(sealing, MOVES[game])]
    found = {refusal(put(pair.here, table, token, body, turn)) for body in bodies for turn in ("0", "1")}
    assert len(found) == 1
    assert b'"not-begun"' in found.pop()[2]


@every_game
def test_an_open_long_poll_ends_with_a_refusal_as_soon_as_the_player_leaves(pair: Pair, game: str) -> None:
    table = Table(pair.here, game, persons(3))
    token, turn = table.tokens[0], table.get()["turn"]
    with ThreadPoolExecutor() as pool, watching(pair, table.path.rpartition("/")[2]) as polled:
        poll = pool.submit(
            httpx.get,
            f"{pair.here.base_url}{table.path}?after={turn}&wait=30",
            headers=bearer(token),
            timeout=LIMIT,
        )
        polled.wait(LIMIT)
        assert leave(pair.there, table, token).status_code == 204
        problem(poll.result(), 403, "wrong-token")


@every_game
def test_an_event_stream_shows_a_former_player_only_public_events(pair: Pair, game: str) -> None:
    table = Table(pair.here, game, persons(3))
    token = table.tokens[0]
    url = f"{pair.here.base_url}{table.path}/events?seconds=60"
    with ThreadPoolExecutor() as pool:
        streams = [pool.submit(httpx.get, url, headers=headers, timeout=LIMIT) for headers in (bearer(token), {})]
        assert leave(pair.there, table, token).status_code == 204
        while (public := table.get())["status"] != "over":
            for seat in {*public["acting"]} - {0, *public["sealed"]}:
                assert table.seal(public["turn"], seat, table.get(seat)["legal_moves"][0]).status_code == 200
            table.get(query=f"?after={public['turn']}&wait=30")
        seen = [stream.result().text for stream in streams]
    turns = [[line for line in text.splitlines() if line.startswith("data: ")] for text in seen]
    assert turns[0][-1] == turns[1][-1]
    assert {*turns[0]} - {*turns[1]} <= {line for line in turns[0] if '"seats"' in line}
    assert all('"hand"' not in text and '"view"' not in text for text in seen)


def test_a_poll_that_is_open_while_its_key_is_revoked_brings_no_ask(pair: Pair) -> None:
    ada = Ada(pair.here)
    bot, spare = Polling(ada), ada.make_key("play")
    path = f"{pair.here.base_url}/v1/bot/asks?bot={bot.id}&wait=30"
    with ThreadPoolExecutor() as pool, watching(pair, bot.id) as polled:
        poll = pool.submit(httpx.get, path, headers=bearer(spare.key), timeout=LIMIT)
        polled.wait(LIMIT)
        assert ada.ask("DELETE", f"/v1/keys/{spare.key_id}").status_code == 204
        Table(pair.here, "splitter", [bot.seat, bot.seat])
        problem(poll.result(), 401, "no-key")
    assert bot.poll(wait=30), "the ask waits for a key that is still good"


def test_every_answer_to_an_ask_of_another_owner_gets_the_same_refusal(pair: Pair) -> None:
    bot, stranger = Polling(Ada(pair.here)), Ada(pair.here)
    Table(pair.here, "splitter", [bot.seat, bot.seat])
    (ask, *_) = bot.poll(wait=30)
    bodies = [sealing(move) for move in MOVES["splitter"]] + [*BODIES]
    path = f"/v1/bot/splitter/asks/{ask['id']}"
    found = {refusal(pair.here.put(path, content=body, headers=JSON | bearer(stranger.key))) for body in bodies}
    assert len(found) == 1
    assert b'"unknown-ask"' in found.pop()[2]
    assert bot.answer(ask, {"move": ask["moves"][0]}).status_code == 200


class watching:  # noqa: N801 (used as a context manager)
    """Tells when the server of the pair has run a second command that names this match or bot."""

    def __init__(self, pair: Pair, name: str) -> None:
        self._client: Any = redis.Redis.from_url(pair.redis)  # pyright: ignore[reportUnknownMemberType]
        self._name, self._seen = name, Event()

    def __enter__(self) -> Event:
        self._monitor = self._client.monitor()
        self._monitor.__enter__()
        self._pool = ThreadPoolExecutor(1)
        self._pool.submit(self._listen)
        return self._seen

    def _listen(self) -> None:
        count = 0
        for heard in self._monitor.listen():
            count += self._name in heard["command"]
            if count >= 2 or "stop-watching" in heard["command"]:
                self._seen.set()
                return

    def __exit__(self, *_: object) -> None:
        self._client.echo("stop-watching")
        self._pool.shutdown()
        self._monitor.__exit__(None, None, None)
        self._client.close()
