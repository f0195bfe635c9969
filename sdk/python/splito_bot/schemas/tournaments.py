"""Tournaments: requests, progress and standings.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from splito_bot.schemas.bots import OwnerInfo
from splito_bot.schemas.formats import Format

State: TypeAlias = Literal["cancelled", "finished", "open", "paused", "running", "scheduled"]


class BotClock(Struct, frozen=True):
    """The time limits of every bot."""

    turn_ms: int = 1000
    """Milliseconds for each turn that are not taken from the bank."""
    bank_ms: int = 5000
    """Milliseconds for the whole match, for turns that take longer."""


class NewTournament(Struct, frozen=True, kw_only=True):
    """Request to create a tournament."""

    game: str
    """Id of the game."""
    name: str
    players: int
    """Number of players at a table."""
    options: dict[str, Any] | UnsetType = UNSET
    """Options of the game. Without options the games are played by the standard rules."""
    format: Format
    """The format of a tournament; `kind` says how tables are made."""
    bots: list[str]
    """Bots of the tournament: registered bots by their ids, house bots by their names. No bot may be named twice. An
    unranked tournament may have copies of a house bot: `planner#2` to `planner#100` play like `planner`, each as an
    entrant of its own.
    """
    clock: BotClock | UnsetType = UNSET
    strikes: int = 3
    """Number of faults in a match after which a house bot replaces the bot."""
    ranked: bool = False
    """True if the tournament counts for the leaderboard. All bots must have passed the checks then."""
    log: Literal["all", "faults"] = "faults"
    """Asks that the owners of the bots find in their logs: all of them, or only those with a fault."""
    seed: str | None = None
    """Seed from which all deals, seats and dice follow, so that the tournament can be held again exactly; not for a
    ranked tournament and not for a ladder. None for a secret that the arena draws.
    """
    opens: datetime | None = None
    """Time at which sign-up begins; None for now. Needs `starts`."""
    starts: datetime | None = None
    """Time at which play begins and sign-up ends, at most 366 days ahead; None to start at once, without sign-up."""
    late: bool = False
    """True if bots may enter after the start: in a Swiss tournament until its last round is planned, in a round robin
    during its first round. A ladder always takes bots.
    """


class EntrantInfo(Struct, frozen=True, kw_only=True):
    """A bot in a tournament."""

    bot: str
    """Id of a registered bot, or name of a house bot or of its copy."""
    name: str
    version: str
    owner: OwnerInfo | None
    """Owner of the bot; None for a house bot."""
    gone: str | None
    """Reason why the bot plays no more; None while it plays."""


class Progress(Struct, frozen=True, kw_only=True):
    """The progress of a tournament. A block is shown only when all its games are played."""

    state: State
    reason: str | None
    """Reason why the tournament was cancelled, or for what it waits; None without one."""
    round: int
    """Number of the current round, from 1; 0 before the first."""
    rounds: int | None
    """Number of all rounds; None if it is not known."""
    done: int
    """Number of finished blocks, with skipped blocks."""
    skipped: int
    """Number of blocks that were skipped because a bot was gone."""
    open: int
    """Number of unfinished blocks of the rounds so far. Blocks of later rounds are not counted."""
    playing: int
    """Number of open blocks that are being played now."""
    games: int
    """Number of games in the finished blocks."""
    games_per_second: float | None
    """Recent speed; None while it is not known."""
    seconds_left: float | None
    """Estimated seconds to the end at the recent speed; None if they are not known."""
    waiting: str | None = None
    """Reason why open blocks are not played: no worker is running, or none has the versions of house bots and rules
    that they need. None if a worker can play them.
    """
    opens: datetime | None = None
    """Time at which sign-up began or begins; None for a tournament without sign-up."""
    starts: datetime | None = None
    """Time at which play is to begin; None for a tournament without sign-up."""
    bots: int = 0
    """Number of entrants, without those that have dropped out."""


class Tournament(Struct, frozen=True, kw_only=True):
    """A tournament."""

    id: str
    name: str
    players: int
    """Number of players at a table."""
    format: Format
    """The format of a tournament; `kind` says how tables are made."""
    owner: OwnerInfo | None
    """Owner of the tournament; None for the house."""
    ranked: bool
    """True if the tournament counts for the leaderboard."""
    entrants: list[EntrantInfo]
    clock: BotClock
    strikes: int
    log: Literal["all", "faults"]
    added_blocks: int
    """Number of blocks per table that the owner added to those of the format."""
    commitment: str
    """SHA-256 over the id and the secret from which all deals follow. It was fixed before the first deal."""
    secret: str | None
    """The secret, with which any client can check the deals; None until the tournament is over and no game is played.
    """
    seeded: bool = False
    """True if the holder chose the seed, and so knows all deals beforehand."""
    seed: str | None = None
    """The seed that the holder gave: shown in answers to requests that only the holder may send, and to everybody
    together with the secret; else None.
    """
    late: bool = False
    """True if bots may enter after the start."""
    series: str | None = None
    """Id of the series to which the tournament belongs; None for a single one."""
    progress: Progress
    started: datetime | None
    """Time of the start; None before it."""
    ended: datetime | None
    game: str
    """Id of the game."""
    options: dict[str, Any]
    """All options of the game."""


class Interval(Struct, frozen=True):
    """An interval of `mean` plus or minus `margin`; None after too few blocks."""

    mean: float
    margin: float | None


class RatingInterval(Struct, frozen=True):
    """A rating with its 95 % interval. `high` is None for a bot that was never beaten: its rating is at least `low`.
    `low` is None for a bot that never beat another: its rating is at most `high`. Both are None if there are too few
    blocks for an interval.
    """

    mean: float | None
    """Rating; the known end of the interval if the other end is None. None if the games do not limit it at all."""
    low: float | None
    high: float | None


class Share(Struct, frozen=True):
    """A share of games, with a 95 % interval that lies within 0 and 1; its ends are None after too few blocks."""

    mean: float
    low: float | None
    high: float | None


class StandingLine(Struct, frozen=True, kw_only=True):
    """A line of the standings: one version of a bot."""

    bot: str
    rating: RatingInterval
    """Rating by the fit to all games at once. 100 points more mean a chance of 64 % to finish ahead in one game. The
    mean of the group is 1500.
    """
    group: int
    """Number of the group, from 1, the largest first. Bots of two groups never met, not even through other bots, so
    that they cannot be compared.
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
    rank: int
    """Rank from 1."""
    name: str


