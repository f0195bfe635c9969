"""All callers share one connection, and each of them gets its own answer or error."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import NoScriptError, ResponseError

from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from tests.service.storage.client.servers import HOST, relay, serving

pytestmark = pytest.mark.anyio


async def test_each_of_5000_simultaneous_calls_gets_its_own_answer(link: Link) -> None:
    assert await asyncio.gather(*(link.call("ECHO", number) for number in range(5000))) == [
        str(number).encode() for number in range(5000)
    ]


async def test_all_callers_share_one_connection(tmp_path: Path) -> None:
    with open_server(tmp_path) as server:
        async with Link(server.url) as link:
            found = await asyncio.gather(*(link.call("CLIENT", "LIST") for _ in range(100)))
    assert {len(clients.splitlines()) for clients in found} == {1}


async def test_an_argument_may_be_text_bytes_or_a_number(link: Link) -> None:
    words = ["é", b"\x00\xff\r\n", 7, -2.5]
    assert await link.call("EVAL", "return ARGV", 0, *words) == ["é".encode(), b"\x00\xff\r\n", b"7", b"-2.5"]


async def test_an_argument_of_another_type_is_refused_without_disturbing_other_calls(link: Link) -> None:
    nothing: Any = None
    others = [asyncio.create_task(link.call("ECHO", number)) for number in range(3)]
    with pytest.raises(TypeError):
        await link.call("ECHO", nothing)
    assert await asyncio.gather(*others) == [b"0", b"1", b"2"]


@pytest.mark.parametrize(
    ("lua", "answer"),
    [
        ("return false", None),
        ("return 42", 42),
        ("return ''", b""),
        ("return {}", []),
        ("return {1, {2, {false, 'x'}}, {}}", [1, [2, [None, b"x"]], []]),
        ("return redis.status_reply('FINE')", b"FINE"),
    ],
)
async def test_answers_of_redis_become_python_values(link: Link, lua: str, answer: object) -> None:
    assert await link.call("EVAL", lua, 0) == answer


async def test_an_error_is_raised_only_to_the_caller_that_caused_it(link: Link) -> None:
    before, wrong, after = await asyncio.gather(
        link.call("ECHO", "before"), link.call("NOSUCH"), link.call("ECHO", "after"), return_exceptions=True
    )
    assert (before, after) == (b"before", b"after")
    assert isinstance(wrong, ResponseError)
    assert "unknown command" in str(wrong)


async def test_an_error_inside_a_list_is_returned_as_an_item(link: Link) -> None:
    first, second, third = await link.call("EVAL", "return {1, redis.error_reply('ODD one'), 3}", 0)
    assert (first, str(second), third) == (1, "ODD one", 3)


async def test_large_and_small_values_travel_on_the_same_connection(link: Link) -> None:
    large = os.urandom(1_000_000)
    await link.call("SET", "large", large)
    found = await asyncio.gather(*(link.call(*words) for words in [("GET", "large"), ("ECHO", "small")] * 5))
    assert found == [large, b"small"] * 5


async def test_answers_may_come_in_pieces(redis_url: str) -> None:
    async with relay(redis_url, piece=7) as port, Link(f"redis://{HOST}:{port}") as link:
        found = await asyncio.gather(*(link.call("ECHO", f"{number} " * number) for number in range(100)))
    assert found == [(f"{number} " * number).encode() for number in range(100)]


async def test_a_cancelled_call_does_not_shift_the_answers_of_others(link: Link) -> None:
    await serving(link)
    calls = [asyncio.create_task(link.call("ECHO", number)) for number in range(1000)]
    await asyncio.sleep(0)  # all have been sent, none is answered
    for call in calls[::3]:
        call.cancel()
    found = await asyncio.gather(*calls, return_exceptions=True)
    for number, answer in enumerate(found):
        assert isinstance(answer, asyncio.CancelledError) if number % 3 == 0 else answer == str(number).encode()


async def test_cancelling_the_first_call_does_not_abort_the_connecting(link: Link) -> None:
    first, second = [asyncio.create_task(link.call("ECHO", name)) for name in ("first", "second")]
    await asyncio.sleep(0)
    first.cancel()
    assert await second == b"second"


async def test_a_script_runs_whether_or_not_redis_has_cached_it(link: Link) -> None:
    script = link.script("return {KEYS[1], ARGV[1], ARGV[2]}")
    for _ in range(2):
        await link.call("SCRIPT", "FLUSH")
        for _ in range(2):
            assert await script(keys=["key"], args=[b"bytes", 5]) == [b"key", b"bytes", b"5"]


async def test_a_script_that_fails_is_not_run_twice(link: Link) -> None:
    await link.call("DEL", "runs")
    script = link.script("redis.call('INCR', KEYS[1]); return redis.error_reply('ODD one')")
    for runs in (1, 2):
        with pytest.raises(ResponseError, match="ODD one"):
            await script(keys=["runs"])
        assert await link.call("GET", "runs") == str(runs).encode()


async def test_an_unknown_script_hash_raises_no_script_error(link: Link) -> None:
    await link.call("SCRIPT", "FLUSH")
    with pytest.raises(NoScriptError):
        await link.call("EVALSHA", "0" * 40, 0)
