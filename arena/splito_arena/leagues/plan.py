"""Plan of a league: which bots meet next, as a pure function of what has been played.

A league is played in waves. In a wave every version that has too few blocks plays one more, at tables with those that
have played least and that it has met least. So a new version plays its blocks, and the others play only as many as it
needs opponents.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import combinations
from typing import TypeAlias

import msgspec

from splito_arena.blocks.ledger import Entry, VersionId

Table: TypeAlias = tuple[VersionId, ...]


class History(msgspec.Struct, frozen=True):
    """The blocks that versions have played, and the pairs that have met."""

    blocks: Counter[VersionId]
    meetings: Counter[tuple[VersionId, VersionId]]
    hopeless: frozenset[VersionId]
    """Versions that were replaced in all their games."""


class Aim(msgspec.Struct, frozen=True):
    """The aim of a league: so many blocks of every version, at tables of this size."""

    seed: str
    players: int
    enough: int


HOPELESS = 2
"""Number of blocks after which a version that was replaced in all its games plays no more."""


def history_of(entries: Iterable[Entry]) -> History:
    blocks, meetings = Counter[VersionId](), Counter[tuple[VersionId, VersionId]]()
    lasted: set[VersionId] = set()
    for entry in entries:
        blocks.update(entry.bots)
        meetings.update(combinations(sorted(entry.bots), 2))
        for game in entry.games:
            lasted |= {entry.bots[bot] for bot, gone in zip(game.seating, game.replaced, strict=True) if not gone}
    hopeless = frozenset(bot for bot, count in blocks.items() if count >= HOPELESS and bot not in lasted)
    return History(blocks, meetings, hopeless)


def next_wave(aim: Aim, wave: int, versions: Iterable[VersionId], history: History) -> list[Table]:
    """Return the tables of a wave; none if every version has enough blocks, or if too few can play."""
    able = [version for version in versions if version not in history.hopeless]
    if len(able) < aim.players:
        return []
    draw = _Draw(aim, wave, able, history)
    waiting = sorted((one for one in able if draw.blocks[one] < aim.enough), key=draw.turn)
    tables: list[Table] = []
    while waiting:
        table = draw.table(waiting, able)
        waiting = [one for one in waiting if one not in table]
        tables.append(table)
    return tables


class _Draw:
    """The draw of one wave: it counts its own tables as played. Lots decide between equals."""

    def __init__(self, aim: Aim, wave: int, able: Iterable[VersionId], history: History) -> None:
        self.blocks = Counter(history.blocks)
        self._meetings, self._players = Counter(history.meetings), aim.players
        self._lots = {one: sha256(f"splito/league/{aim.seed}/{wave}/{one}".encode()).digest() for one in able}

    def turn(self, one: VersionId) -> tuple[int, bytes]:
        """Return the key by which versions get their tables: those with the fewest blocks first."""
        return self.blocks[one], self._lots[one]

    def table(self, waiting: Sequence[VersionId], able: Iterable[VersionId]) -> Table:
        """Return a table for the first version that waits: with others that wait if possible, and that it met least."""
        table = [waiting[0]]
        while len(table) < self._players:
            others = [one for one in able if one not in table]
            keys = {one: (one not in waiting, self._met(table, one), self.turn(one)) for one in others}
            table.append(min(others, key=keys.__getitem__))
        self.blocks.update(table)
        self._meetings.update(combinations(sorted(table), 2))
        return tuple(table)

    def _met(self, table: Iterable[VersionId], one: VersionId) -> int:
        return sum(self._meetings[min(one, other), max(one, other)] ** 2 for other in table)
