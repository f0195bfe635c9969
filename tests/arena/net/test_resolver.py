"""The resolver asks a real DNS server that never answers for some names: look-ups of other owners go on."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from splito_arena.errors import LookupFailed
from splito_arena.net.resolver import AGAIN, KEPT, PER_OWNER, WAITING, Resolver
from tests.name_server import NameServer, name_server

pytestmark = pytest.mark.anyio
LONG = 60.0
SHORT = 1.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def dns() -> AsyncIterator[NameServer]:
    async with name_server() as server:
        yield server


async def failure(resolver: Resolver, host: str, owner: str = "") -> LookupFailed:
    with pytest.raises(LookupFailed) as raised:
        await asyncio.wait_for(resolver.look_up(host, owner=owner), LONG)
    return raised.value


@pytest.mark.parametrize("host", ["localhost", "bot.localhost"])
async def test_localhost_is_resolved_without_a_query(dns: NameServer, host: str) -> None:
    async with Resolver([dns.place]) as resolver:
        assert (await resolver.look_up(host))[0] == "127.0.0.1"
    assert dns.asked == []


async def test_a_name_has_the_addresses_of_the_name_server(dns: NameServer) -> None:
    async with Resolver([dns.place]) as resolver:
        assert await resolver.look_up("bot.example") == ["127.0.0.1"]


async def test_an_unknown_name_is_another_error_than_a_silent_name_server(dns: NameServer) -> None:
    async with Resolver([dns.place], limit=SHORT) as resolver:
        with pytest.raises(OSError, match=r"bot\.none\.example"):
            await resolver.look_up("bot.none.example")
        for host in ("bot.silent.example", "bot.broken.example"):
            error = await failure(resolver, host)
            assert error.theirs, "our resolver answers for the root"
            assert error.message.startswith(f"{host} could not be looked up: ")


async def test_a_silent_name_server_is_an_error_of_the_arena(dns: NameServer) -> None:
    dns.down = True
    async with Resolver([dns.place], limit=SHORT) as resolver:
        assert not (await failure(resolver, "bot.example")).theirs
    async with Resolver(["127.0.0.1:9"], limit=SHORT) as resolver:
        assert not (await failure(resolver, "bot.example")).theirs, "where nobody listens"


async def test_two_hundred_silent_names_of_one_owner_delay_no_name_of_another(dns: NameServer) -> None:
    async with Resolver([dns.place], limit=LONG) as resolver:
        slow = [asyncio.create_task(resolver.look_up(f"b{n}.silent.example", owner="slow")) for n in range(200)]
        await dns.wait_for("b0.silent.example")
        found = [await resolver.look_up(f"b{n}.fast.example", owner="fast") for n in range(20)]
        assert found == 20 * [["127.0.0.1"]]
        assert not any(task.done() for task in slow)
        assert len({name for name in dns.asked if "silent" in name}) == PER_OWNER
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def test_an_owner_with_too_many_waiting_names_is_refused_at_once_and_others_are_not(dns: NameServer) -> None:
    async with Resolver([dns.place], limit=LONG) as resolver:
        names = [f"b{n}.silent.example" for n in range(PER_OWNER + WAITING)]
        slow = [asyncio.create_task(resolver.look_up(name, owner="slow")) for name in names]
        await dns.wait_for("b0.silent.example")
        error = await failure(resolver, "one-more.example", owner="slow")
        assert ("too many" in error.message, error.theirs) == (True, False)
        assert await resolver.look_up("one-more.example", owner="fast") == ["127.0.0.1"]
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def test_a_name_that_waits_too_long_for_its_owners_other_names_is_no_failure_of_its_bot(dns: NameServer) -> None:
    async with Resolver([dns.place], limit=SHORT, per_owner=1) as resolver:
        names = [f"{letter}.silent.example" for letter in "abc"]
        first, _, last = await asyncio.gather(*(failure(resolver, name) for name in names))
    assert first.theirs
    assert (last.theirs, "other names of its owner" in last.message) == (False, True)
    assert names[-1] not in dns.asked


async def test_an_answer_is_used_again_for_a_stated_time(dns: NameServer) -> None:
    clock = Clock()
    async with Resolver([dns.place], clock=clock) as resolver:
        for _ in range(3):
            await resolver.look_up("bot.example", owner="ada")
            await resolver.look_up("bot.example", owner="bob")
        once = len(dns.asked)
        clock.now += KEPT + 1
        await resolver.look_up("bot.example")
    assert once == 2, "for IPv4 and for IPv6"
    assert len(dns.asked) > once


async def test_a_failed_look_up_is_not_repeated_at_once_but_soon(dns: NameServer) -> None:
    clock = Clock()
    async with Resolver([dns.place], limit=SHORT, clock=clock) as resolver:
        await failure(resolver, "bot.broken.example", "ada")
        asked = len(dns.asked)
        await failure(resolver, "bot.broken.example", "ada")
        assert len(dns.asked) == asked
        clock.now += AGAIN + 1
        await failure(resolver, "bot.broken.example", "ada")
        assert len(dns.asked) > asked


async def test_many_look_ups_of_one_name_send_one_query(dns: NameServer) -> None:
    async with Resolver([dns.place]) as resolver:
        await asyncio.gather(*(resolver.look_up("bot.example") for _ in range(50)))
    assert len(dns.asked) == 2
