"""A tournament or experiment as it is stored."""

import re
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from splito_arena.formats import Format
from splito_arena.match.seat import Clock
from splito_service.ids import ID_PATTERN, Milliseconds

Kind: TypeAlias = Literal["tournament", "experiment"]
Over: TypeAlias = Literal["finished", "cancelled"]
State: TypeAlias = Literal["running", "paused", "finished", "cancelled"]
Logged: TypeAlias = Literal["faults", "all"]
OVER: tuple[Over, ...] = get_args(Over)
ID = re.compile(ID_PATTERN)
MOST_HELD = 20
"""Tournaments and experiments of one owner that are not over. The house has as many as it likes."""


class StoredEntrant(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in a tournament."""

    bot: str
    """The id of a registered bot, or the name of one of the house."""
    name: str
    version: str
    owner: str = ""
    """Nobody's is the house's."""
    gone: str | None = None
    """Why it has dropped out."""
    rating: float | None = None
    """With which it entered: seeds must not change on the way."""
    by_owner: bool = False
    """True if the owner of the bot entered it, which is consent to this tournament whatever its `open_to`."""


class StoredTournament(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed on, and how far it is. What it counts for, its game, players, format and secret never change."""

    id: str
    owner: str
    kind: Kind = "tournament"
    name: str
    game: str
    players: int
    """At a table."""
    options: dict[str, Any] = {}
    """Of the game."""
    rules: str = ""
    """Version of the game's rules by which all of it is played; "" in a tournament of before this was kept."""
    format: Format
    entrants: tuple[StoredEntrant, ...]
    clock: Clock = Clock()
    strikes: int = 3
    stand_in: str = ""
    """Version id of the house bot that plays on after too many faults; "" if any version may."""
    secret: str
    """All deals come from it."""
    ranked: bool = True
    """Whether it counts for the leaderboards of the service."""
    state: State = "running"
    round: int = 0
    """How many have been planned: the number of the next one."""
    extra: int = 0
    """Blocks per table that the organiser added."""
    log: Logged = "faults"
    """Which asks its bots' owners find in their logs."""
    reason: str | None = None
    """Why it is not running, if there is something to tell."""
    started_ms: Milliseconds = 0
    ended_ms: Milliseconds | None = None
    by_organiser: bool = False
    """True if its holder was a named organiser when it was created."""
    private: bool = False
    """True if the service that created it allows bots at private addresses, so that its workers must too."""

    def __repr__(self) -> str:
        return f"StoredTournament({self.id!r}, {self.name!r}, {self.state})"
