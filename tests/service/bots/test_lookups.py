"""Names of bots that DNS does not answer for: no other owner's bot suffers, and no bot is charged with a failure."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from splito_arena.bots.subprocess import BotProcesses
from splito_arena.formats import RoundRobin
from splito_arena.net.http_client import Caller
from splito_arena.net.resolver import Resolver
from splito_service.bots.ask_claims import Claims
from splito_service.bots.ask_log import Log
from splito_service.bots.model import Registered
from splito_service.bots.players import BotPlayers
from splito_service.bots.pull import Desk
from splito_service.bots.registry import FAILURES, PASSES, SILENCES, Registry
from splito_service.bots.store import Bots
from splito_service.matches.bot_turns import BotTurns
from splito_service.matches.model import Sitter
from splito_service.matches.store import Matches
from splito_service.processes.embedded_redis import open_server
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.tournaments.entrants import UNFOUND
from splito_service.workers import tournament_loop
from tests.name_server import NameServer, name_server
from tests.service.playing import Playing, entrant, house, put, registered, tournament, until
from tests.service.pushed import INFO, PushBot, serving

pytestmark = pytest.mark.anyio
LONG = 60.0


@pytest.fixture
async def dns() -> AsyncIterator[NameServer]:
    async with name_server() as server:
        yield server


@pytest.fixture
def push() -> Iterator[PushBot]:
    with serving() as bot:
        bot.info = {**INFO, "games": ["splitter"]}
        yield bot


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    async with Caller() as caller:
        yield caller


def named(push: PushBot, name: str, owner: str = "ada") -> Registered:
    """A registered bot that lives at a name instead of an IP address."""
    return replace(registered(push), owner=owner, url=push.url.replace("127.0.0.1", name))


async def test_two_hundred_silent_names_of_one_owner_leave_the_bots_of_another_ready(
    link: Link, caller: Caller, dns: NameServer, push: PushBot
) -> None:
    slow = [named(push, f"b{number}.silent.example", "slow") for number in range(200)]
    good = [named(push, f"b{number}.fast.example", "good") for number in range(5)]
    await put(link, *slow, *good)
    bots = Bots(link)
    async with Resolver([dns.place], limit=LONG) as resolver:
        registry = Registry(bots, Signer(link), caller, True, resolver=resolver)
        looks = [asyncio.create_task(registry.look(bot.id)) for bot in slow]
        await dns.wait_for("b0.silent.example")
        for _ in range(FAILURES):
            await asyncio.gather(*(registry.look(bot.id) for bot in good))
        assert not any(look.done() for look in looks), "they still wait for DNS"
        for look in looks:
            look.cancel()
        await asyncio.gather(*looks, return_exceptions=True)
    seen = [await bots.get(bot.id) for bot in good]
    assert {(bot.state, bot.failures, bot.passes) for bot in seen} == {("ready", 0, PASSES)}


async def test_a_failed_name_lookup_is_no_failure_of_the_bot_until_it_repeats_for_long(
    link: Link, caller: Caller, dns: NameServer, push: PushBot
) -> None:
    bot = named(push, "bot.silent.example")
    await put(link, bot)
    bots = Bots(link)
    async with Resolver([dns.place], limit=1) as resolver:
        registry = Registry(bots, Signer(link), caller, True, resolver=resolver)
        for _ in range(SILENCES - 1):
            await registry.look(bot.id)
        seen = await bots.get(bot.id)
        assert (seen.state, seen.failures, seen.reason) == ("ready", 0, None)
        await registry.look(bot.id)
    seen = await bots.get(bot.id)
    assert (seen.state, seen.failures) == ("disabled", 0)
    assert "bot.silent.example could not be looked up" in (seen.reason or "")


async def test_no_bot_is_disabled_while_our_name_servers_do_not_answer(
    link: Link, caller: Caller, dns: NameServer, push: PushBot
) -> None:
    bot = named(push, "bot.example")
    await put(link, bot)
    dns.down = True
    async with Resolver([dns.place], limit=1) as resolver:
        registry = Registry(Bots(link), Signer(link), caller, True, resolver=resolver)
        for _ in range(SILENCES + FAILURES):
            await registry.look(bot.id)
    assert await Bots(link).get(bot.id) == bot


async def test_a_name_that_does_not_exist_is_the_bots_own_failure(
    link: Link, caller: Caller, dns: NameServer, push: PushBot
) -> None:
    bot = named(push, "bot.none.example")
    await put(link, bot)
    async with Resolver([dns.place]) as resolver:
        registry = Registry(Bots(link), Signer(link), caller, True, resolver=resolver)
        for _ in range(FAILURES):
            await registry.look(bot.id)
    assert (await Bots(link).get(bot.id)).state == "disabled"


async def test_slow_name_lookups_of_one_owner_do_not_delay_health_checks_of_other_bots(
    link: Link, caller: Caller, dns: NameServer, push: PushBot
) -> None:
    bots = Bots(link)
    slow = [named(push, f"b{number}.silent.example", "slow") for number in range(100)]
    good = named(push, "b.fast.example", "good")
    await put(link, *slow, good)
    await link.call("DEL", "bots:due")
    for at, bot in enumerate([*slow, good]):
        await link.call("ZADD", "bots:due", at, bot.id)

    async def looked_at() -> bool:
        return (await bots.get(good.id)).passes > 0

    async with Resolver([dns.place], limit=LONG) as resolver:
        sweep = asyncio.create_task(Registry(bots, Signer(link), caller, True, resolver=resolver).sweep(3600))
        await until(looked_at)
        sweep.cancel()
        await asyncio.gather(sweep, return_exceptions=True)
    await link.call("DEL", "bots:due")


async def test_when_the_name_lookup_fails_a_house_bot_plays_the_turn_without_a_fault(  # noqa: PLR0913, PLR0917 (fixtures)
    link: Link, caller: Caller, desk: Desk, matches: Matches, dns: NameServer, push: PushBot
) -> None:
    bot = named(push, "bot.silent.example")
    await put(link, bot)
    kept = await matches.create("splitter", [Sitter("bot", "Marvin", bot.id), Sitter("person", "Ann")])
    async with Resolver([dns.place], limit=1) as resolver, BotProcesses() as house_bots:
        registry = Registry(Bots(link), Signer(link), caller, True, resolver=resolver)
        bot_turns = BotTurns(Bots(link), BotPlayers(registry, desk), Claims(link), Log(link))
        decision = await bot_turns.decide(kept, 0, house_bots)
    assert decision is not None
    kept = await matches.seal(kept.id, decision)
    assert (kept.sealed, kept.accounts) == ({0}, {})


# Tournaments


@pytest.fixture
async def playing(tmp_path: Path, dns: NameServer) -> AsyncIterator[Playing]:
    with open_server(tmp_path) as server:
        async with Link(server.url) as link:
            playing = Playing(link, server.url)
            playing.nameservers = (dns.place,)
            yield playing


async def test_a_tournament_waits_for_a_silent_name_and_then_skips_the_bot_without_a_fault(
    playing: Playing, push: PushBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splito_arena.net.resolver.LIMIT", 1.0)
    monkeypatch.setattr(tournament_loop, "LEASE", 1000)
    bot = named(push, "bot.silent.example")
    await put(playing.link, bot)
    kept = tournament(RoundRobin(blocks=2), *house("random", "planner"), entrant(bot), ranked=True)
    await playing.organiser.hold(kept)
    told = asyncio.Event()
    shift = asyncio.create_task(playing.shift(told))
    silence = f"tournament:{kept.id}:unfound:{bot.id}"
    await until(lambda: _exists(playing.link, silence))
    assert (await playing.ledger.counts(kept.id)).skipped == 0
    long_ago = int(await playing.link.call("GET", silence)) - tournament_loop.PATIENCE
    await playing.link.call("SET", silence, long_ago, "EX", 60)
    await until(lambda: playing.over(kept.id))
    told.set()
    await shift
    over = await playing.tournaments.get(kept.id)
    assert over.state == "finished"
    entries = await playing.ledger.whole(kept.id)
    assert {one.skipped for one in entries if bot.id in str(one.bots)} == {f"Marvin: {UNFOUND}"}
    assert {one.skipped for one in entries if bot.id not in str(one.bots)} == {None}
    assert push.called == []


async def test_a_tournament_continues_when_our_name_servers_answer_again(
    playing: Playing, push: PushBot, dns: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splito_arena.net.resolver.LIMIT", 1.0)
    monkeypatch.setattr("splito_arena.net.resolver.AGAIN", 0.1)
    monkeypatch.setattr(tournament_loop, "LEASE", 1000)
    dns.down = True
    bot = named(push, "bot.example")
    await put(playing.link, bot)
    kept = tournament(RoundRobin(blocks=2), *house("random"), entrant(bot), ranked=True)
    await playing.organiser.hold(kept)
    finishing = asyncio.create_task(playing.finish(kept))
    await dns.wait_for("")  # a look-up has failed, and whether anything is answered was asked
    dns.down = False
    over = await finishing
    assert over.state == "finished"
    entries = await playing.ledger.whole(kept.id)
    assert {one.skipped for one in entries} == {None}
    assert {fault for one in entries for game in one.games for fault in game.faults} == {()}


async def _exists(link: Link, key: str) -> bool:
    return await link.call("EXISTS", key) == 1
