"""Owners can read back what their bots were asked and answered: all of it, nothing of others', and no secret."""

from collections.abc import Iterator
from datetime import datetime
from itertools import count
from typing import Any

import httpx
import msgspec
import pytest

from splito_arena.faults import Fault, FaultNote, Refusal, explained
from splito_arena.match.seat import Exchange
from splito_service.bots.ask_log import LONGEST, LONGEST_REFUSAL, MOST_ASKS, MOST_TRIES, WEEK, Log
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import (
    GREEDY,
    PRIVATE,
    Places,
    Polling,
    begin,
    eventually,
    last_move,
    polling,
    turns_of,
)
from tests.service.process import running

numbers = count()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with open_server(tmp_path_factory.mktemp("log")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def bot() -> str:
    return f"bot-{next(numbers)}"


def exchange(number: int, **changes: Any) -> Exchange:
    plain = Exchange(
        id=f"match-{number}-0",
        match="match",
        turn=number,
        seat=0,
        request=b'{"turn":%d}' % number,
        response=b'{"index":0}',
        elapsed_ms=1.5,
        fault=None,
        debug=None,
    )
    return msgspec.structs.replace(plain, **changes)


REPLAYED = b'{"code":"replayed","detail":"message m1 has come before"}'
REASONS: dict[str, tuple[bytes, str]] = {
    "a problem": (REPLAYED, "the status is not 200: 401, replayed: message m1 has come before"),
    "a detail": (b'{"detail":"Not Found"}', "the status is not 200: 401, Not Found"),
    "a title": (b'{"title":"Oops","status":500}', "the status is not 200: 401, Oops"),
    "a page": (b"<h1>Bad\r\nGateway</h1>", "the status is not 200: 401, <h1>Bad Gateway</h1>"),
    "no body": (b"", "the status is not 200: 401"),
    "other JSON": (b"[1]", "the status is not 200: 401, [1]"),
    "no text": (b"\x1b[2J\xff\xe2\x80\xae", "the status is not 200: 401, \\x1b[2J\ufffd\\u202e"),
    "deep": (b"[" * 3000, "the status is not 200: 401, " + "[" * 237 + "..."),
    "long": (b"x" * 4096, "the status is not 200: 401, " + "x" * 237 + "..."),
}


@pytest.mark.parametrize(("body", "text"), REASONS.values(), ids=REASONS)
def test_a_fault_is_explained_in_one_line_by_the_response_of_the_bot(body: bytes, text: str) -> None:
    fault = Fault("bad-status", "401")
    fault.refusal = Refusal(401, body)
    assert explained(fault) == text
    assert (str(fault), explained(Fault("time-out", "late"))) == (
        "the status is not 200: 401",
        "no complete answer in time: late",
    )


@pytest.mark.anyio
async def test_a_refusal_is_kept_without_control_characters_and_cut(places: Places, bot: str) -> None:
    async with Link(places.redis) as link:
        log = Log(link)
        await log.write(bot, "splito", exchange(1, response=b"\x1b[2J\x00" + b"x" * 9000, status=500))
        await log.write(bot, "splito", exchange(2, response=b'{"index":0,"debug":"\x7f"}', status=200))
        refused, answered = [await log.get(bot, f"match-{number}-0") for number in (1, 2)]
        rows = await log.page(bot, None, 10)
    assert refused is not None
    assert answered is not None
    assert refused.tries[0].response.startswith("\\x1b[2J\\x00xxx")
    assert len(refused.tries[0].response) == LONGEST_REFUSAL
    assert answered.tries[0].response == '{"index":0,"debug":"\x7f"}'
    assert [row.row.status for row in rows] == [200, 500]


def test_every_ask_and_answer_of_a_match_can_be_read_back(ada: Ada, places: Places) -> None:
    def choose(ask: Any) -> Any:
        return {**last_move(ask), "debug": f"turn {ask['turn']}: déjà vu"}

    with polling(Polling(ada), [places.url], choose) as bot:
        list(turns_of(ada.api, begin(ada.api, "splitit", [bot.seat, GREEDY, bot.seat])))
    rows, cursor = list[Any](), None
    while cursor is not None or not rows:
        page = bot.logged(f"?limit=3&cursor={cursor}" if cursor else "?limit=3")
        rows += page["asks"]
        cursor = page["next"]
    assert sorted(row["id"] for row in rows) == sorted(ask["id"] for ask in bot.asked)
    times = [datetime.fromisoformat(row["when"]) for row in rows]  # as text, a whole second would not sort
    assert times == sorted(times, reverse=True)
    asked = {ask["id"]: ask for ask in bot.asked}
    for row in rows:
        ask = asked[row["id"]]
        assert [row[name] for name in ("match", "game", "turn", "seat")] == [
            ask[name] for name in ("match", "game", "turn", "seat")
        ]
        assert row["fault"] is None
        assert row["elapsed_ms"] >= 0
        whole = bot.logged(f"/{row['id']}")
        assert {name: whole[name] for name in row} == row
        assert msgspec.json.decode(whole["request"])["view"] == ask["view"]
        assert msgspec.json.decode(whole["response"])["move"] == ask["moves"][-1]
        assert whole["debug"] == f"turn {ask['turn']}: déjà vu"
        assert whole["earlier"] == []


def test_refused_answers_are_logged_beside_the_accepted_one(ada: Ada) -> None:
    bot = Polling(ada)
    begin(ada.api, "splito", [bot.seat, {"kind": "person", "name": "Ann"}])
    [ask] = bot.poll(wait=20)
    for body in ({"index": 99}, {"index": 0, "nudge": "hm"}):
        assert bot.answer(ask, body).status_code == 409
    assert bot.answer(ask, {"index": 1, "debug": "at last"}).status_code == 200
    whole = eventually(lambda: bot.logged(f"/{ask['id']}"), lambda found: len(found["earlier"]) == 2)
    assert (whole["fault"], whole["debug"]) == (None, "at last")
    assert msgspec.json.decode(whole["response"])["index"] == 1
    assert [tried["fault"]["code"] for tried in whole["earlier"]] == ["illegal-move", "bad-nudge"]
    assert [msgspec.json.decode(tried["response"])["index"] for tried in whole["earlier"]] == [99, 0]
    assert [row["id"] for row in bot.logged()["asks"]] == [ask["id"]], "one row for one ask"


def test_only_the_owner_reads_the_ask_log(ada: Ada) -> None:
    bot, bob = Polling(ada), Ada(ada.api)
    begin(ada.api, "splito", [bot.seat, {"kind": "person", "name": "Ann"}])
    [ask] = bot.poll(wait=20)
    assert bot.answer(ask, {"index": 5000}).status_code == 409
    log = f"/v1/bots/{bot.id}/asks"
    assert len(bot.logged()["asks"]) == 1
    for path in (log, f"{log}/{ask['id']}"):
        problem(bob.ask("GET", path), 404, "unknown-bot")
        problem(ada.api.get(path), 401, "no-key")
        problem(ada.make_key("play", "bots").ask("GET", path), 403, "wrong-scope")
        answer = ada.make_key("logs").ask("GET", path)
        assert answer.status_code == 200
        assert ada.key not in answer.text
    problem(ada.ask("GET", f"{log}/{ask['id']}-x"), 404, "unknown-ask")
    problem(ada.ask("GET", f"/v1/bots/{'0' * 24}/asks"), 404, "unknown-bot")
    problem(ada.ask("GET", f"{log}?cursor=x"), 400, "bad-request")


@pytest.mark.anyio
async def test_the_log_keeps_the_latest_tries_of_an_ask(link: Link, bot: str) -> None:
    log, fault = Log(link), FaultNote(0, "bad-json", "no")
    for number in range(MOST_TRIES + 3):
        await log.write(bot, "splito", exchange(0, response=b"%d" % number, fault=fault))
    logged = await log.get(bot, exchange(0).id)
    assert logged is not None
    assert [one.response for one in logged.tries] == [str(number) for number in range(3, MOST_TRIES + 3)]
    assert logged.row.fault == fault
    assert len(await log.page(bot, None, 100)) == 1


@pytest.mark.anyio
async def test_the_log_drops_the_oldest_asks_above_its_limit(link: Link, redis: Client, bot: str) -> None:
    log = Log(link)
    for number in range(MOST_ASKS + 5):
        await log.write(bot, "splito", exchange(number))
    kept = await log.page(bot, None, 2 * MOST_ASKS)
    gone = {*range(MOST_ASKS + 5)} - {one.row.turn for one in kept}
    assert len(gone) == 5
    assert max(gone) < 100, "what comes in the same millisecond is in no order"
    assert len([key async for key in redis.scan_iter(f"log:{bot}:*", count=10_000)]) == MOST_ASKS
    first, rest = await log.page(bot, None, 1), await log.page(bot, kept[0].id, 2 * MOST_ASKS)
    assert [*first, *rest] == kept


@pytest.mark.anyio
async def test_log_entries_expire_after_a_week(link: Link, redis: Client, bot: str) -> None:
    log = Log(link)
    await log.write(bot, "splito", exchange(1))
    for key in (f"log:{bot}", f"log:{bot}:{exchange(1).id}"):
        assert 0 < await redis.ttl(key) <= WEEK
    [row] = await redis.zrange(f"log:{bot}", 0, -1)
    await redis.zrem(f"log:{bot}", row)
    await redis.zadd(f"log:{bot}", {b"000" + row[3:]: 0})  # as if it had been written long ago
    await log.write(bot, "splito", exchange(2))
    assert [one.ask for one in await log.page(bot, None, 10)] == [exchange(2).id]


@pytest.mark.anyio
async def test_an_answer_is_logged_as_text_of_limited_length(link: Link, bot: str) -> None:
    log = Log(link)
    await log.write(bot, "splito", exchange(0, response=b"\xff\x00" + b"x" * 2 * LONGEST))
    logged = await log.get(bot, exchange(0).id)
    assert logged is not None
    assert logged.tries[0].response.startswith("\ufffd\x00x")
    assert len(logged.tries[0].response.encode()) == LONGEST


@pytest.mark.anyio
async def test_entries_written_in_the_background_are_stored_on_close(redis_url: str, bot: str) -> None:
    async with Link(redis_url) as link:
        log = Log(link)
        write = log.writer(bot, "splito")
        for number in range(3):
            write(exchange(number))
        await log.aclose()
        assert len(await log.page(bot, None, 10)) == 3


@pytest.mark.anyio
async def test_closing_a_log_that_cannot_be_written_does_not_fail(bot: str) -> None:
    async with Link("unix:///nowhere") as link:
        log = Log(link)
        log.writer(bot, "splito")(exchange(0))
        await log.aclose()
