"""Several asks in one request: each of them keeps its own time and its own faults."""

import asyncio
import json
import time
from collections import Counter
from functools import partial

import pytest

from splito_arena.match.player import AskOutcome, asked
from splito_arena.match.question import History, question
from splito_arena.match.seat import Decided, PendingDecision
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import ID, verify
from splito_engine.games import splito, splitter
from splito_engine.match import start
from tests.arena.bots.pushed import LIMIT_MS, SECRET, Bots, Served, all_asked, ask, asks, code, first_moves, push
from tests.arena.net.servers import LONG, bot

pytestmark = pytest.mark.anyio


async def test_an_ask_that_cannot_be_written_is_an_error_of_the_arena_and_delays_no_other_ask() -> None:
    bots = Bots()
    without_time = question(start(splito, 4, "7"), 0, "odd", History())
    for batch in (0, 8):
        async with bot(bots) as target, Caller() as caller:
            player = push(caller, target, concurrency=1, batch=batch)
            heard = await all_asked(player, [without_time] * 1500)
            assert {type(one.answer) for one in heard} == {ValueError}
            assert [code(one) for one in await all_asked(player, asks(3))] == ["ok"] * 3


async def test_asks_of_one_game_that_come_together_are_sent_in_one_batch() -> None:
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


async def test_a_single_ask_is_not_sent_as_a_batch() -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=4)
        for one in asks(2):
            await asked(player, one)
        await all_asked(player, asks(5))
    assert [served.what for served in bots.served] == ["ask", "ask", "batch", "ask"]


async def test_a_batch_is_never_larger_than_the_bot_allows() -> None:
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
async def test_a_batch_with_an_unreadable_answer_is_sent_again_as_a_batch_without_a_fault(body: bytes) -> None:
    bots = Bots(lambda served: first_moves(served) if served.asks[0]["rejected"] else body)
    decided: dict[int, Decided] = {}
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=8)
        for one in asks(4):
            PendingDecision(player, one, decided.__setitem__, None).begin()
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
        heard: list[tuple[str, AskOutcome]] = []
        quick = asyncio.Event()

        def hear(name: str, one: AskOutcome) -> None:
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


async def test_a_batch_without_an_answer_is_a_time_out_for_each_ask() -> None:
    bots = Bots(shut=True)
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=8)
        found = await all_asked(player, [ask(f"m{ms}", allowed_ms=ms) for ms in (120, 40, 80)])
        bots.open()
    assert [code(heard) for heard in found] == 3 * ["time-out"]
    assert found[1].elapsed < found[2].elapsed < found[0].elapsed
