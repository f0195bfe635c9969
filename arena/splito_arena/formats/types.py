"""What a format is told, what it says, and all formats with their settings, as they also travel in requests.

A tournament is rounds of tables. A table is a number of bots that play blocks together; as many of them as the game has
players. All tables of a round may be played at once, and a round is planned when the one before it has been played.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

BotName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]

MOST_ROUNDS = 200
MOST_TABLES = 10_000
"""Of one round."""
MOST_BLOCKS = 10_000
"""Of one table."""

Blocks: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_BLOCKS)]
Tables: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_TABLES)]


class Entrant(Struct, frozen=True):
    """A bot in a tournament, as it is now."""

    bot: str
    owner: str = ""
    """Nothing for bots of the house, which nobody owns."""
    rating: float | None = None
    """In all formats but the ladder the one it entered with: seeds must not change on the way."""
    active: bool = True
    """Whether it can be seated. Who is not keeps what it has reached, and gets no new table."""
    games: int = 0
    waited: int = 0
    """How many rounds have been planned without it since it last sat at a table, or since it came. For the ladder."""


class TableResult(Struct, frozen=True):
    bots: tuple[str, ...]
    places: tuple[float, ...] | None
    """The mean places over its blocks, from 1; who dropped out is last. Nothing if no block was played."""


class Past(Struct, frozen=True):
    """The rounds that have been played, each with its tables in the order of their planning."""

    rounds: tuple[tuple[TableResult, ...], ...] = ()
    before: int = 0
    """How many older rounds are left out. A ladder needs no more than its `window`, all others need everything."""


class Round(Struct, frozen=True):
    tables: tuple[tuple[str, ...], ...]
    blocks: int
    """Per table."""


class Expected(Struct, frozen=True):
    """What a tournament comes to if nobody drops out; of a ladder it is one round, of an experiment the most."""

    rounds: int
    tables: int
    """Over all rounds."""
    blocks: int
    """Over all tables."""
    games: int
    """Over all blocks."""


class RoundRobin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="round-robin"):
    """Everybody meets everybody, as equally as the number of tables allows."""

    tables: Tables = 1000
    """At most so many. If there are no more different tables than that, all are played."""
    blocks: Blocks = 1
    """Per table."""


class Swiss(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="swiss"):
    """Who has done equally well so far meets next, and nobody twice if it can be helped."""

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] | None = None
    """As many as it takes until at most one bot can have won all its tables, unless told otherwise."""
    blocks: Blocks = 1
    """Per table."""


class Elimination(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="elimination"):
    """The better ones of each table go on, the others are out, until there is a final."""

    double: bool = False
    """Whether only a second loss puts a bot out."""
    advance: Annotated[int, Meta(ge=1, le=63)] | None = None
    """How many of a table go on: the better half, unless told otherwise."""
    blocks: Blocks = 1
    """Per table."""


class Gauntlet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="gauntlet"):
    """One bot sits at every table, and meets the others as equally as the number of tables allows."""

    bot: BotName
    tables: Tables = 1000
    """At most so many. If there are no more different tables than that, all are played."""
    blocks: Blocks = 1
    """Per table."""


class Ladder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="ladder"):
    """It goes on for as long as it is open, and bots come and go."""

    everybody: bool = False
    """Whether all bots that may play ranked games of this kind take part without being entered."""
    same_owner: bool = False
    """Whether two bots of one owner may sit at one table."""
    age: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 10
    """The most rounds that a bot waits for its next table; no more than `window`, beyond which nothing is known."""
    wide: Annotated[float, Meta(ge=0, le=1)] = 0.25
    """The share of tables that are drawn from everybody; at the others sit bots of about the same rating."""
    quota: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 3
    """At so many tables of the last `window` rounds two bots may meet."""
    window: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 20
    pause_seconds: Annotated[int, Meta(ge=1, le=86_400)] = 1
    """From the end of one round to the next."""
    tables: Tables = 4
    """Per round; more if bots would wait for too long, fewer if there are not enough bots."""
    blocks: Blocks = 1
    """Per table."""
    keep: Annotated[int, Meta(ge=1, le=1_000_000)] = 10_000
    """How many of the newest blocks are kept."""


class Experiment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="experiment"):
    """NEW and OLD play pairs of games on the same deals and seats; docs/experiments.md says what the bounds mean."""

    new: BotName
    old: BotName
    field: Annotated[tuple[BotName, ...], Meta(max_length=63)] = ()
    """Who sits around them; a table of two needs nobody."""
    low: Annotated[float, Meta(ge=-1, le=1)] = 0.0
    high: Annotated[float, Meta(ge=-1, le=1)] = 0.2
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    beta: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    least: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = 30
    cap: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = 1000
    measure: Literal["places", "points", "wins"] = "places"
    batch: Annotated[int, Meta(ge=1, le=MOST_BLOCKS)] = 16
    """How many blocks are played between two looks, once the first `least` have been."""


Format: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Ladder | Experiment
