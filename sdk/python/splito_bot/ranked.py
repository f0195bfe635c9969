"""Requests and answers about owners, bots, tournaments and experiments, under the names of the OpenAPI document.

As in `messages`, the service checks limits, and fields that a newer service adds are ignored. The options of a game are
a dictionary.
"""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec import field as stated

from splito_bot.contract import BotInfo

OpenTo: TypeAlias = Literal["owner", "organisers", "everybody"]
State: TypeAlias = Literal["running", "paused", "finished", "cancelled"]
Verdict: TypeAlias = Literal["better", "not better", "undecided", "cap"]
Measure: TypeAlias = Literal["places", "points", "wins"]


class OwnerInfo(Struct, frozen=True):
    id: str
    name: str


class OwnerCreated(Struct, frozen=True):
    id: str
    name: str
    key: str
    """The secret key. It is shown only here."""


class OwnBot(Struct, frozen=True, kw_only=True):
    """The part of a bot that only its owner sees."""

    url: str | None
    reason: str | None
    """The reason why the last health check of the arena failed."""
    failures: int
    passed: str | None
    """The version that passed the checks."""
    two_secrets: bool


class Bot(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    kind: Literal["push", "pull"]
    owner: OwnerInfo
    created: datetime
    state: Literal["new", "ready", "disabled"]
    version: str | None
    games: list[str]
    checked: bool
    """True if this version has passed the checks, which ranked play needs."""
    open_to: OpenTo
    """The people beside its owner who may enter the bot in tournaments and experiments and seat it in matches."""
    info: BotInfo | None
    own: OwnBot | None


class BotRegistered(Struct, frozen=True):
    bot: Bot
    secret: str | None
    """The secret of a push bot. It is shown only here."""


class CheckRow(Struct, frozen=True):
    """The outcome of one check. The OpenAPI document has more fields."""

    check: str
    outcome: str


class CheckReport(Struct, frozen=True):
    passed: bool
    rows: list[CheckRow]


class Check(Struct, frozen=True, kw_only=True):
    id: str
    state: Literal["running", "done", "lost"]
    done: int
    total: int
    passed: bool | None
    reason: str | None = None
    """The reason why the check was lost."""
    report: CheckReport | None


class RoundRobin(Struct, frozen=True, kw_only=True, tag_field="kind", tag="round-robin"):
    """A format in which all bots meet each other, as equally as the number of tables allows."""

    tables: int = 1000
    blocks: int = 1


class Swiss(Struct, frozen=True, kw_only=True, tag_field="kind", tag="swiss"):
    """A format in which bots with similar results meet in the next round."""

    rounds: int | None = None
    blocks: int = 1


class Elimination(Struct, frozen=True, kw_only=True, tag_field="kind", tag="elimination"):
    """A format in which the best bots of each table advance, until the final."""

    double: bool = False
    advance: int | None = None
    blocks: int = 1


class Gauntlet(Struct, frozen=True, kw_only=True, tag_field="kind", tag="gauntlet"):
    """A format in which one bot sits at every table."""

    bot: str
    tables: int = 1000
    blocks: int = 1


class Ladder(Struct, frozen=True, kw_only=True, tag_field="kind", tag="ladder"):
    """A format without an end, which bots enter and leave."""

    everybody: bool = False
    same_owner: bool = False
    age: int = 10
    wide: float = 0.25
    quota: int = 3
    window: int = 20
    pause_seconds: int = 1
    tables: int = 4
    blocks: int = 1
    keep: int = 10_000


Format: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Ladder


class BotClock(Struct, frozen=True):
    turn_ms: int = 1000
    bank_ms: int = 5000


class NewTournament(Struct, frozen=True, kw_only=True):
    name: str
    game: str
    players: int
    format: Format
    bots: list[str]
    """Registered bots by their ids, built-in bots by their names."""
    options: dict[str, Any] = stated(default_factory=dict[str, Any])
    clock: BotClock = BotClock()
    strikes: int = 3
    ranked: bool = False
    log: Literal["faults", "all"] = "faults"


class Estimate(Struct, frozen=True, kw_only=True):
    rounds: int
    tables: int
    blocks: int
    games: int
    seconds: float | None


class EntrantInfo(Struct, frozen=True, kw_only=True):
    bot: str
    name: str
    version: str
    owner: OwnerInfo | None
    gone: str | None
    """The reason why the bot plays no more; None while it plays."""


class Progress(Struct, frozen=True, kw_only=True):
    state: State
    reason: str | None
    round: int
    rounds: int | None
    done: int
    """Finished blocks."""
    skipped: int
    open: int
    playing: int
    games: int
    games_per_second: float | None
    seconds_left: float | None
    waiting: str | None = None
    """The reason why open blocks are not played, such as a version of a built-in bot that no worker has."""


class Tournament(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    game: str
    players: int
    options: dict[str, Any]
    format: Format
    owner: OwnerInfo | None
    ranked: bool
    entrants: list[EntrantInfo]
    clock: BotClock
    strikes: int
    log: Literal["faults", "all"]
    added_blocks: int
    commitment: str
    secret: str | None
    """The secret of the deals; None before the end."""
    progress: Progress
    started: datetime
    ended: datetime | None


class Interval(Struct, frozen=True):
    """`mean` plus or minus `margin`, a 95 % interval; a single value has no margin."""

    mean: float
    margin: float | None


class StandingLine(Struct, frozen=True, kw_only=True):
    bot: str
    """The id of its version: `<bot>@<version>`."""
    rating: Interval
    group: int
    games: int
    blocks: int
    place: Interval
    points: Interval
    wins: Interval
    faults: dict[str, int]
    replaced: int
    online: Interval
    trend: float
    rank: int
    name: str


class Standings(Struct, frozen=True, kw_only=True):
    tournament: str
    blocks: int
    lines: list[StandingLine]
    placing: list[list[str]] | None = None


class TournamentProgress(Struct, frozen=True, kw_only=True):
    """An event of a tournament: its progress and the head of its table."""

    progress: Progress
    leaders: list[StandingLine]


class Question(Struct, frozen=True, kw_only=True):
    """The question of an experiment: docs/experiments.md explains its fields."""

    low: float = 0.0
    high: float = 0.2
    alpha: float = 0.05
    beta: float = 0.05
    least: int = 30
    cap: int = 1000
    measure: Measure = "places"
    batch: int = 16


class NewExperiment(Struct, frozen=True, kw_only=True):
    game: str
    players: int
    new: str
    old: str
    field: list[str]
    name: str = "Is it better?"
    options: dict[str, Any] = stated(default_factory=dict[str, Any])
    question: Question = Question()
    clock: BotClock = BotClock()
    strikes: int = 3
    log: Literal["faults", "all"] = "faults"


class Reading(Struct, frozen=True):
    verdict: Verdict
    blocks: int
    llr: float
    lower: float
    upper: float
    estimate: Interval
    effect: float | None


class Experiment(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    game: str
    players: int
    options: dict[str, Any]
    owner: OwnerInfo | None
    new: EntrantInfo
    old: EntrantInfo
    field: list[EntrantInfo]
    question: Question
    clock: BotClock
    strikes: int
    log: Literal["faults", "all"]
    commitment: str
    secret: str | None
    reading: Reading
    progress: Progress
    started: datetime
    ended: datetime | None


class ExperimentProgress(Struct, frozen=True, kw_only=True):
    """An event of an experiment: its progress and its evidence."""

    progress: Progress
    reading: Reading
