"""Pull bots: every ask reaches the bot in time and one process at a time, and its first legal answer counts."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import httpx
import msgspec
import pytest

from splito_arena.faults import Fault
from splito_arena.match.player import AskOutcome, asked
from splito_arena.match.question import History, Question, question
from splito_arena.match.seat import Decided, PendingDecision
from splito_engine.match import start
from splito_engine.player import Answer, Time
from splito_engine.registry import find_game
from splito_service.bots.ask_store import AGAIN, AcceptedAnswer, Asks, NewAsk
from splito_service.bots.pull import SWEEP, Desk, Pull, open_desk
from splito_service.errors import AlreadyAnswered, OutOfTime, Unavailable, UnknownAsk
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from splito_service.storage.notices import listening
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import (
    GAMES,
    GREEDY,
    PRIVATE,
    Places,
    Polling,
    begin,
    last_move,
    polling,
    turns_of,
    verified,
)
from tests.service.process import running

HOUR = 3_600_000
BOT = "polly"
FIRST, SECOND = AcceptedAnswer(0), AcceptedAnswer(1)
numbers = count()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with open_server(tmp_path_factory.mktemp("pull")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


def posed(milliseconds: int = HOUR) -> Question:
    """A question of a new match."""
    match = start(find_game("splito"), 2, "deal")
    return question(match, 0, new_id(), History(), time=Time(milliseconds, milliseconds, 0))


def new_ask(asked: Question, bot: str = BOT) -> NewAsk:
    return NewAsk(asked.id, bot, asked.ask.game, asked.encoded(), round(1000 * asked.allowed))


def answer_to(asked: Question, index: int = 0) -> bytes:
    return msgspec.json.encode({"ask": asked.id, "index": index})


async def shift(redis: Client, ask_id: str, bot: str, **milliseconds: int) -> None:
    """Move times of the stored ask into the past by so many milliseconds."""
    for field, earlier in milliseconds.items():
        await redis.hincrby(f"ask:{ask_id}", field, -earlier)
        for name in ("waiting", "handed"):
            if field == "deadline" and await redis.zscore(f"asks:{bot}:{name}", ask_id):
                await redis.zincrby(f"asks:{bot}:{name}", -earlier, ask_id)


@pytest.mark.anyio
async def test_an_idle_desk_waits_for_the_longest_pause(desk: Desk) -> None:
    assert desk.pause() == SWEEP


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_a_whole_match_over_three_connections(ada: Ada, places: Places, game: str) -> None:
    with polling(Polling(ada), [places.url], last_move) as bot:
        path = begin(ada.api, game, [bot.seat, GREEDY, bot.seat])
        assert len(list(turns_of(ada.api, path))) > 1
    record = verified(ada.api, path)
    assert record.names == ("Polly", "greedy", "Polly")
    assert {*bot.answers} == {200}
    assert {ask["match"] for ask in bot.asked} == {path.rpartition("/")[2]}
    ids = [ask["id"] for ask in bot.asked]
    assert len({*ids}) == len(ids), "nothing was lost, so nothing came twice"
    replayed = {ask["id"]: ask["moves"][-1] for ask in bot.asked}
    turns = ada.api.get(f"{path}/turns").json()["turns"]
    told = {
        f"{path.rpartition('/')[2]}-{turn['turn']}-{said['seat']}": said for turn in turns for said in turn["moves"]
    }
    assert {ask_id: told[ask_id]["move"] for ask_id in replayed} == replayed


def test_a_match_continues_when_the_process_that_holds_the_polls_is_killed(tmp_path: Path) -> None:
    with open_server(tmp_path) as server, ExitStack() as stack:
        one, two = (stack.enter_context(running(server.url, PRIVATE)) for _ in range(2))
        api = stack.enter_context(httpx.Client(base_url=two.url, timeout=60))
        maker = stack.enter_context(httpx.Client(base_url=one.url, timeout=60))
        bot = stack.enter_context(polling(Polling(Ada(api)), [one.url, two.url], last_move))
        path = begin(maker, "splito", [bot.seat, GREEDY, bot.seat])
        for match in turns_of(api, path):
            if match["turn"] == 3:
                one.kill()  # it attends to the table, and holds a poll or two
            if match["turn"] == 6:
                one.restart()
        verified(api, path)
        shown = bot.logged("?limit=100")["asks"]
        assert [row for row in shown if row["fault"]] == [], "that was not the bot's fault"


def test_a_wrong_answer_is_refused_with_its_reason_and_may_be_corrected(ada: Ada) -> None:
    bot = Polling(ada)
    begin(ada.api, "splito", [bot.seat, {"kind": "person", "name": "Ann"}], options={"talk": True})
    [ask] = bot.poll(wait=20)
    right, other = ask["moves"][0], ask["moves"][1]
    foreign = {"card": "no-card", "side": "left"}
    for body, code in (
        ({"move": foreign}, "illegal-move"),
        ({"index": len(ask["moves"])}, "illegal-move"),
        ({"move": right, "nudge": "hurry up"}, "bad-nudge"),
        ({"move": right, "index": 0}, "wrong-schema"),
        ({}, "wrong-schema"),
        ({"ask": "another", "index": 0}, "wrong-ask"),
    ):
        said = problem(bot.answer(ask, body), 409, code)
        assert said["legal_moves"] == ask["moves"]
        assert 0 < said["milliseconds_left"] <= ask["time"]["allowed_ms"]
    problem(bot.answer(ask, {"move": 7}), 400, "bad-request")
    for body in ({"move": right}, {"index": 0, "debug": "once more"}, {"move": right, "ask": ask["id"]}):
        taken = bot.answer(ask, body)
        assert taken.status_code == 200, taken.text
        assert taken.json()["ask"] == ask["id"]
        assert 0 <= taken.json()["milliseconds_left"] <= ask["time"]["allowed_ms"]
    problem(bot.answer(ask, {"move": other}), 409, "already-answered")
    problem(bot.answer(ask, {"move": foreign}), 409, "already-answered")
    problem(bot.answer({**ask, "game": "splitter"}, {"index": 0}), 404, "unknown-ask")


def test_another_owner_can_neither_read_nor_answer_asks(ada: Ada) -> None:
    bot, bob = Polling(ada), Ada(ada.api)
    begin(ada.api, "splito", [bot.seat, GREEDY])
    problem(bob.ask("GET", f"/v1/bot/asks?bot={bot.id}"), 404, "unknown-bot")
    [ask] = bot.poll(wait=20)
    theirs = f"/v1/bot/splito/asks/{ask['id']}"
    problem(bob.ask("PUT", theirs, {"index": 0}), 404, "unknown-ask")
    problem(ada.api.put(theirs, json={"index": 0}), 401, "no-key")
    problem(ada.make_key("logs", "bots").ask("PUT", theirs, {"index": 0}), 403, "wrong-scope")
    problem(ada.make_key("logs").ask("GET", f"/v1/bot/asks?bot={bot.id}"), 403, "wrong-scope")
    nobody = {**ask, "id": "nobody-0-0"}
    problem(bot.answer(nobody, {"index": 0}), 404, "unknown-ask")
    problem(ada.ask("GET", "/v1/bot/asks"), 400, "bad-request")
    assert ada.make_key("play").ask("PUT", theirs, {"index": 0}).status_code == 200


def test_an_ask_is_handed_out_again_if_the_polling_client_disconnects(ada: Ada, places: Places) -> None:
    bot = Polling(ada)
    host, port = places.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        poll = f"GET /v1/bot/asks?bot={bot.id}&wait=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ada.key}\r\n\r\n"
        line.sendall(poll.encode())
        begin(ada.api, "splito", [bot.seat, GREEDY])
        assert line.recv(1) == b"H"  # it was handed out, and will not be read
    [ask] = bot.poll(wait=20)
    assert ask["turn"] == 0
    assert ask["time"]["allowed_ms"] < 6000, "the time went on meanwhile"
    assert bot.answer(ask, {"index": 0}).status_code == 200


@pytest.mark.anyio
async def test_a_bot_gets_at_most_as_many_asks_at_a_time_as_its_concurrency(link: Link, redis: Client) -> None:
    asks, bot = Asks(link), f"bot-{next(numbers)}"
    posed_ones = [posed() for _ in range(5)]
    for one in posed_ones:
        await asks.put(new_ask(one, bot), "desk:x")
    first = [_id(ask) for ask in (await asks.hand_out(bot, 2, 8)).asks]
    assert len(first) == 2
    assert (await asks.hand_out(bot, 2, 8)).asks == [], "it has two, and has not answered"
    assert (await asks.hand_out(bot, 3, 1)).asks != [], "it may change its mind"
    answered = next(one for one in posed_ones if one.id == first[0])
    await asks.answer(answered.id, bot, FIRST, answer_to(answered))
    assert (await asks.hand_out(bot, 2, 8)).asks == [], "there are still two"
    await shift(redis, first[1], bot, deadline=HOUR)
    [fourth] = (await asks.hand_out(bot, 2, 8)).asks
    assert _id(fourth) not in first, "one was answered, and the time of another is over"


@pytest.mark.anyio
async def test_the_most_urgent_ask_comes_first(link: Link) -> None:
    asks, bot = Asks(link), f"bot-{next(numbers)}"
    late, soon = posed(milliseconds=2 * HOUR), posed(milliseconds=HOUR)
    for one in (late, soon):
        await asks.put(new_ask(one, bot), "desk:x")
    assert [_id(ask) for ask in (await asks.hand_out(bot, 8, 8)).asks] == [soon.id, late.id]


@pytest.mark.anyio
async def test_an_unanswered_ask_is_handed_out_again_with_the_remaining_time(link: Link, redis: Client) -> None:
    asks, bot, one = Asks(link), f"bot-{next(numbers)}", posed()
    await asks.put(new_ask(one, bot), "desk:x")
    before = msgspec.json.decode((await asks.hand_out(bot, 1, 8)).asks[0])
    handed = await asks.hand_out(bot, 1, 8)
    assert handed.asks == []
    assert handed.again is not None
    assert 0 < handed.again <= AGAIN / 1000
    await shift(redis, one.id, bot, again=AGAIN, deadline=60_000)
    again = msgspec.json.decode((await asks.hand_out(bot, 1, 8)).asks[0])
    assert again["time"]["allowed_ms"] <= before["time"]["allowed_ms"] - 60_000
    assert again["deadline"] < before["deadline"]
    ours = msgspec.json.decode(one.encoded())
    assert {name for name in ours if again[name] != ours[name]} == {"time", "deadline"}
    assert (again["time"]["turn_ms"], again["time"]["bank_ms"]) == (HOUR, 0)
    assert [*again] == [*ours], "in the same order"


@pytest.mark.anyio
async def test_the_first_legal_answer_counts(link: Link, redis: Client) -> None:
    asks, one = Asks(link), posed()
    with pytest.raises(UnknownAsk):
        await asks.answer(one.id, BOT, FIRST, b"{}")
    await asks.put(new_ask(one), "desk:x")
    left = await asks.answer(one.id, BOT, FIRST, b"{}")
    assert HOUR - 60_000 < left <= HOUR
    assert await asks.answer(one.id, BOT, AcceptedAnswer(0, debug="again"), b'{"debug":"again"}') <= left
    with pytest.raises(AlreadyAnswered):
        await asks.answer(one.id, BOT, SECOND, b"{}")
    await shift(redis, one.id, BOT, deadline=HOUR)
    assert await asks.answer(one.id, BOT, FIRST, b"{}") == 0, "it was in time when it first came"


@pytest.mark.anyio
async def test_a_late_answer_is_refused_until_the_ask_expires(link: Link, redis: Client) -> None:
    asks, one = Asks(link), posed()
    await asks.put(new_ask(one), "desk:late")
    assert HOUR < await redis.pttl(f"ask:{one.id}") <= HOUR + 60_000, "it goes away by itself"
    await shift(redis, one.id, BOT, deadline=HOUR)
    with pytest.raises(OutOfTime):
        await asks.answer(one.id, BOT, FIRST, b"{}")
    assert await asks.take("desk:late") == []


@pytest.mark.anyio
async def test_an_answer_reaches_the_desk_from_another_process(desk: Desk, redis_url: str) -> None:
    player, one = Pull(desk, BOT, "Polly"), posed()
    waiting = asyncio.create_task(asked(player, one))
    async with Link(redis_url) as other:
        heard = await answered(Asks(other), one, waiting)
    assert heard.answer == Answer(one.ask.moves[1])
    assert 0 <= heard.elapsed < 60
    assert heard.response == answer_to(one, 1)
    assert msgspec.json.decode(heard.request)["id"] == one.id


@pytest.mark.anyio
async def test_an_accepted_answer_is_neither_decoded_nor_judged_again(desk: Desk, link: Link) -> None:
    one = posed()
    decision: asyncio.Future[Decided] = asyncio.get_running_loop().create_future()
    body, answer = b"not the JSON\nof any answer", AcceptedAnswer(1, "hurry up", "two\nlines")
    PendingDecision(Pull(desk, BOT, "Polly"), one, lambda _, decided: decision.set_result(decided), None).begin()
    async with asyncio.timeout(60):
        await put(Asks(link), one)
        await Asks(link).answer(one.id, BOT, answer, body)
        heard = await asked(Pull(desk, BOT, "Polly"), one)
        decided = await decision
    assert (heard.answer, heard.response) == (Answer(one.moves[1], "hurry up", "two\nlines"), body)
    assert (decided.move, decided.nudge, decided.fault) == (one.moves[1], "hurry up", None)


@pytest.mark.anyio
async def test_two_simultaneous_waits_for_the_same_ask_get_the_same_answer(desk: Desk, link: Link) -> None:
    player, one = Pull(desk, BOT, "Polly"), posed()
    waiting = [asyncio.create_task(asked(player, one)) for _ in range(2)]
    await answered(Asks(link), one, waiting[0])
    assert [(await task).answer for task in waiting] == 2 * [Answer(one.ask.moves[1])]


@pytest.mark.anyio
async def test_an_ask_without_answer_is_a_time_out_at_the_deadline(desk: Desk) -> None:
    heard = await asked(Pull(desk, BOT, "Polly"), posed(milliseconds=20))
    assert isinstance(heard.answer, Fault)
    assert heard.answer.code == "time-out"
    assert heard.elapsed == 0.02


@pytest.mark.anyio
async def test_an_answer_to_a_killed_process_is_found_by_the_next_process(link: Link, desk: Desk) -> None:
    asks, one = Asks(link), posed()
    await asks.put(new_ask(one), "desk:of-somebody-who-died")
    await asks.answer(one.id, BOT, SECOND, answer_to(one, 1))
    async with asyncio.timeout(60):
        heard = await asked(Pull(desk, BOT, "Polly"), one)
    assert heard.answer == Answer(one.ask.moves[1])


@pytest.mark.anyio
async def test_an_ask_that_expired_while_no_process_waited_is_asked_again(
    link: Link, desk: Desk, redis: Client
) -> None:
    asks, one = Asks(link), posed()
    await asks.put(new_ask(one), "desk:of-somebody-who-died")
    await shift(redis, one.id, BOT, deadline=2 * HOUR, put=2 * HOUR)
    waiting = asyncio.create_task(asked(Pull(desk, BOT, "Polly"), one))
    heard = await answered(asks, one, waiting)
    assert heard.answer == Answer(one.ask.moves[1])
    assert heard.elapsed < 60, "its time began anew"


@pytest.mark.anyio
async def test_closing_the_desk_is_not_a_fault_of_the_bot(link: Link, redis_url: str) -> None:
    one = posed()
    async with listening(redis_url) as notices, open_desk(Asks(link), notices) as desk:
        waiting = asyncio.create_task(asked(Pull(desk, BOT, "Polly"), one))
        await put(Asks(link), one)
    assert isinstance((await waiting).answer, Unavailable)


@pytest.mark.anyio
async def test_a_failing_redis_is_not_a_fault_of_the_bot() -> None:
    nowhere = "unix:///nowhere"
    async with Link(nowhere) as link, listening(nowhere) as notices, open_desk(Asks(link), notices) as desk:
        heard = await asked(Pull(desk, BOT, "Polly"), posed())
    assert isinstance(heard.answer, Unavailable)


async def put(asks: Asks, one: Question) -> None:
    """Until the ask is there."""
    while True:
        try:
            await asks.get(one.id)
        except UnknownAsk:
            await asyncio.sleep(0)
        else:
            return


async def answered(asks: Asks, one: Question, waiting: "asyncio.Task[AskOutcome]") -> AskOutcome:
    """Return the outcome of an ask that is answered with the second move."""
    async with asyncio.timeout(60):
        await put(asks, one)
        await asks.answer(one.id, BOT, SECOND, answer_to(one, 1))
        return await waiting


def _id(ask: bytes) -> str:
    return msgspec.json.decode(ask)["id"]
