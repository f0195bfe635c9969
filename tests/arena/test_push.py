"""A bot is asked as it wants to be: so many things at once, so many in one request, with notices or without."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
import pytest
import standardwebhooks

from arena.address import BotClient
from arena.bots import find_bot
from arena.cage import Lookup
from arena.caller import Caller, Target
from arena.deciding import Clock, Decided, Deciding
from arena.faults import Fault
from arena.messages import BotInfo, messages_of
from arena.players import Heard, asked
from arena.plugin import Plugin
from arena.push import Push
from arena.question import History, Question, question
from arena.referee import Played, Terms, referee
from arena.signing import ID, Key, Seen, new_secret, verify
from engine.game import AnyGame
from engine.games import splito, splitter
from engine.match import Match, start
from engine.player import Answer, Time
from tests.arena.servers import HOST, LONG, NAME, Later, answer, bot, nobody, read_request

pytestmark = pytest.mark.anyio

GAME: AnyGame = splito
LIMIT_MS = 1000 * int(LONG)
SECRET = new_secret()


class Served(msgspec.Struct):
    """One request as it came."""

    what: str
    headers: dict[str, str]
    body: bytes

    @property
    def asks(self) -> list[dict[str, Any]]:
        said = json.loads(self.body)
        return said["asks"] if self.what == "batch" else [said]

    @property
    def ids(self) -> list[str]:
        return [ask["id"] for ask in self.asks]


def first_moves(served: Served) -> bytes:
    answers = [{"ask": ask["id"], "index": 0} for ask in served.asks]
    return json.dumps({"answers": answers} if served.what == "batch" else answers[0]).encode()


class Bots:
    """A server that counts how much it has to do at once. While its `gate` is shut it answers nobody."""

    def __init__(self, reply: Callable[[Served], bytes] = first_moves, *, shut: bool = False) -> None:
        self.served: list[Served] = []
        self.busy = self.busiest = 0
        self.came = asyncio.Condition()
        self.gate = asyncio.Semaphore(0 if shut else 1_000_000)
        self._reply = reply

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            served = Served(*_path_and_headers(head), body)
            if served.what in {"ask", "batch"}:
                self.busy += 1
                self.busiest = max(self.busiest, self.busy)
            async with self.came:
                self.served.append(served)
                self.came.notify_all()
            await self.gate.acquire()
            await asyncio.sleep(0)  # so that others may come meanwhile
            if served.what in {"ask", "batch"}:
                self.busy -= 1
                writer.write(answer(self._reply(served)))
            else:
                writer.write(answer(b"{}"))

    async def wait_for(self, requests: int) -> None:
        async with self.came, asyncio.timeout(LONG):
            await self.came.wait_for(lambda: len(self.served) >= requests)

    def open(self, requests: int = 1_000_000) -> None:
        for _ in range(min(requests, 1000)):
            self.gate.release()

    @property
    def ids(self) -> list[list[str]]:
        return [served.ids for served in self.served]


def _path_and_headers(head: Sequence[bytes]) -> tuple[str, dict[str, str]]:
    path = head[0].split(b" ")[1].decode()
    return path.removeprefix("/"), dict(line.decode().split(": ", 1) for line in head[1:])


async def lookup(_host: str, _port: int) -> Sequence[str]:
    return [HOST]


def push(caller: Caller, target: Target | int, dns: Lookup = lookup, **info: Any) -> Push:
    port = target if isinstance(target, int) else target.port
    client = BotClient(caller, f"http://{NAME}:{port}", Key(SECRET), allow_private=True, lookup=dns)
    return Push(client, BotInfo(name="Ada", author="Grace", version="1", games=["splito"], **info))


def ask(match: str, seat: int = 0, *, allowed_ms: int = LIMIT_MS, game: AnyGame = splito) -> Question:
    dealt: Match = start(game, 4, "7")
    return question(dealt, seat, match, History(), time=Time(allowed_ms, allowed_ms, 0))


def asks(count: int, game: AnyGame = splito, name: str = "m") -> list[Question]:
    return [ask(f"{name}{number}", number % 4, game=game) for number in range(count)]


async def all_asked(player: Push, questions: Iterable[Question]) -> list[Heard]:
    async with asyncio.timeout(LONG):
        return await asyncio.gather(*(asked(player, one) for one in questions))


def code(heard: Heard) -> str:
    if isinstance(heard.answer, Answer):
        return "ok"
    assert isinstance(heard.answer, Fault)
    return heard.answer.code


# One by one


async def test_an_ask_is_a_signed_post_and_its_answer_what_comes_back() -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        [heard] = await all_asked(push(caller, target), [ask("m", 2)])
    [served] = bots.served
    assert (served.what, served.body, heard.response) == ("ask", heard.request, first_moves(served))
    assert heard.answer == Answer(ask("m", 2).ask.moves[0])
    assert msgspec.json.decode(served.body, type=messages_of(GAME).Ask).id == "m-0-2"
    assert verify([SECRET], served.headers, served.body, time.time()) == served.headers[ID]
    assert standardwebhooks.Webhook(SECRET).verify(served.body, served.headers) == json.loads(served.body)
    assert 0 < heard.elapsed < LONG


async def test_looking_up_and_connecting_is_told_apart_from_what_the_bot_took() -> None:
    clock = Later()

    async def slow(_host: str, _port: int) -> Sequence[str]:
        clock.skipped += 10
        return [HOST]

    async with bot(Bots()) as target, Caller(clock) as caller:
        [heard] = await all_asked(push(caller, target, dns=slow), asks(1))
    assert (code(heard), heard.waited > 10 > heard.elapsed) == ("ok", True)


@pytest.mark.parametrize("batch", [0, 8])
async def test_what_we_ourselves_take_is_not_held_against_a_bot(batch: int) -> None:
    clock = Later()

    def busy() -> None:
        clock.skipped += 10

    async with bot(Bots()) as target, Caller(clock) as caller:
        player = push(caller, target, batch=batch)
        await all_asked(player, asks(2))
        asking = asyncio.ensure_future(all_asked(player, asks(2)))
        for _ in range(3):  # until the asks are written, and wait for the next step to be sent
            await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(busy)
        heard = await asking
    assert [(code(one), one.waited) for one in heard] == [("ok", 0.0)] * 2


async def test_a_bot_that_is_not_there_is_a_fault_for_each_ask() -> None:
    async with Caller() as caller:
        found = await all_asked(push(caller, nobody(), concurrency=2), asks(5))
    assert [code(heard) for heard in found] == 5 * ["refused"]
    assert all(heard.request and not heard.response for heard in found)


# As many at once as it wants


@pytest.mark.parametrize(("concurrency", "batch"), [(1, 0), (3, 0), (2, 4)])
async def test_no_more_is_asked_at_once_than_the_bot_wants(concurrency: int, batch: int) -> None:
    bots = Bots(shut=True)
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, concurrency=concurrency, batch=batch)
        going = asyncio.create_task(all_asked(player, asks(20)))
        for requests in range(concurrency, 6):
            await bots.wait_for(requests)
            assert len(bots.served) == requests
            if requests == 5:
                break
            bots.open(1)
        bots.open()
        assert {code(heard) for heard in await going} == {"ok"}
    assert bots.busiest == concurrency


async def test_who_came_first_is_asked_first() -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        await all_asked(push(caller, target), asks(10))
    assert bots.ids == [[one.id] for one in asks(10)]


async def test_who_is_asked_again_goes_before_who_waits() -> None:
    bots = Bots(lambda served: b"" if served.asks[0]["rejected"] is None else first_moves(served))
    decided: list[Decided] = []
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target)
        for one in asks(3):
            Deciding(player, one, lambda _, one: decided.append(one), None).begin()
        await bots.wait_for(6)
    assert bots.ids == [[one.id] for one in asks(3) for _ in range(2)]


async def test_a_batch_that_is_asked_again_goes_before_those_that_wait() -> None:
    """Its asks are known there by now: whoever could let others go first would think on meanwhile."""
    bots = Bots(lambda served: b"" if served.asks[0]["rejected"] is None else first_moves(served))
    decided: list[Decided] = []
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=2)
        for one in asks(6):
            Deciding(player, one, lambda _, one: decided.append(one), None).begin()
        await bots.wait_for(6)
    batches = [[one.id for one in asks(6)[first : first + 2]] for first in (0, 2, 4)]
    assert bots.ids == [batch for batch in batches for _ in range(2)]


async def test_who_waits_for_the_turn_has_all_its_time_then() -> None:
    clock, bots = Later(), Bots(shut=True)
    async with bot(bots) as target, Caller(clock) as caller:
        player = push(caller, target)
        waiting = asyncio.create_task(all_asked(player, [ask("slow", allowed_ms=90_000), ask("quick")]))
        await bots.wait_for(1)
        clock.skipped += 60
        bots.open()
        slow, quick = await waiting
    assert (code(slow), code(quick)) == ("ok", "ok")
    assert slow.elapsed >= 60 > quick.elapsed + quick.waited


async def test_whoever_still_waits_when_the_caller_is_closed_is_told() -> None:
    bots = Bots(shut=True)
    async with bot(bots) as target, Caller() as caller:
        going = asyncio.create_task(all_asked(push(caller, target), asks(1500)))
        await bots.wait_for(1)
        await caller.aclose()
        found = await going
        bots.open()
    assert {type(heard.answer) for heard in found} == {ConnectionAbortedError}
    assert len(bots.served) == 1


# In batches


async def test_an_ask_that_cannot_be_written_is_our_own_trouble_and_holds_nobody_up() -> None:
    bots = Bots()
    without_time = question(start(splito, 4, "7"), 0, "odd", History())
    for batch in (0, 8):
        async with bot(bots) as target, Caller() as caller:
            player = push(caller, target, concurrency=1, batch=batch)
            heard = await all_asked(player, [without_time])
            assert isinstance(heard[0].answer, ValueError)
            assert [code(one) for one in await all_asked(player, asks(3))] == ["ok"] * 3


async def test_what_comes_together_is_asked_together_but_one_game_at_a_time() -> None:
    bots = Bots()
    questions = [one for pair in zip(asks(6), asks(6, splitter, "s"), strict=True) for one in pair]
    async with bot(bots) as target, Caller() as caller:
        found = await all_asked(push(caller, target, batch=4, concurrency=9), questions)
    assert [code(heard) for heard in found] == 12 * ["ok"]
    assert Counter((served.what, len(served.asks)) for served in bots.served) == {("batch", 4): 2, ("batch", 2): 2}
    for served in bots.served:
        assert len({ask["game"] for ask in served.asks}) == 1
        verify([SECRET], served.headers, served.body, time.time())
    assert len({served.headers[ID] for served in bots.served}) == 4


async def test_what_comes_alone_is_no_batch() -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=4)
        for one in asks(2):
            await asked(player, one)
        await all_asked(player, asks(5))
    assert [served.what for served in bots.served] == ["ask", "ask", "batch", "ask"]


async def test_a_batch_is_as_large_as_the_bot_wants_at_most() -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        found = await all_asked(push(caller, target, batch=64), asks(200))
    assert [code(heard) for heard in found] == 200 * ["ok"]
    assert [len(served.asks) for served in bots.served] == [64, 64, 64, 8]


async def test_an_answer_that_is_missing_or_unknown_is_a_fault_of_that_ask_only() -> None:
    def reply(served: Served) -> bytes:
        missing, wrong, *others = served.ids
        answers = [{"ask": one, "index": 0} for one in [*reversed(others), "somebody-else", f"{missing}0"]]
        return json.dumps({"answers": [{"ask": wrong, "index": 999}, *answers]}).encode()

    async with bot(Bots(reply)) as target, Caller() as caller:
        found = await all_asked(push(caller, target, batch=8), asks(5))
    assert [code(heard) for heard in found] == ["wrong-ask", "illegal-move", "ok", "ok", "ok"]


BAD_BATCHES = {
    b"": "bad-json",
    b"[]": "wrong-schema",
    b'{"answers":[{"index":0}]}': "wrong-schema",
    b'{"answers":[]}': "wrong-ask",
    b'{"ask":"m0-0-0","index":0}': "wrong-schema",
}


@pytest.mark.parametrize("body", BAD_BATCHES, ids=repr)
async def test_a_bad_batch_is_asked_again_as_one_and_nobody_is_fined_for_it(body: bytes) -> None:
    bots = Bots(lambda served: first_moves(served) if served.asks[0]["rejected"] else body)
    decided: dict[int, Decided] = {}
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=8)
        for one in asks(4):
            Deciding(player, one, decided.__setitem__, None).begin()
        await bots.wait_for(2)
        await asked(player, ask("after all of them"))
    assert [served.what for served in bots.served] == ["batch", "batch", "ask"]
    assert bots.ids[0] == bots.ids[1] == [one.id for one in asks(4)]
    assert {one["rejected"]["code"] for one in bots.served[1].asks} == {BAD_BATCHES[body]}
    assert [decided[seat].cost.outcome for seat in range(4)] == 4 * ["ok"]
    assert bots.served[0].headers[ID] != bots.served[1].headers[ID]


async def test_each_ask_of_a_batch_has_its_own_deadline() -> None:
    bots = Bots(shut=True)
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=8)
        heard: list[tuple[str, Heard]] = []
        quick = asyncio.Event()

        def hear(name: str, one: Heard) -> None:
            heard.append((name, one))
            quick.set()

        for name, allowed_ms in (("long", LIMIT_MS), ("short", 50), ("other", LIMIT_MS)):
            player.ask(ask(name, allowed_ms=allowed_ms), partial(hear, name))
        await asyncio.wait_for(quick.wait(), LONG)
        assert [(name, code(one), one.elapsed) for name, one in heard] == [("short", "time-out", 0.05)]
        bots.open()
        await asked(player, ask("after all of them"))
    assert [served.what for served in bots.served] == ["batch", "ask"]
    assert bots.ids[0] == ["short-0-0", "long-0-0", "other-0-0"]
    assert [(name, code(one)) for name, one in heard[1:]] == [("long", "ok"), ("other", "ok")]


async def test_a_batch_that_nobody_answers_is_late_for_everyone() -> None:
    bots = Bots(shut=True)
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=8)
        found = await all_asked(player, [ask(f"m{ms}", allowed_ms=ms) for ms in (120, 40, 80)])
        bots.open()
    assert [code(heard) for heard in found] == 3 * ["time-out"]
    assert found[1].elapsed < found[2].elapsed < found[0].elapsed


# Whole matches


async def play(player: Push, match: str) -> Played:
    others = [Plugin(name, find_bot("random")) for name in ("one", "two")]
    clock = Clock(turn_ms=LIMIT_MS, bank_ms=0)
    terms = Terms(game=splito, match=match, seed=f"seed of {match}", salt=32 * "0", clock=clock)
    return await referee(terms, [player, *others], lambda _: others[0])


@pytest.mark.parametrize(("concurrency", "batch"), [(1, 0), (4, 0), (1, 64)])
async def test_many_matches_at_once_ask_one_bot_as_it_wants_to_be_asked(concurrency: int, batch: int) -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, concurrency=concurrency, batch=batch)
        played = await asyncio.gather(*(play(player, f"m{number}") for number in range(8)))
    assert bots.busiest <= concurrency
    assert sum(len(served.asks) for served in bots.served) == 8 * 13
    assert [one.seats[0].faults for one in played] == 8 * [()]
    if batch:
        assert len(bots.served) < 8 * 13


async def test_every_try_of_a_match_has_an_id_of_its_own_so_that_replays_can_be_refused() -> None:
    bots = Bots(lambda served: b"{}" if served.asks[0]["rejected"] is None else first_moves(served))
    async with bot(bots) as target, Caller() as caller:
        await play(push(caller, target), "m")
    seen = Seen(limit=100)
    for served in bots.served:
        seen.admit(verify([SECRET], served.headers, served.body, time.time()), time.time())
    assert len(seen) == 26
    assert [served.ids for served in bots.served[:3]] == [["m-0-0"], ["m-0-0"], ["m-1-0"]]


@pytest.mark.parametrize("wanted", [True, False])
async def test_notices_are_for_those_who_want_them(wanted: bool) -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        played = await play(push(caller, target, notices=wanted), "m")
        await bots.wait_for(15 if wanted else 13)
    notices = {served.what: json.loads(served.body) for served in bots.served if served.what != "ask"}
    assert notices.keys() == ({"start", "end"} if wanted else set())
    if wanted:
        assert (notices["start"]["game"], notices["start"]["seat"]) == ("splito", 0)
        assert (notices["end"]["match"], notices["end"]["places"]) == ("m", list(played.places))
        assert played.record.seed not in str(notices["end"])


async def test_whatever_a_bot_makes_of_notices_the_match_goes_on() -> None:
    closing = asyncio.Event()
    bots = Bots()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Never answers a notice, nor anything after it on the same connection."""
        line = await reader.readuntil(b"\r\n")
        if b"/ask" not in line:
            closing.set()
            await reader.read()
            return
        rest = asyncio.StreamReader()
        rest.feed_data(line)
        rest.feed_data(await reader.readuntil(b"\r\n\r\n"))
        await asyncio.gather(bots(rest, writer), _copy(reader, rest))

    async with bot(serve) as target, Caller() as caller:
        played = await play(push(caller, target, notices=True), "m")
        await asyncio.wait_for(closing.wait(), LONG)
        await caller.aclose()
    assert played.seats[0].faults == ()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamReader) -> None:
    while found := await source.read(65536):
        sink.feed_data(found)
    sink.feed_eof()
