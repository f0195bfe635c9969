"""Whoever waits is told of every turn, once, in order, and of the end; whoever comes back misses nothing."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from engine.match import legal_moves
from service.embedded import open_server
from service.store.connection import Client, connect
from service.store.events import BEGINNING, Event, Events, listening
from service.store.matches import Matches

pytestmark = pytest.mark.anyio
NAMES = ("Ann", "Bob", "Cy")
LONG = 30.0


async def play_turn(matches: Matches, match_id: str) -> None:
    match = (await matches.get(match_id)).match
    for seat in match.actors:
        await matches.seal(match_id, len(match.turns), seat, legal_moves(match, seat)[0])


async def follow(events: Events, match_id: str, last: str = BEGINNING) -> list[Event]:
    """Until the end."""
    seen: list[Event] = []
    while not (seen and seen[-1].over):
        found = await events.after(match_id, seen[-1].id if seen else last, wait=LONG)
        assert found, "nothing came"
        seen += found
    return seen


async def test_every_turn_is_told_once_and_in_order_to_everybody(redis: Client, redis_url: str) -> None:
    matches = Matches(redis)
    match_id, _ = await matches.create("splitter", NAMES, seed="events")
    async with listening(redis) as here, connect(redis_url) as other, listening(other) as elsewhere:
        followers = [asyncio.create_task(follow(events, match_id)) for events in (here, here, elsewhere)]
        for _ in range(22):
            await play_turn(matches, match_id)
        one, two, three = [await follower for follower in followers]
    assert one == two == three
    assert [event.turn for event in one] == [*range(22), 22]
    match = (await matches.get(match_id)).match
    for event, turn in zip(one, match.turns, strict=False):
        assert event.moves == {seat: match.game.move_text(move) for seat, move in turn.moves.items()}


async def test_who_comes_back_misses_nothing(redis: Client) -> None:
    matches = Matches(redis)
    match_id, _ = await matches.create("splito", NAMES, seed="events")
    async with listening(redis) as events:
        await play_turn(matches, match_id)
        (first,) = await events.after(match_id)
        for _ in range(3):
            await play_turn(matches, match_id)
        assert [event.turn for event in await events.after(match_id, first.id)] == [1, 2, 3]


async def test_nothing_is_told_before_a_turn_is_revealed_nor_of_other_matches(redis: Client) -> None:
    matches = Matches(redis)
    match_id, _ = await matches.create("splito", NAMES, seed="events")
    another, _ = await matches.create("splito", NAMES, seed="events")
    match = (await matches.get(match_id)).match
    async with listening(redis) as events:
        await matches.seal(match_id, 0, 0, legal_moves(match, 0)[0])
        await play_turn(matches, another)
        assert await events.after(match_id, wait=0.05) == []


async def test_who_waits_is_told_even_if_the_server_dies_meanwhile(tmp_path: Path) -> None:
    with open_server(tmp_path, "always") as server:
        async with connect(server.url) as redis, listening(redis) as events:
            matches = Matches(redis)
            match_id, _ = await matches.create("splito", NAMES, seed="events")
            waiting = asyncio.create_task(events.after(match_id, wait=LONG))
            await asyncio.sleep(0)
            os.kill((await redis.info("server"))["process_id"], signal.SIGKILL)
            await asyncio.to_thread(server.ensure)
            await play_turn(matches, match_id)
            assert [event.turn for event in await waiting] == [0]


async def test_a_notice_about_nothing_new_does_not_end_the_waiting(redis: Client) -> None:
    matches = Matches(redis)
    match_id, _ = await matches.create("splito", NAMES, seed="events")
    async with listening(redis) as events:
        waiting = asyncio.create_task(events.after(match_id, wait=LONG))
        await asyncio.sleep(0)
        await redis.publish("matches", match_id)
        done, _ = await asyncio.wait({waiting}, timeout=0.2)
        assert not done
        await play_turn(matches, match_id)
        assert [event.turn for event in await waiting] == [0]
