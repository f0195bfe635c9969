"""The ladders of the house: one for each game, in which its bots and all that are ranked meet for as long as that is
wanted. Nobody owns them, and everybody may see how they stand.

Each process of the service sees to them when it starts. The id of a ladder is noted before it is made, so all find the
same one, and whoever was killed in between is followed by who makes it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from secrets import token_hex

import msgspec

from arena.bots import bot_names, find_bot
from arena.formats import Ladder
from arena.table import Bot, ask_bot
from engine.errors import BadBot
from engine.game import read_options
from engine.match import start
from engine.registry import find_game
from service.entering import Roster
from service.errors import Unavailable, UnknownTournament
from service.organiser import Organiser
from service.store.bots import Bots
from service.store.kept import new_id
from service.store.link import Link
from service.store.tournaments import OVER, KeptEntrant, KeptTournament, Tournaments

SEATS = 3
"""At a table, or as near to it as the game and the number of the house's bots allow."""
FORMAT = Ladder(everybody=True, tables=2, pause_seconds=10)
"""It leaves time for whatever else a machine has to do."""
AGAIN = 1.0
"""Seconds until the next try, when Redis does not answer."""

log = logging.getLogger("splito.ladders")


class Ladders:
    """Used in one event loop."""

    def __init__(self, link: Link, organiser: Organiser, bots: Bots) -> None:
        self._link, self._organiser = link, organiser
        self._tournaments, self._roster = Tournaments(link), Roster(bots)

    async def see_to(self, games: Sequence[str], wanted: bool) -> None:
        """They run if they are wanted, and rest if not; what was played stays."""
        for game in games:
            await (self._run(game) if wanted else self._rest(game))

    async def _run(self, game: str) -> None:
        info = find_game(game).INFO
        if info.max_players < 2:
            return
        entrants = await self._entrants(game)
        players = max(info.min_players, min(SEATS, len(entrants), info.max_players))
        if not 2 <= players <= len(entrants):
            return
        found = await self._find(game, make=True)
        try:
            kept = await self._tournaments.get(found)
        except UnknownTournament:
            await self._organiser.hold(_ladder(found, game, players, entrants))
        else:
            if kept.state not in OVER:
                await self._organiser.set_state(found, "running")

    async def _rest(self, game: str) -> None:
        found = await self._find(game, make=False)
        if found:
            with suppress(UnknownTournament):
                kept = await self._tournaments.get(found)
                if kept.state not in OVER:
                    await self._organiser.set_state(found, "paused", "the house does not want it now")

    async def _find(self, game: str, make: bool) -> str:
        """The id of the ladder; nothing if there is none, and none is to be made."""
        key = f"ladder:{game}"
        if make:
            await self._link.call("SET", key, new_id(), "NX")
        return (await self._link.call("GET", key) or b"").decode()

    async def _entrants(self, game: str) -> list[KeptEntrant]:
        """Bots of the house that play it."""
        playing = await asyncio.to_thread(lambda: [name for name in bot_names() if _plays(name, game)])
        return [await self._roster.enter(name, game, ranked=True) for name in playing]


@asynccontextmanager
async def keeping(ladders: Ladders, games: Sequence[str], wanted: bool) -> AsyncGenerator[None]:
    """In the background, as soon as Redis answers."""
    seeing = asyncio.create_task(_see_to(ladders, games, wanted))
    try:
        yield
    finally:
        seeing.cancel()
        with suppress(asyncio.CancelledError):
            await seeing


async def _see_to(ladders: Ladders, games: Sequence[str], wanted: bool) -> None:
    while True:
        try:
            return await ladders.see_to(games, wanted)
        except Unavailable:
            await asyncio.sleep(AGAIN)
        except Exception:
            log.exception("the ladders of the house cannot be seen to")
            return None


def _plays(name: str, game: str) -> bool:
    """Only the bot knows: it is asked for a first move."""
    found = find_game(game)
    opening = start(found, max(2, found.INFO.min_players), "any", {})
    try:
        ask_bot(opening, opening.actors[0], Bot(name, find_bot(name)))
    except BadBot:
        return False
    return True


def _ladder(tournament_id: str, game_id: str, players: int, entrants: Sequence[KeptEntrant]) -> KeptTournament:
    game = find_game(game_id)
    return KeptTournament(
        id=tournament_id,
        owner="",
        name=f"House ladder: {game.INFO.titles['en']}",
        game=game_id,
        players=players,
        options=msgspec.to_builtins(read_options(game, {})),
        format=FORMAT,
        entrants=tuple(entrants),
        secret=token_hex(32),
        ranked=True,
    )
