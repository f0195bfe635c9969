"""Owners, registered bots and their checks.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from splito_bot.schemas.asks import BotInfo

OpenTo: TypeAlias = Literal["everybody", "organisers", "owner"]


class NewOwner(Struct, frozen=True):
    """Request to become an owner of bots."""

    name: str
    """Name that is shown with your bots. It need not be unique."""


class OwnerCreated(Struct, frozen=True):
    """The new owner and the first key of the owner."""

    id: str
    name: str
    key: str
    """Key with all scopes. It is shown only here."""


class OwnerInfo(Struct, frozen=True):
    """The owner of a bot."""

    id: str
    name: str


class OwnAccount(Struct, frozen=True, kw_only=True):
    """You, and the key of this request."""

    id: str
    name: str
    key: str
    """Id of the key, which is no secret."""
    scopes: list[Literal["bots", "keys", "logs", "play"]]
    """Scopes of the key."""
    banned: str | None
    """Reason for which the organisers have banned you; None without a ban."""


class BotRegistration(Struct, frozen=True):
    """Request to register a bot."""

    name: str
    kind: Literal["pull", "push"]
    """`push` if the arena calls the bot, `pull` if the bot polls the arena for asks."""
    url: str | None = None
    """Base address of a push bot, to which the arena adds `/info`, `/ask` and so on. A pull bot has none."""
    open_to: OpenTo = "organisers"
    """The clients that may enter the bot in tournaments and experiments and seat it in matches: `owner` for its owner
    alone; `organisers` also for the organisers that this arena names and for the ladders of the house; `everybody` for
    all clients.
    """


class BotChange(Struct, frozen=True):
    """Request to change a bot. It contains the new values of all fields that can change."""

    name: str
    url: str | None = None
    """Base address of a push bot. A bot with a new address has to prove itself again."""
    open_to: OpenTo | UnsetType = UNSET
    """The clients that may enter and seat the bot; without this field the value stays as it is. Tournaments that the
    bot was entered in keep it until its owner withdraws it; a ladder leaves out a bot that is no longer open to its
    holder.
    """


class OwnBot(Struct, frozen=True, kw_only=True):
    """The fields of a bot that only its owner can read."""

    url: str | None
    """Base address of a push bot; None for a pull bot."""
    reason: str | None
    """Why the bot fails: at its last health check, at its tables, or at its last whole check; None if it does not."""
    failures: int
    """Number of failed health checks in a row. After 3 the bot is disabled; 2 passed checks in a row enable it again.
    """
    passed: str | None
    """The version that passed the checks; None if none did."""
    two_secrets: bool
    """True while requests are also signed with the previous secret."""
    banned: str | None = None
    """Reason for which the organisers have banned the bot or you; None without a ban."""


class BotSummary(Struct, frozen=True, kw_only=True):
    """A registered bot."""

    id: str
    name: str
    kind: Literal["pull", "push"]
    owner: OwnerInfo
    created: datetime
    state: Literal["disabled", "new", "ready"]
    """`new` until the bot is proved or described; `disabled` while it does not answer."""
    version: str | None
    """Version of the bot; None while it is new."""
    games: list[str]
    """Ids of the games that the bot plays; empty while it is new."""
    checked: bool
    """True if this version has passed the checks. Ranked play needs a pass."""
    open_to: OpenTo
    """The clients beside its owner that may enter the bot in tournaments and experiments and seat it in matches."""


class BotPage(Struct, frozen=True):
    """A page of registered bots, newest first."""

    bots: list[BotSummary]
    next: str | None
    """The `cursor` of the next page; None on the last page."""


class Bot(Struct, frozen=True, kw_only=True):
    """A registered bot; with the key of its owner, also the fields that only the owner can read."""

    id: str
    name: str
    kind: Literal["pull", "push"]
    owner: OwnerInfo
    created: datetime
    state: Literal["disabled", "new", "ready"]
    """`new` until the bot is proved or described; `disabled` while it does not answer."""
    version: str | None
    """Version of the bot; None while it is new."""
    games: list[str]
    """Ids of the games that the bot plays; empty while it is new."""
    checked: bool
    """True if this version has passed the checks. Ranked play needs a pass."""
    open_to: OpenTo
    """The clients beside its owner that may enter the bot in tournaments and experiments and seat it in matches."""
    info: BotInfo | None
    """The description that the bot gave of itself, or its owner gave of it; None while it is new."""
    own: OwnBot | None
    """Fields for the owner; None for every other client."""


class BotRegistered(Struct, frozen=True):
    """A new bot, and the secret that it shares with the arena."""

    bot: Bot
    secret: str | None
    """Secret of a push bot. It signs the requests of the arena, and the bot proves with it that it is yours. It is
    shown only here.
    """


class NewCheck(Struct, frozen=True):
    """Request to start a check."""

    quick: bool = False
    """True to play only tables with the fewest and the most players of a game. A quick check is not enough for ranked
    play.
    """


class CheckClock(Struct, frozen=True):
    """The clock that every seat of a match gets."""

    turn_ms: int = 1000
    """Milliseconds for each turn, free of charge."""
    bank_ms: int = 5000
    """Milliseconds for the whole match, which pay for longer turns."""


class CheckLatency(Struct, frozen=True, kw_only=True):
    """The answer times of the bot in milliseconds, and the clock of the checks."""

    asks: int
    """Number of asks."""
    time_outs: int
    """Number of asks that were not answered in time."""
    p50_ms: float
    p90_ms: float
    p99_ms: float
    slowest_ms: float
    clock: CheckClock


class CheckFinding(Struct, frozen=True, kw_only=True):
    """A problem that a check has found, or a warning."""

    code: str
    """Stable code: the kind of a fault as in `splito_arena.faults`, or another finding of a check."""
    what: str
    """Description of the problem."""
    advice: str
    """Advice on how to repair it."""
    where: str = ""
    """Game, players and turn of its first occurrence."""
    count: int = 1
    """Number of occurrences."""
    request: str | None = None
    """The request of the first occurrence."""
    response: str | None = None
    """The response of the first occurrence; None if the connection failed."""


class CheckRow(Struct, frozen=True, kw_only=True):
    """One check of the report."""

    check: str
    """Stable code of the check."""
    title: str
    """Title: the behaviour of a bot that passes the check."""
    outcome: Literal["failed", "not-checked", "passed", "warned"]
    found: str
    """Summary in one line; the reason if the check was not made."""
    findings: list[CheckFinding]


class CheckReport(Struct, frozen=True, kw_only=True):
    """The report of all checks of a bot."""

    bot: str
    """Name of the bot."""
    version: str
    """Version from the bot's info; empty if the info could not be read. The report is about this version only."""
    passed: bool
    """True if no check failed. Skipped checks and warnings do not count."""
    quick: bool
    """True if matches were played only with the least and the greatest number of players of each game."""
    started: str
    elapsed_ms: int
    matches: int
    """Number of matches played to their end."""
    latency: CheckLatency | None
    """Answer times; None if no ask was answered."""
    rows: list[CheckRow]
    """Checks in the order in which they were made."""


class Check(Struct, frozen=True, kw_only=True):
    """A check of a bot, with its report."""

    id: str
    bot: str
    version: str
    """Version of the bot that was checked."""
    quick: bool
    state: Literal["done", "lost", "running"]
    """`lost` if the check was stopped by trouble of the arena or by a change of the bot. You can start another check
    then.
    """
    reason: str | None
    """Reason for which the check was lost; None in any other state."""
    started: datetime
    done: int
    """Number of finished steps."""
    total: int
    """Number of steps; 0 while the check waits for its turn."""
    passed: bool | None
    """Result of the check; None while it is not known."""
    report: CheckReport | None
    """Report of the check; None until it is done."""
