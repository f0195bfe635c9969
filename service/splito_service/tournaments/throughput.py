"""Throughput of tournaments: the recent number of games per second, for estimates of the time that is left.

The last finished blocks of each tournament are stored with their times, and the speed of the last tournament for each
game and number of players.
"""

from typing import NamedTuple

from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.model import StoredTournament

REMEMBERED = 64
"""Number of blocks that are stored."""
DAY = 24 * 3600
LATE = 60_000
"""Milliseconds after which the last block is too old for an estimate."""


class Seen(NamedTuple):
    games: int
    at: float


class Throughput:
    """The throughput in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._note, self._read = (
            link.script(source("tournaments/pace_note")),
            link.script(source("tournaments/pace_read")),
        )

    async def note(self, kept: StoredTournament, block: str, games: int) -> None:
        """Store the end of a block."""
        await self._note([_key(kept.id), _usual(kept.game, kept.players)], [f"{block} {games}", REMEMBERED, DAY])

    async def of(self, tournament_id: str) -> float | None:
        """Return games per second; None if too few were played recently."""
        now, found = await self._read([_key(tournament_id)])
        blocks = [Seen(int(name.split()[1]), float(at)) for name, at in zip(found[::2], found[1::2], strict=True)]
        if len(blocks) < 2 or now - blocks[-1].at > LATE:
            return None
        span = max(now - blocks[0].at, 1.0)
        return 1000 * sum(block.games for block in blocks[1:]) / span

    async def usual(self, game: str, players: int) -> float | None:
        """Return the games per second of the last tournament of that kind; None if there was none."""
        found = await self._link.call("GET", _usual(game, players))
        return None if found is None else float(found)


def _key(tournament_id: str) -> str:
    return f"tournament:{tournament_id}:pace"


def _usual(game: str, players: int) -> str:
    return f"pace:{game}:{players}"
