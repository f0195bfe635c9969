"""Input and output types of formats, and the settings of every format, which are also request schemas.

A tournament is rounds of tables. A table is a number of bots that play blocks together; as many of them as the game has
players. All tables of a round may be played at once, and a round is planned when the one before it has been played.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

BotName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]

MOST_ROUNDS = 200
MOST_TABLES = 10_000
"""Tables of one round at most."""
MOST_BLOCKS = 10_000
"""Blocks of one table at most."""

Blocks: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_BLOCKS)]
Tables: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_TABLES)]


class Entrant(Struct, frozen=True):
    """A bot in a tournament, in its present state."""

    bot: str
    owner: str = ""
    """Owner of the bot; empty for a house bot."""
    rating: float | None = None
    """Rating of the bot.

    In all formats but the ladder it is the one it entered with, because seeds must not change on the way.
    """
    active: bool = True
    """True if the bot can be seated. A bot that is not active keeps its results, and gets no new table."""
    games: int = 0
    waited: int = 0
    """Rounds planned without the bot since it last sat at a table, or since it entered; for the ladder."""
    since: int = 0
    """Number of rounds that had been planned when the bot entered; 0 for a bot of the start."""


class TableResult(Struct, frozen=True):
    """The result of a table."""

    bots: tuple[str, ...]
    places: tuple[float, ...] | None
    """Mean places over the blocks of the table, from 1; a bot that dropped out is last. None if no block was played."""
    deciding: tuple[tuple[float, ...], ...] = ()
    """Mean places in each deciding block of a final, in the order of play. They count only between tied bots."""


class Past(Struct, frozen=True):
    """The rounds that have been played, each with its tables in the order of their planning."""

    rounds: tuple[tuple[TableResult, ...], ...] = ()
    before: int = 0
    """Number of older rounds left out. A ladder needs only its `window`, all other formats need every round."""


class Round(Struct, frozen=True):
    tables: tuple[tuple[str, ...], ...]
    blocks: int
    """Number of blocks per table."""


class Expected(Struct, frozen=True):
    """The size of a tournament if no bot drops out; of one round for a ladder, the most for an experiment."""

    rounds: int
    tables: int
    """Number of tables over all rounds."""
    blocks: int
    """Number of blocks over all tables."""
    games: int
    """Number of games over all blocks."""


class RoundRobin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="round-robin"):
    """A round robin: all bots meet each other, as equally as the number of tables allows."""

    tables: Tables = 1000
    """Greatest number of tables. If there are no more different tables than that, all are played."""
    blocks: Blocks = 1
    """Number of blocks per table."""


class Swiss(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="swiss"):
    """A Swiss tournament: bots that have done equally well meet next, and no two bots meet twice if that can be
    avoided.
    """

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] | None = None
    """Number of rounds; null for as many as it takes until at most one bot can have won all its tables."""
    blocks: Blocks = 1
    """Number of blocks per table."""


class Elimination(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="elimination"):
    """An elimination: the best bots of each table go on, the others are out, until there is a final."""

    double: bool = False
    """True if a bot is out only after its second loss."""
    advance: Annotated[int, Meta(ge=1, le=63)] | None = None
    """Number of bots of a table that go on; null for the better half."""
    shared: bool = False
    """True if bots that are tied for the first place of the final share it. Otherwise they play deciding blocks, and
    if these leave a tie, tie-breaks decide.
    """
    blocks: Blocks = 1
    """Number of blocks per table."""


class Gauntlet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="gauntlet"):
    """A gauntlet: one bot sits at every table, and meets the others as equally as the number of tables allows."""

    bot: BotName
    tables: Tables = 1000
    """Greatest number of tables. If there are no more different tables than that, all are played."""
    blocks: Blocks = 1
    """Number of blocks per table."""


class Ladder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="ladder"):
    """A ladder: it goes on for as long as it is open, and bots come and go."""

    everybody: bool = False
    """True if all bots that may play ranked games of this kind take part without being entered."""
    same_owner: bool = False
    """True if two bots of one owner may sit at one table."""
    age: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 10
    """Greatest number of rounds that a bot waits for its next table; at most `window`, because older rounds are not
    known.
    """
    wide: Annotated[float, Meta(ge=0, le=1)] = 0.25
    """Share of tables that are drawn from all bots; at the other tables sit bots of about the same rating."""
    quota: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 3
    """Greatest number of tables in the last `window` rounds at which two bots may meet."""
    window: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 20
    pause_seconds: Annotated[int, Meta(ge=1, le=86_400)] = 1
    """Seconds from the end of one round to the next."""
    tables: Tables = 4
    """Number of tables per round; more if bots would wait for too long, fewer if there are not enough bots."""
    blocks: Blocks = 1
    """Number of blocks per table."""
    keep: Annotated[int, Meta(ge=1, le=1_000_000)] = 10_000
    """Number of the newest blocks that are kept."""


class Experiment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="experiment"):
    """An experiment: NEW and OLD play pairs of games on the same deals and seats, with the same dice;
    docs/experiments.md explains the bounds.
    """

    new: BotName
    old: BotName
    field: Annotated[tuple[BotName, ...], Meta(max_length=63)] = ()
    """Bots at the other seats of the table; none for a table of two."""
    low: Annotated[float, Meta(ge=-1, le=1)] = 0.0
    high: Annotated[float, Meta(ge=-1, le=1)] = 0.2
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    beta: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    least: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = 30
    cap: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = 1000
    measure: Literal["places", "points", "wins"] = "places"
    batch: Annotated[int, Meta(ge=1, le=MOST_BLOCKS)] = 16
    """Number of blocks between two evaluations, after the first `least` blocks."""


Format: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Ladder | Experiment
