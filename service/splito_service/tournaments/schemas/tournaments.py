"""Request and response schemas of tournaments.

The types of a tournament differ between the games by the options alone, so every game has a type of its own, tagged by
`game`.
"""

from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeAlias, Union

import msgspec
from msgspec import Meta

from splito_arena.formats import Elimination, Gauntlet, Ladder, RoundRobin, Swiss
from splito_arena.formats.types import MOST_BLOCKS
from splito_arena.match.messages import Moment, OptionsT, named
from splito_arena.match.seat import Clock
from splito_arena.match.terms import STRIKES
from splito_engine.game import AnyGame
from splito_engine.registry import find_game
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import BotWord, Count, Hex, Id, Name
from splito_service.tournaments.model import Logged, State

Held: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Ladder
"""The formats of tournaments. An experiment has a format of its own."""

Seed: TypeAlias = Annotated[str, Meta(pattern="^[ -~]{1,64}$", examples=["friday-cup-7"])]
"""A seed that the holder of a tournament chooses: printable ASCII."""

MOST_BOTS = 1000
LARGE_BODY = 131_072
"""Largest body in bytes of a request for a tournament: a thousand bots by their ids need a quarter of it."""


class BotClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time limits of every bot."""

    turn_ms: Annotated[int, Meta(ge=1, le=60_000)] = Clock().turn_ms
    """Milliseconds for each turn that are not taken from the bank."""
    bank_ms: Annotated[int, Meta(ge=0, le=600_000)] = Clock().bank_ms
    """Milliseconds for the whole match, for turns that take longer."""


class NewTournamentOf(
    msgspec.Struct, Generic[OptionsT], frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """Request to create a tournament."""

    name: Name
    players: int
    """Number of players at a table."""
    options: OptionsT
    """Options of the game. Without options the games are played by the standard rules."""
    format: Held
    bots: Annotated[list[BotWord], Meta(max_length=MOST_BOTS)]
    """Bots of the tournament: registered bots by their ids, house bots by their names. No bot may be named twice.

    An unranked tournament may have copies of a house bot: `planner#2` to `planner#100` play like `planner`, each as an
    entrant of its own.
    """
    clock: BotClock = BotClock()
    strikes: Annotated[int, Meta(ge=1, le=100)] = STRIKES
    """Number of faults in a match after which a house bot replaces the bot."""
    ranked: bool = False
    """True if the tournament counts for the leaderboard. All bots must have passed the checks then."""
    log: Logged = "faults"
    """Asks that the owners of the bots find in their logs: all of them, or only those with a fault."""
    seed: Seed | None = None
    """Seed from which all deals, seats and dice follow, so that the tournament can be held again exactly; not for a
    ranked tournament and not for a ladder. Null for a secret that the arena draws.
    """
    opens: Moment | None = None
    """Time at which sign-up begins; null for now. Needs `starts`."""
    starts: Moment | None = None
    """Time at which play begins and sign-up ends, at most 366 days ahead; null to start at once, without sign-up."""
    late: bool = False
    """True if bots may enter after the start: in a Swiss tournament until its last round is planned, in a round robin
    during its first round. A ladder always takes bots.
    """


class EntrantInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in a tournament."""

    bot: BotWord
    """Id of a registered bot, or name of a house bot or of its copy."""
    name: str
    version: str
    owner: OwnerInfo | None
    """Owner of the bot; null for a house bot."""
    gone: str | None
    """Reason why the bot plays no more; null while it plays."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a tournament. A block is shown only when all its games are played."""

    state: State
    reason: str | None
    """Reason why the tournament was cancelled, or for what it waits; null without one."""
    round: Count
    """Number of the current round, from 1; 0 before the first."""
    rounds: Count | None
    """Number of all rounds; null if it is not known."""
    done: Count
    """Number of finished blocks, with skipped blocks."""
    skipped: Count
    """Number of blocks that were skipped because a bot was gone."""
    open: Count
    """Number of unfinished blocks of the rounds so far. Blocks of later rounds are not counted."""
    playing: Count
    """Number of open blocks that are being played now."""
    games: Count
    """Number of games in the finished blocks."""
    games_per_second: float | None
    """Recent speed; null while it is not known."""
    seconds_left: float | None
    """Estimated seconds to the end at the recent speed; null if they are not known."""
    waiting: str | None = None
    """Reason why open blocks are not played: no worker is running, or none has the versions of house bots and rules
    that they need. Null if a worker can play them.
    """
    opens: Moment | None = None
    """Time at which sign-up began or begins; null for a tournament without sign-up."""
    starts: Moment | None = None
    """Time at which play is to begin; null for a tournament without sign-up."""
    bots: Count = 0
    """Number of entrants, without those that have dropped out."""


class TournamentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament as the list shows it."""

    id: Id
    name: str
    game: str
    players: int
    """Number of players at a table."""
    format: Held
    owner: OwnerInfo | None
    """Owner of the tournament; null for the house."""
    ranked: bool
    """True if the tournament counts for the leaderboard."""
    bots: Count
    """Number of entrants, with those that have dropped out."""
    state: State
    starts: Moment | None = None
    """Time at which play is to begin; null for a tournament without sign-up."""
    started: Moment | None
    """Time of the start; null before it."""
    ended: Moment | None


class TournamentOf(msgspec.Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """A tournament."""

    id: Id
    name: str
    players: int
    """Number of players at a table."""
    options: OptionsT
    """All options of the game."""
    format: Held
    owner: OwnerInfo | None
    """Owner of the tournament; null for the house."""
    ranked: bool
    """True if the tournament counts for the leaderboard."""
    entrants: list[EntrantInfo]
    clock: BotClock
    strikes: int
    log: Logged
    added_blocks: Count
    """Number of blocks per table that the owner added to those of the format."""
    commitment: Hex
    """SHA-256 over the id and the secret from which all deals follow. It was fixed before the first deal."""
    secret: str | None
    """The secret, with which any client can check the deals; null until the tournament is over and no game is
    played.
    """
    seeded: bool = False
    """True if the holder chose the seed, and so knows all deals beforehand."""
    seed: str | None = None
    """The seed that the holder gave: shown in answers to requests that only the holder may send, and to everybody
    together with the secret; else null.
    """
    late: bool = False
    """True if bots may enter after the start."""
    series: Id | None = None
    """Id of the series to which the tournament belongs; null for a single one."""
    progress: Progress
    started: Moment | None
    """Time of the start; null before it."""
    ended: Moment | None


class NewTournament:
    """Request to create a tournament of any game of this service."""


class Tournament:
    """A tournament."""


class TournamentPage(msgspec.Struct, frozen=True):
    """A page of tournaments, newest first."""

    tournaments: list[TournamentSummary]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


class StateChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to change the state of a tournament or experiment."""

    state: Literal["running", "paused", "cancelled"]
    """`paused` plays the blocks that have begun to their end and no others, until it is `running` again;
    `cancelled` is final. Blocks that were played count in any case. `running` starts a tournament before its time.
    """


class TimesChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to change the times of a tournament that has not begun."""

    starts: Moment
    """Time at which play begins and sign-up ends."""
    opens: Moment | None = None
    """Time at which sign-up begins; null to leave it as it is. A later time than now closes sign-up until then."""


class BlocksChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to change the number of blocks."""

    blocks: Annotated[int, Meta(ge=1, le=MOST_BLOCKS)]
    """Number of blocks of each table of a round, in all. It can grow, but never shrink."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The estimated size of a tournament; for a ladder, of each round."""

    rounds: Count
    tables: Count
    blocks: Count
    games: Count
    seconds: float | None
    """Estimated duration in seconds, from the recent speed of these bots; null if it is not known."""
    opens: Moment | None = None
    """Time at which sign-up would begin; null if the tournament would begin at once."""
    starts: Moment | None = None
    """Time at which play would begin; null if the tournament would begin at once."""
    lacks: str | None = None
    """Reason why it would be cancelled at its start if no other bot entered; null if it would begin."""


@cache
def new_tournament(games: tuple[str, ...]) -> Any:
    """Return the type `NewTournament` for these games."""
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
