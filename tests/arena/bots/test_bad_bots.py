"""No bot stops a match, spoils it for the others, or leaves anything behind, however it fails."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import msgspec
import pytest

from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.faults import FAULTS
from splito_arena.match.messages import BotInfo
from splito_arena.match.referee import Played, referee
from splito_arena.match.seat import Clock, Exchange
from splito_arena.match.terms import PlayTerms, Terms
from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target
from splito_arena.net.signing import Key, new_secret
from splito_engine.games import splito
from splito_engine.record import encode, verify
from tests.arena.bots.bad_bots import BAD_BOTS, STRIKES, Bad, Json, good, replies
from tests.arena.net.servers import HOST, LONG, NAME, bot, serving, trusting

pytestmark = pytest.mark.anyio

CLOCK = Clock(turn_ms=200, bank_ms=400)
TURNS = 13
SLACK_MS = 2000
"""For a machine that has other things to do: far more than a match without a bad bot takes."""


class Match(msgspec.Struct):
    played: Played
    tries: int
    """How often the bad bot was asked."""
    good_was_asked: list[int]
    """In which turns."""


async def lookup(_host: str, _port: int) -> Sequence[str]:
    return [HOST]


def push(caller: Caller, target: Target, name: str, *, tls: bool = False) -> Push:
    url = f"{'https' if tls else 'http'}://{NAME}:{target.port}/"
    client = BotClient(caller, url, Key(new_secret()), allow_private=True, lookup=lookup)
    return Push(client, BotInfo(name=name, author="test", version="1", games=["splito"]))


async def play(bad: Bad) -> Match:
    """A good bot at the same table is called by the same caller."""
    asked: list[int] = []
    log: list[Exchange] = []

    def reply(ask: Json) -> bytes:
        asked.append(ask["turn"])
        return good(ask)

    async with AsyncExitStack() as stack:
        fine = await stack.enter_async_context(bot(replies(reply)))
        context = serving(bad.tls) if bad.tls else None
        poor = await stack.enter_async_context(bot(bad.serve, context, dies=bad.dies))
        caller = await stack.enter_async_context(Caller(tls=trusting(bad.tls) if bad.tls else None))
        players = [
            push(caller, poor, "bad", tls=bad.tls is not None),
            push(caller, fine, "good"),
            *(Plugin(name, find_bot(name)) for name in ("greedy", "random")),
        ]
        play = PlayTerms(clock=CLOCK, strikes=STRIKES, log=lambda _, exchange: log.append(exchange))
        terms = Terms(game=splito, match="m", seed="7", salt=32 * "0", play=play)
        async with asyncio.timeout(LONG):
            played = await referee(terms, players, lambda _: Plugin("random", find_bot("random")))
    return Match(played, sum(one.seat == 0 and one.request != b"" for one in log), asked)


@pytest.mark.parametrize("name", BAD_BOTS)
async def test_a_bad_bot_does_not_change_the_match_of_the_other_bots(name: str) -> None:
    tasks = asyncio.all_tasks()
    bad = BAD_BOTS[name]()
    found = await play(bad)
    poor, fine, *_ = found.played.seats

    assert [note.code for note in poor.faults] == bad.faults
    assert poor.replaced == (len(bad.faults) == STRIKES)
    assert found.played.places[0] == 4.0 or not poor.replaced
    assert found.tries == (bad.tries or tries(poor.faults[-1].turn + 1 if poor.replaced else TURNS, bad.faults))

    assert (fine.faults, fine.replaced, found.good_was_asked) == ((), False, list(range(TURNS)))
    assert sum(poor.elapsed_ms) <= len(poor.elapsed_ms) * CLOCK.turn_ms + CLOCK.bank_ms + SLACK_MS

    _, match = verify(encode(found.played.record))
    assert (match.over, len(match.turns)) == (True, TURNS)
    assert asyncio.all_tasks() == tasks


def tries(turns: int, faults: Sequence[str]) -> int:
    """One for each turn, and another where that may help."""
    return turns + sum(FAULTS[code].again for code in faults)


def test_the_bad_bots_have_every_fault_of_a_server() -> None:
    assert {code for make in BAD_BOTS.values() for code in make().faults} == FAULTS.keys() - {"crashed"}


async def test_a_match_of_four_bad_bots_ends() -> None:
    bots = [BAD_BOTS[name]() for name in ("hangs", "floods", "resets", "answers the turn before")]
    async with AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(bot(one.serve)) for one in bots]
        caller = await stack.enter_async_context(Caller())
        players = [push(caller, target, f"bad {seat}") for seat, target in enumerate(targets)]
        terms = Terms(game=splito, match="m", seed="7", salt=32 * "0", play=PlayTerms(clock=CLOCK))
        played = await referee(terms, players, lambda _: Plugin("random", find_bot("random")))
    assert [[note.code for note in seat.faults] for seat in played.seats] == [one.faults for one in bots]
    assert played.places == 4 * (2.5,)
    verify(encode(played.record))
