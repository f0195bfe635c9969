"""A tournament or experiment as it is stored."""

import re
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from splito_arena.formats import Format
from splito_arena.match.seat import Clock
from splito_service.ids import ID_PATTERN, Milliseconds

Kind: TypeAlias = Literal["tournament", "experiment"]
Over: TypeAlias = Literal["finished", "cancelled"]
Begin: TypeAlias = Literal["scheduled", "open"]
State: TypeAlias = Literal["scheduled", "open", "running", "paused", "finished", "cancelled"]
Logged: TypeAlias = Literal["faults", "all"]
OVER: tuple[Over, ...] = get_args(Over)
BEFORE: tuple[Begin, ...] = get_args(Begin)
"""States before the start: sign-up has not begun (`scheduled`), or bots can be entered (`open`)."""
TOLD: tuple[State, ...] = ("open", "running", "cancelled")
"""States of which webhooks are told, for a tournament with sign-up."""
ID = re.compile(ID_PATTERN)
MOST_HELD = 20
"""Number of unfinished tournaments and experiments that one owner may have. The house has no limit."""


class StoredEntrant(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in a tournament."""

    bot: str
    """Id of a registered bot, or name of a house bot."""
    name: str
    version: str
    owner: str = ""
    """Owner id of the bot; empty for a house bot."""
    gone: str | None = None
    """Reason why the bot has dropped out; None if it plays."""
    rating: float | None = None
    """Rating with which the bot entered, because seeds must not change during a tournament."""
    since: int = 0
    """Number of rounds that had been planned when the bot entered; 0 if it was there at the start."""
    by_owner: bool = False
    """True if the owner of the bot entered it, which is consent to this tournament whatever its `open_to`."""


class StoredTournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament: its settings and its progress. Its game, players, format, ranking and secret never change."""

    id: str
    owner: str
    kind: Kind = "tournament"
    name: str
    game: str
    players: int
    """Number of players at a table."""
    options: dict[str, Any] = {}
    """Options of the game."""
    rules: str = ""
    """Version of the rules for all games; "" in a tournament stored before this field existed."""
    format: Format
    entrants: tuple[StoredEntrant, ...]
    clock: Clock = Clock()
    strikes: int = 3
    stand_in: str = ""
    """Version id of the house bot that plays on after too many faults; "" if any version may."""
    secret: str
    """Secret from which all deals follow."""
    seed: str | None = None
    """Seed that the holder gave, from which the secret follows; None if the arena drew the secret."""
    ranked: bool = True
    """True if the tournament counts for the leaderboards of the service."""
    state: State = "running"
    round: int = 0
    """Number of planned rounds, which is the number of the next round."""
    extra: int = 0
    """Blocks per table that the owner of the tournament added."""
    log: Logged = "faults"
    """Asks that the owners of the bots find in their logs."""
    reason: str | None = None
    """Reason why the tournament does not run; None if there is none to give."""
    opens_ms: Milliseconds | None = None
    """Time at which sign-up begins; None for a tournament without sign-up."""
    starts_ms: Milliseconds | None = None
    """Time at which play begins and sign-up ends; None for a tournament without sign-up."""
    late: bool = False
    """True if bots may enter after the start, as far as the format allows."""
    told: str = ""
    """State of which webhooks have been told, of a tournament with sign-up: `open`, `running` or `cancelled`."""
    series: str | None = None
    """Id of the series to which it belongs; None for a single tournament."""
    started_ms: Milliseconds = 0
    ended_ms: Milliseconds | None = None
    by_organiser: bool = False
    """True if its holder was a named organiser when it was created."""
    private: bool = False
    """True if the service that created it allows bots at private addresses, so that its workers must too."""

    def __repr__(self) -> str:
        return f"StoredTournament({self.id!r}, {self.name!r}, {self.state})"


def due_of(kept: StoredTournament) -> Milliseconds | None:
    """Return when something is due for a tournament with sign-up; None if nothing is.

    0 is now: its state has changed, and the event is not sent yet.
    """
    if kept.starts_ms is None:
        return None
    if kept.state in TOLD and kept.state != kept.told:
        return 0
    match kept.state:
        case "scheduled":
            return kept.opens_ms
        case "open":
            return kept.starts_ms
        case _:
            return None
