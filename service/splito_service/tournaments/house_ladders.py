"""House ladders: one permanent ladder per game, for the house bots and all ranked bots.

The house holds them, and all clients may read them. Each server process maintains them from its start. The id of a
ladder is stored before the ladder is created, so all processes use the same one, and another process creates it if the
first is killed in between. A ladder is played by one version of the rules. When no worker has that version any more,
the ladder is cancelled and a new one begins by the rules of this process. New versions of house bots go on in the same
ladder, because the workers update them (`splito_service.tournaments.installed_versions.moved_on`).
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from secrets import token_hex

import msgspec

from splito_arena.bots.direct import Bot, ask_bot
from splito_arena.bots.find import bot_names, find_bot
from splito_arena.formats import Ladder
from splito_engine.errors import BadBot
from splito_engine.game import read_options
from splito_engine.match import start
from splito_engine.registry import find_game
from splito_service.bots.consent import HOUSE, Asker
from splito_service.bots.store import Bots
from splito_service.errors import Unavailable, UnknownTournament
from splito_service.ids import new_id
from splito_service.names import LADDER
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.entrants import Roster
from splito_service.tournaments.installed_versions import Workers, stand_in_version
from splito_service.tournaments.model import OVER, StoredEntrant, StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.store import Tournaments

SEATS = 3
"""Number of players at a table, or the nearest number that the game and the number of house bots allow."""
FORMAT = Ladder(everybody=True, tables=2, pause_seconds=10)
"""Format of the ladders. Its pause leaves time for the other work of a machine."""
AGAIN = 1.0
"""Seconds until the next try if Redis does not answer."""
LOOK = 30.0
"""Seconds between two looks for ladders whose rules no worker has any more."""

log = logging.getLogger("splito.ladders")


class Ladders:
    """The house ladders. Used in one event loop."""

    def __init__(self, link: Link, organiser: Organiser, bots: Bots) -> None:
        self._link, self._organiser = link, organiser
        self._tournaments, self._roster, self._workers = Tournaments(link), Roster(bots), Workers(link)
        self._succeed = link.script(source("tournaments/ladder_succeed"))

    async def see_to(self, games: Sequence[str], wanted: bool) -> None:
        """Run the ladders if `wanted`, else pause them; their results stay."""
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

    async def follow_rules(self, games: Sequence[str]) -> None:
        """Begin a new ladder of each game whose ladder has a version of the rules that no worker has any more."""
        living = await self._workers.living()
        for game in games:
            found, rules = await self._find(game, make=False), find_game(game).INFO.version
            versions = {have.games.get(game) for have in living}
            if not found or rules not in versions:
                continue
            try:
                kept = await self._tournaments.get(found)
            except UnknownTournament:  # the process that stored the id was killed before it created the ladder
                await self._run(game)
            else:
                if kept.rules and kept.rules not in versions:
                    await self._succeed_with(kept, game, rules)

    async def _succeed_with(self, kept: StoredTournament, game: str, rules: str) -> None:
        """Cancel a ladder and begin a new one; another process completes this if this process is killed in between."""
        if kept.state not in OVER:
            reason = f"no worker has rules {kept.rules} any more; a new ladder is played by rules {rules}"
            await self._organiser.set_state(kept.id, "cancelled", reason)
        await self._succeed([_key(game)], [kept.id, new_id()])
        await self._run(game)

    async def _rest(self, game: str) -> None:
        found = await self._find(game, make=False)
        if found:
            with suppress(UnknownTournament):
                kept = await self._tournaments.get(found)
                if kept.state not in OVER:
                    await self._organiser.set_state(found, "paused", "house ladders are switched off")

    async def _find(self, game: str, make: bool) -> str:
        """Return the id of the ladder; empty if there is none and `make` is False."""
        key = _key(game)
        if make:
            await self._link.call("SET", key, new_id(), "NX")
        return (await self._link.call("GET", key) or b"").decode()

    async def _entrants(self, game: str) -> list[StoredEntrant]:
        """Return the house bots that play the game, as entrants."""
        playing = await asyncio.to_thread(lambda: [name for name in bot_names() if _plays(name, game)])
        house = Asker(HOUSE, organiser=True)
        return [await self._roster.enter(name, game, True, house) for name in playing]


@asynccontextmanager
async def keeping(ladders: Ladders, games: Sequence[str], wanted: bool) -> AsyncGenerator[None]:
    """Maintain the ladders in the background, as soon as Redis answers."""
    seeing = asyncio.create_task(_see_to(ladders, games, wanted))
    try:
        yield
    finally:
        seeing.cancel()
        with suppress(asyncio.CancelledError):
            await seeing


async def _see_to(ladders: Ladders, games: Sequence[str], wanted: bool) -> None:
    seen = False
    while True:
        try:
            if not seen:
                await ladders.see_to(games, wanted)
                seen = True
            if not wanted:
                return
            await ladders.follow_rules(games)
            await asyncio.sleep(LOOK)
        except Unavailable:
            await asyncio.sleep(AGAIN)
        except Exception:
            log.exception("the house ladders could not be updated")
            return


def _key(game: str) -> str:
    """Return the Redis key of the id of that game's ladder."""
    return f"ladder:{game}"


def _plays(name: str, game: str) -> bool:
    """Return True if the house bot plays the game. The bot is asked for a first move, because only the bot knows."""
    found = find_game(game)
    opening = start(found, max(2, found.INFO.min_players), "any", {})
    try:
        ask_bot(opening, opening.actors[0], Bot(name, find_bot(name)))
    except BadBot:
        return False
    return True


def _ladder(tournament_id: str, game_id: str, players: int, entrants: Sequence[StoredEntrant]) -> StoredTournament:
    game = find_game(game_id)
    return StoredTournament(
        id=tournament_id,
        owner="",
        name=f"{LADDER}: {game.INFO.titles['en']}",
        game=game_id,
        players=players,
        options=msgspec.to_builtins(read_options(game, {})),
        rules=game.INFO.version,
        stand_in=stand_in_version(),
        format=FORMAT,
        entrants=tuple(entrants),
        secret=token_hex(32),
        ranked=True,
    )
