"""Ratings of all bots that have played ranked blocks.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from msgspec import Struct

from splito_bot.schemas.tournaments import Interval


class BoardLine(Struct, frozen=True, kw_only=True):
    """A version of a bot on a leaderboard."""

    rank: int
    """Rank from 1."""
    bot: str
    name: str | None
    """Name of the bot; None if the bot has been deleted."""
    rating: Interval
    """Interval of the online rating, which moves with every game; a new bot has 1500."""
    games: int
    blocks: int
    faults: int
    trend: float
    """Change of the rating over its last 20 blocks, in rating points."""


class Board(Struct, frozen=True):
    """The leaderboard for one number of players: all versions with ranked blocks, best first."""

    players: int
    lines: list[BoardLine]


class Leaderboard(Struct, frozen=True):
    """The ratings of a game: a board for each number of players."""

    game: str
    boards: list[Board]
