"""The ratings of the versions of a bot, from the leaderboards of its games."""

from collections.abc import Sequence

import msgspec

from splito_bot.account.session import Session, path_of
from splito_bot.schemas.leaderboards import BoardLine, Leaderboard


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """The rating of a version of a bot, in a game for a number of players."""

    game: str
    players: int
    version: str
    rank: int
    rating: float
    margin: float | None
    games: int
    faults: int

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        rating = f"{self.rating:.0f}" + ("" if self.margin is None else f" ± {self.margin:.0f}")
        numbers = (str(self.players), self.version, str(self.rank), rating, str(self.games), str(self.faults))
        return self.game, *numbers


def ratings_of(session: Session, bot: str, games: Sequence[str]) -> list[Rated]:
    """Return the ratings of all versions of a bot."""
    boards = [session.get(path_of(game, "leaderboard"), Leaderboard, public=True) for game in games]
    return [
        _rated(board.game, one.players, line)
        for board in boards
        for one in board.boards
        for line in one.lines
        if line.bot.partition("@")[0] == bot
    ]


def _rated(game: str, players: int, line: BoardLine) -> Rated:
    return Rated(
        game=game,
        players=players,
        version=line.bot.partition("@")[2],
        rank=line.rank,
        rating=line.rating.mean,
        margin=line.rating.margin,
        games=line.games,
        faults=line.faults,
    )
