"""A process that plays at many matches at once, badly behaved, until it is killed or all matches are over.

`python -m tests.service.chaos URL JOURNAL SEED ID...`. It seals random moves for random seats, repeats itself,
contradicts itself, and answers turns that are over. Whatever was acknowledged, it writes to the journal, one line each.
When the server is gone it tries again until there is one.
"""

import asyncio
import json
import os
import sys
from random import Random

from redis.exceptions import BusyLoadingError
from redis.exceptions import ConnectionError as RedisConnectionError

from engine.errors import GameError
from engine.match import legal_moves
from service.store.connection import connect
from service.store.matches import Matches


async def act(matches: Matches, match_id: str, rng: Random, journal: int) -> bool:
    """One decision of somebody. Is the match over?"""
    match = (await matches.get(match_id)).match
    if match.over:
        return True
    turn, seat = len(match.turns), rng.choice(match.actors)
    move = rng.choice(legal_moves(match, seat))
    if match.turns and rng.random() < 0.1:
        turn -= 1  # an answer to yesterday's question
    try:
        await matches.seal(match_id, turn, seat, move)
    except GameError:
        return False
    line = json.dumps([match_id, turn, seat, match.game.move_text(move)]) + "\n"
    os.write(journal, line.encode())
    return False


async def play_on(matches: Matches, match_id: str, rng: Random, journal: int) -> None:
    over = False
    while not over:
        try:
            over = await act(matches, match_id, rng, journal)
        except (RedisConnectionError, BusyLoadingError):
            await asyncio.sleep(0.05)


async def main(url: str, journal_file: str, seed: str, *ids: str) -> None:
    redis, rng = connect(url), Random(seed)
    journal = os.open(journal_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    matches = Matches(redis)
    await asyncio.gather(*(play_on(matches, match_id, rng, journal) for match_id in rng.sample(ids, len(ids))))
    await redis.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
