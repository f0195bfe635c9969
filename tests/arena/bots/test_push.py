"""A bot is asked as it wants to be: so many things at once, so many in one request, with notices or without."""

import asyncio
import json
import time
from collections.abc import Sequence

import msgspec
import pytest
import standardwebhooks

from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.errors import LookupFailed
from splito_arena.match.messages import messages_of
from splito_arena.match.referee import Played, referee
from splito_arena.match.seat import Clock, Decided, PendingDecision
from splito_arena.match.terms import PlayTerms, Terms
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import ID, Key, Seen, verify
from splito_engine.games import splito
from splito_engine.player import Answer
from tests.arena.bots.pushed import GAME, LIMIT_MS, SECRET, Bots, all_asked, ask, asks, code, first_moves, push
from tests.arena.net.servers import HOST, LONG, Later, bot, nobody

pytestmark = pytest.mark.anyio


# One by one


async def test_an_ask_is_a_signed_post_and_its_response_is_the_answer() -> None:
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


async def test_looking_up_a_name_is_not_charged_to_the_bot() -> None:
    clock = Later()

    async def slow(_host: str, _port: int) -> Sequence[str]:
        clock.skipped += 10
        return [HOST]

    async with bot(Bots()) as target, Caller(clock) as caller:
        [heard] = await all_asked(push(caller, target, dns=slow), asks(1))
    assert (code(heard), heard.waited + heard.elapsed < 10) == ("ok", True)


@pytest.mark.parametrize("batch", [0, 8])
async def test_a_silent_name_server_is_an_error_for_each_question_and_no_fault(batch: int) -> None:
    async def silence(_host: str, _port: int) -> Sequence[str]:
        raise LookupFailed("no answer")

    async with Caller() as caller:
        heard = await all_asked(push(caller, nobody(), dns=silence, batch=batch), asks(5))
    assert {type(one.answer) for one in heard} == {LookupFailed}


async def test_questions_that_wait_for_a_name_are_sent_when_it_is_known() -> None:
    found, bots = asyncio.Event(), Bots()

    async def late(_host: str, _port: int) -> Sequence[str]:
        await found.wait()
        return [HOST]

    async with bot(bots) as target, Caller() as caller:
        asking = asyncio.ensure_future(all_asked(push(caller, target, dns=late, batch=8), asks(20)))
        await asyncio.sleep(0)
        found.set()
        heard = await asking
    assert {code(one) for one in heard} == {"ok"}


@pytest.mark.parametrize("batch", [0, 8])
async def test_delays_of_the_arena_are_not_charged_to_the_bot(batch: int) -> None:
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
async def test_no_more_asks_are_open_at_once_than_the_concurrency_of_the_bot(concurrency: int, batch: int) -> None:
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


async def test_questions_are_sent_in_the_order_in_which_they_came() -> None:
    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        await all_asked(push(caller, target), asks(10))
    assert bots.ids == [[one.id] for one in asks(10)]


async def test_a_repeated_question_is_sent_before_waiting_ones() -> None:
    bots = Bots(lambda served: b"" if served.asks[0]["rejected"] is None else first_moves(served))
    decided: list[Decided] = []
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target)
        for one in asks(3):
            PendingDecision(player, one, lambda _, one: decided.append(one), None).begin()
        await bots.wait_for(6)
    assert bots.ids == [[one.id] for one in asks(3) for _ in range(2)]


async def test_a_repeated_batch_is_sent_before_waiting_questions() -> None:
    """The bot knows its asks by now, so letting others go first would give it time to think."""
    bots = Bots(lambda served: b"" if served.asks[0]["rejected"] is None else first_moves(served))
    decided: list[Decided] = []
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, batch=2)
        for one in asks(6):
            PendingDecision(player, one, lambda _, one: decided.append(one), None).begin()
        await bots.wait_for(6)
    batches = [[one.id for one in asks(6)[first : first + 2]] for first in (0, 2, 4)]
    assert bots.ids == [batch for batch in batches for _ in range(2)]


async def test_the_time_of_a_waiting_question_begins_when_it_is_sent() -> None:
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


async def test_questions_that_wait_when_the_client_closes_get_an_error() -> None:
    bots = Bots(shut=True)
    async with bot(bots) as target, Caller() as caller:
        going = asyncio.create_task(all_asked(push(caller, target), asks(1500)))
        await bots.wait_for(1)
        await caller.aclose()
        found = await going
        bots.open()
    assert {type(heard.answer) for heard in found} == {ConnectionAbortedError}
    assert len(bots.served) == 1


async def test_asks_that_cannot_be_signed_are_errors_of_the_arena() -> None:
    def refuse(_: bytes) -> bytes:
        raise ValueError("there is no key")

    bots = Bots()
    async with bot(bots) as target, Caller() as caller:
        player = push(caller, target, key=Key(SECRET, ed25519=(refuse,)), concurrency=1)
        first = await all_asked(player, asks(1))  # the name is known from here on
        found = await all_asked(player, asks(1500))
    assert {type(heard.answer) for heard in first + found} == {ValueError}
    assert not bots.served


# Whole matches


async def play(player: Push, match: str) -> Played:
    others = [Plugin(name, find_bot("random")) for name in ("one", "two")]
    clock = Clock(turn_ms=LIMIT_MS, bank_ms=0)
    terms = Terms(game=splito, match=match, seed=f"seed of {match}", salt=32 * "0", play=PlayTerms(clock=clock))
    return await referee(terms, [player, *others], lambda _: others[0])


@pytest.mark.parametrize(("concurrency", "batch"), [(1, 0), (4, 0), (1, 64)])
async def test_many_matches_at_once_respect_the_limits_of_one_bot(concurrency: int, batch: int) -> None:
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
async def test_notices_are_sent_only_to_bots_that_ask_for_them(wanted: bool) -> None:
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


async def test_a_match_goes_on_whatever_a_bot_answers_to_a_notice() -> None:
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
