"""The figures of one bot on the dashboard, as the service returns them, and what follows from them."""

from collections.abc import Sequence
from statistics import quantiles

import msgspec

BARS = "▁▂▃▄▅▆▇█"
LONGEST_HISTORY = 60
"""Ratings of a bot that are kept to draw their course."""


class Own(msgspec.Struct, frozen=True):
    reason: str | None = None
    failures: int = 0


class Bot(msgspec.Struct, frozen=True):
    """A bot: the fields that the dashboard uses."""

    id: str
    name: str
    state: str
    version: str | None
    games: list[str]
    checked: bool
    own: Own | None = None


class Fault(msgspec.Struct, frozen=True):
    code: str
    detail: str


class Ask(msgspec.Struct, frozen=True):
    """An ask of the log: the fields that the dashboard uses."""

    id: str
    match: str
    game: str
    turn: int
    elapsed_ms: float
    fault: Fault | None
    status: int | None = None


class AskPage(msgspec.Struct, frozen=True):
    asks: list[Ask]


class Rating(msgspec.Struct, frozen=True):
    mean: float
    margin: float | None = None


class BoardLine(msgspec.Struct, frozen=True):
    rank: int
    bot: str
    rating: Rating
    games: int
    trend: float


class Board(msgspec.Struct, frozen=True):
    players: int
    lines: list[BoardLine]


class Leaderboard(msgspec.Struct, frozen=True):
    game: str
    boards: list[Board]


class Rated(msgspec.Struct, frozen=True):
    """The rating of the present version of a bot in a game, for a number of players."""

    game: str
    players: int
    rank: int
    rating: float
    games: int
    trend: float


class Game(msgspec.Struct, frozen=True):
    """A match of which the log has asks."""

    match: str
    game: str
    asks: int
    faults: int


class Latency(msgspec.Struct, frozen=True):
    """Answer times of the logged asks, in milliseconds."""

    p50: float
    p95: float


class Picture(msgspec.Struct, frozen=True):
    """Everything that the dashboard shows of one bot."""

    bot: Bot
    ratings: list[Rated]
    asks: list[Ask]
    games: list[Game]
    latency: Latency | None
    faults: int
    """Number of faults among the logged asks."""


def picture(bot: Bot, asks: list[Ask], boards: Sequence[Leaderboard]) -> Picture:
    return Picture(
        bot=bot,
        ratings=ratings_of(bot, boards),
        asks=asks,
        games=games_of(asks),
        latency=latency_of(asks),
        faults=sum(ask.fault is not None for ask in asks),
    )


def ratings_of(bot: Bot, boards: Sequence[Leaderboard]) -> list[Rated]:
    version = f"{bot.id}@{bot.version}"
    return [
        Rated(board.game, one.players, line.rank, line.rating.mean, line.games, line.trend)
        for board in boards
        for one in board.boards
        for line in one.lines
        if line.bot == version
    ]


def games_of(asks: Sequence[Ask]) -> list[Game]:
    """Return the matches of these asks, in their order."""
    found: dict[str, list[Ask]] = {}
    for ask in asks:
        found.setdefault(ask.match, []).append(ask)
    return [
        Game(match, group[0].game, len(group), sum(ask.fault is not None for ask in group))
        for match, group in found.items()
    ]


def latency_of(asks: Sequence[Ask]) -> Latency | None:
    times = [ask.elapsed_ms for ask in asks]
    if len(times) < 2:
        return Latency(times[0], times[0]) if times else None
    cuts = quantiles(times, n=20, method="inclusive")
    return Latency(cuts[9], cuts[18])


def course(values: Sequence[float]) -> str:
    """Return the course of a rating as a line of bars; empty with fewer than two values."""
    shown = values[-LONGEST_HISTORY:]
    if len(shown) < 2:
        return ""
    low, span = min(shown), max(shown) - min(shown)
    return "".join(BARS[int((value - low) / span * (len(BARS) - 1))] if span else BARS[0] for value in shown)
