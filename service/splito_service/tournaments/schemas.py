"""What travels about tournaments: one that is wanted, how far it is, and what came of it.

What a tournament is held with and shown as differs from game to game by the options alone, so there is a type of each
for every game, told apart by `game`.
"""

from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeAlias, Union

import msgspec
from msgspec import Meta

from splito_arena.formats import Elimination, Gauntlet, Ladder, RoundRobin, Swiss
from splito_arena.formats.types import MOST_BLOCKS
from splito_arena.match.messages import Moment, OptionsT, named
from splito_arena.match.referee import STRIKES
from splito_arena.match.seat import Clock
from splito_engine.game import AnyGame
from splito_engine.registry import find_game
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import BotWord, Count, Hex, Id, Name
from splito_service.tournaments.model import Logged, State

Held: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Ladder
"""The formats of tournaments. (An experiment is none of them.)"""

MOST_BOTS = 1000
LARGE_BODY = 131_072
"""Bytes of a request for a tournament: a thousand bots by their ids need a quarter of it."""


class BotClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time that every bot has."""

    turn_ms: Annotated[int, Meta(ge=1, le=60_000)] = Clock().turn_ms
    """For each turn, free of charge."""
    bank_ms: Annotated[int, Meta(ge=0, le=600_000)] = Clock().bank_ms
    """For the whole match, for turns that take longer."""


class NewTournamentOf(msgspec.Struct, Generic[OptionsT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tournament to be held."""

    name: Name
    players: int
    """How many sit at a table."""
    options: OptionsT
    """Those of the game. Without any, it is played as its rules have it."""
    format: Held
    bots: Annotated[list[BotWord], Meta(max_length=MOST_BOTS)]
    """Who takes part: registered bots by their ids, bots of the house by their names. None twice."""
    clock: BotClock = BotClock()
    strikes: Annotated[int, Meta(ge=1, le=100)] = STRIKES
    """Faults in a match after which a bot of the house plays on."""
    ranked: bool = False
    """Whether it counts for the leaderboard. All bots must have passed the checks then."""
    log: Logged = "faults"
    """What the owners of bots find in their logs: every ask, or only those that went wrong."""


class EntrantInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in a tournament."""

    bot: BotWord
    """The id of a registered one, or the name of one of the house."""
    name: str
    version: str
    owner: OwnerInfo | None
    """Nobody's, if it is of the house."""
    gone: str | None
    """Why it plays no more; nothing as long as it does."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a tournament is. Nothing of a block is known before all its games are played."""

    state: State
    reason: str | None
    """Why it was cancelled, or what it waits for."""
    round: Count
    """The one that is played, from 1; 0 before the first."""
    rounds: Count | None
    """How many there will be, if that is known."""
    done: Count
    """Blocks that are over, those that were skipped included."""
    skipped: Count
    """Blocks that were not played, since a bot was gone."""
    open: Count
    """Blocks of the rounds so far that are not over; all blocks of later rounds come on top."""
    playing: Count
    """Open blocks that are being played now."""
    games: Count
    """Games in the blocks that are over."""
    games_per_second: float | None
    """Of late; nothing as long as that is not known."""
    seconds_left: float | None
    """If it goes on like this; nothing if that cannot be known."""
    waiting: str | None = None
    """Why open blocks are not played: no worker is running, or none has the versions of house bots and rules that they
    need. Null if a worker can play them."""


class TournamentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list shows of a tournament."""

    id: Id
    name: str
    game: str
    players: int
    """How many sit at a table."""
    format: Held
    owner: OwnerInfo | None
    """Who organises it; nobody, if it is the house."""
    ranked: bool
    """Whether it counts for the leaderboard."""
    bots: Count
    """How many take part, or did."""
    state: State
    started: Moment
    ended: Moment | None


class TournamentOf(msgspec.Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """A tournament."""

    id: Id
    name: str
    players: int
    """How many sit at a table."""
    options: OptionsT
    """Those of the game, all of them."""
    format: Held
    owner: OwnerInfo | None
    """Who organises it; nobody, if it is the house."""
    ranked: bool
    """Whether it counts for the leaderboard."""
    entrants: list[EntrantInfo]
    clock: BotClock
    strikes: int
    log: Logged
    added_blocks: Count
    """By the organiser, to those that the format has for each table."""
    commitment: Hex
    """SHA-256 over the id and the secret from which all deals follow: it was fixed before the first one."""
    secret: str | None
    """When it is over and nothing is played any more, so that everybody can check the deals."""
    progress: Progress
    started: Moment
    ended: Moment | None


class NewTournament:
    """A tournament of any game that is played here."""


class Tournament:
    """A tournament."""


class TournamentPage(msgspec.Struct, frozen=True):
    """Tournaments, the newest first."""

    tournaments: list[TournamentSummary]
    next: Id | None
    """The `cursor` of the next page; nothing on the last one."""


class StateChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What shall become of it."""

    state: Literal["running", "paused", "cancelled"]
    """`paused` plays what has begun to its end and nothing more, until it is `running` again; `cancelled` is for good.
    What was played counts in any case."""


class BlocksChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much shall be played."""

    blocks: Annotated[int, Meta(ge=1, le=MOST_BLOCKS)]
    """By each table of a round, in all. There can be more of them than before, never fewer."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament would come to; of a ladder, each of its rounds."""

    rounds: Count
    tables: Count
    blocks: Count
    games: Count
    seconds: float | None
    """How long that would take, by how fast these bots have answered of late; nothing if that is not known."""


@cache
def new_tournament(games: tuple[str, ...]) -> Any:
    """One of any of these games."""
    return Union[tuple(wanted_type(find_game(game)) for game in games)]  # noqa: UP007 (made at run time)


@cache
def tournament(games: tuple[str, ...]) -> Any:
    return Union[tuple(shown_type(find_game(game)) for game in games)]  # noqa: UP007


@cache
def wanted_type(game: AnyGame) -> Any:
    types = {"players": seats_of(game), "options": game.OpenOptions}
    return named(
        game,
        "NewTournament",
        NewTournamentOf[game.OpenOptions],
        types,
        fields={"options": game.OpenOptions()},
        options=tagged(game),
    )


@cache
def shown_type(game: AnyGame) -> Any:
    return named(game, "Tournament", TournamentOf[game.Options], {"options": game.Options}, options=tagged(game))


def seats_of(game: AnyGame) -> Any:
    return Annotated[int, Meta(ge=max(2, game.INFO.min_players), le=game.INFO.max_players)]


def tagged(game: AnyGame) -> dict[str, str]:
    return {"tag_field": "game", "tag": game.INFO.id}
