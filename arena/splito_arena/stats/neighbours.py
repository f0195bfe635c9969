"""Results of a bot beside each of its neighbours.

A block seats every bot beside every other, so both sides of a comparison come from the same blocks. Everything is
averaged within a block first, and intervals are taken over blocks.
"""

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from splito_arena.blocks.ledger import Entry, Game, VersionId
from splito_arena.stats.intervals import Interval, interval
from splito_arena.stats.standings import BotGame, by_bot
from splito_arena.stats.tournament_table import rated_entries

Side: TypeAlias = Literal["left", "right"]
SIDES: dict[Side, int] = {"left": -1, "right": 1}
"""Offset in seats from the bot to its neighbour; the last seat is beside the first."""


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    bot: VersionId
    neighbour: VersionId
    side: Side
    """Side on which the neighbour sits. With two players, both sides are the same neighbour."""
    blocks: int
    games: int
    place: Interval
    """Place of the bot in the games beside this neighbour."""
    points: Interval
    gain: Interval
    """Points in these games above the bot's own mean over all games of the block."""


class _Key(NamedTuple):
    bot: VersionId
    neighbour: VersionId
    side: Side


class _Means(NamedTuple):
    games: int
    place: float
    points: float
    gain: float


def neighbours(ledger: Iterable[Entry]) -> tuple[Beside, ...]:
    """Return the results of every bot beside every neighbour, in the order of their ids, the left side first."""
    found = dict[_Key, list[_Means]]()
    for entry in rated_entries(ledger):
        for key, means in _block(entry):
            found.setdefault(key, []).append(means)
    return tuple(_beside(key, blocks) for key, blocks in sorted(found.items()))


def _block(entry: Entry) -> Iterator[tuple[_Key, _Means]]:
    for bot, games in zip(entry.bots, by_bot(entry.games, len(entry.bots)), strict=True):
        usual = fmean(one.points for one in games)
        for side, step in SIDES.items():
            for neighbour, some in _with(entry, games, step).items():
                points = fmean(one.points for one in some)
                place = fmean(one.place for one in some)
                yield _Key(bot, neighbour, side), _Means(len(some), place, points, points - usual)


def _with(entry: Entry, games: Iterable[BotGame[Game]], step: int) -> dict[VersionId, list[BotGame[Game]]]:
    """Return the games by the bot that sat `step` seats further."""
    found = dict[VersionId, list[BotGame[Game]]]()
    for one in games:
        seating = one.game.seating
        found.setdefault(entry.bots[seating[(one.seat + step) % len(seating)]], []).append(one)
    return found


def _beside(key: _Key, blocks: list[_Means]) -> Beside:
    return Beside(
        bot=key.bot,
        neighbour=key.neighbour,
        side=key.side,
        blocks=len(blocks),
        games=sum(block.games for block in blocks),
        place=interval([block.place for block in blocks]),
        points=interval([block.points for block in blocks]),
        gain=interval([block.gain for block in blocks]),
    )