class PlacingLine(Struct, frozen=True, kw_only=True):
    """A line of the placing: a bot, its place, and the reason. Fields of other formats are left out."""

    place: int
    """Place from 1, the same for bots that share it."""
    bot: str
    """Id of a registered bot, or name of a house bot."""
    name: str
    """Name of the bot."""
    reason: str
    """Reason for the place in words, as in "out in round 2, place 3 at its table"."""
    points: float | None = None
    """Swiss: points of all rounds."""
    opponents: float | None = None
    """Swiss, first tie-break: points of the bots met."""
    tables_won: float | None = None
    """Swiss, second tie-break: number of tables won."""
    out: bool | None = None
    """Elimination: true if the bot plays no more."""
    round: int | None = None
    """Elimination: last round of the bot, from 1; 0 for none."""
    table_place: float | None = None
    """Elimination: mean place at its table of that round."""
    losses: int | None = None
    """Elimination: number of tables lost."""
    mean_place: float | None = None
    """Round robin, gauntlet: mean place over blocks."""
    blocks: int | None = None
    """Round robin, gauntlet: number of blocks."""
    rating: float | None = None
    """Ladder: rating of the bot, or the known end of its interval; None if it has none yet."""


class Placing(Struct, frozen=True, kw_only=True):
    """The official placing of a tournament."""

    rule: Literal["bracket", "mean-place", "points", "rating"]
    """Rule that decides: final and bracket, Swiss points, mean place over blocks, or the ratings of a ladder."""
    final: bool
    """True if the tournament has finished. Otherwise the placing is provisional."""
    rounds: int
    """Number of finished rounds that count."""
    winners: list[str]
    """Winner; several if the format lets bots share the first place. Empty before the end, if nothing was played, and
    for ladders.
    """
    note: str | None
    """Remark, as that nothing was played; None if there is none."""
    lines: list[PlacingLine]
    """Lines, the best bot first; empty if no results count yet."""


class Standings(Struct, frozen=True, kw_only=True):
    """The standings of a tournament: its official placing, and ratings by a fit to all its games at once."""

    tournament: str
    blocks: int
    """Number of finished blocks that the standings are made from."""
    lines: list[StandingLine]
    """Lines of the standings by rating, best first. The ratings do not decide who has won; see `official`."""
    placing: list[list[str]] | None = None
    """Final placing as groups of bots that share a place, the winner first. None before the end, and if nothing was
    played. `official` has the reasons.
    """
    official: Placing | None = None
    """Official placing by the rules of the format, provisional before the end. Older services leave it out."""


class TournamentProgress(Struct, frozen=True):
    """Event: the progress and the leaders of a tournament."""

    progress: Progress
    leaders: list[StandingLine]
    """First lines of the standings by rating."""
    official: Placing | None = None
    """Official placing with its first lines, provisional before the end. Older services leave it out."""
