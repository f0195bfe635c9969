"""Standings: the results of each bot over whole blocks, and the lines of the published table.

A block has every bot in every seat equally often, so its mean is free of the luck of the seat. Means are taken over
blocks, shares over games, and intervals over blocks. The table of a local series and the table of a tournament are
both made from these results.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

from splito_arena.blocks.ledger import VersionId
from splito_arena.blocks.results import FinishedGame
from splito_arena.match.places import judged, rank, winners
from splito_arena.stats.intervals import Interval, RatingInterval, Share, interval, share
from splito_engine.game import Seat

GameT = TypeVar("GameT", bound=FinishedGame)


class BotGame(msgspec.Struct, Generic[GameT], frozen=True):
    """One game as the bot in one of its seats played it."""

    game: GameT
    seat: Seat
    place: float
    """Place, from 1; tied bots share the mean of their places. A replaced bot comes last."""
    wins: float
    """Share of the win; each of k winners has 1/k."""

    @property
    def points(self) -> int:
        return self.game.scores[self.seat][0]

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the fault codes of the bot in the order of the turns."""
        return self.game.faults[self.seat]

    @property
    def replaced(self) -> bool:
        """True if a house bot played on for the bot."""
        return self.game.replaced[self.seat]


class BotResults(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one bot over all its blocks."""

    games: int
    blocks: int
    place: Interval
    points: Interval
    wins: Share
    faults: dict[str, int]
    """Number of faults by their codes, in the order in which they occurred first."""
    replaced: int
    """Number of games in which a house bot played on for the bot; the points include its points."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the published table."""

    bot: VersionId
    rating: RatingInterval
    """Rating by the fit to all games at once.

    100 points more mean a chance of 64 % to finish ahead in one game. The mean of the group is 1500.
    """
    group: int
    """Number of the group, from 1, the largest first.

    Bots of two groups never met, not even through other bots, so that they cannot be compared.
    """
    games: int
    blocks: int
    place: Interval
    """Place, from 1; tied bots share the mean of their places. A replaced bot comes last."""
    points: Interval
    wins: Share
    """Share of the win of one game; each of k winners has 1/k."""
    faults: dict[str, int]
    """Number of faults by their codes."""
    replaced: int
    """Number of games in which a house bot played on for the bot; the points include its points."""
    online: Interval
    """Online rating, which moves with every game, in the same unit as `rating`."""
    trend: float
    """Change of the online rating over the last 20 blocks, in rating points."""


class StandingLine(Line, frozen=True, kw_only=True):
    """A line of the standings: one version of a bot."""

    rank: Annotated[int, Meta(ge=0)]
    """Rank from 1."""
    name: str


def by_seat(game: GameT) -> list[BotGame[GameT]]:
    """Return the game as the bot in each seat played it, in the order of the seats."""
    scores = judged(game.scores, game.replaced)
    best = winners(scores)
    return [
        BotGame(game, seat, rank(scores, seat), 1 / len(best) if seat in best else 0.0) for seat in range(len(scores))
    ]


def by_bot(games: Iterable[GameT], bots: int) -> list[list[BotGame[GameT]]]:
    """Return the games of a block as each of its bots played them, in the order of the bots."""
    found: list[list[BotGame[GameT]]] = [[] for _ in range(bots)]
    for game in games:
        for bot, one in zip(game.seating, by_seat(game), strict=True):
            found[bot].append(one)
    return found


def bot_results(blocks: Sequence[Sequence[BotGame[GameT]]]) -> BotResults:
    """Return the results of a bot from its games, block by block; there must be at least one block."""
    games = [one for block in blocks for one in block]
    return BotResults(
        games=len(games),
        blocks=len(blocks),
        place=interval([fmean(one.place for one in block) for block in blocks]),
        points=interval([fmean(one.points for one in block) for block in blocks]),
        wins=share([[one.wins for one in block] for block in blocks]),
        faults=dict(Counter(code for one in games for code in one.faults)),
        replaced=sum(one.replaced for one in games),
    )


def lines_of(table: Sequence[Line], names: Mapping[VersionId, str]) -> list[StandingLine]:
    """Return the numbered lines of the standings, with the names of the bots by their versions."""
    return [
        StandingLine(**msgspec.structs.asdict(line), rank=place, name=names.get(line.bot, line.bot))
        for place, line in enumerate(table, 1)
    ]
