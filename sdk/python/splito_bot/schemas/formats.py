"""Formats of tournaments.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from typing import TypeAlias

from msgspec import Struct


class RoundRobin(Struct, frozen=True, tag_field="kind", tag="round-robin"):
    """A round robin: all bots meet each other, as equally as the number of tables allows."""

    tables: int = 1000
    """Greatest number of tables. If there are no more different tables than that, all are played."""
    blocks: int = 1
    """Number of blocks per table."""


class Swiss(Struct, frozen=True, tag_field="kind", tag="swiss"):
    """A Swiss tournament: bots that have done equally well meet next, and no two bots meet twice if that can be
    avoided.
    """

    rounds: int | None = None
    """Number of rounds; None for as many as it takes until at most one bot can have won all its tables."""
    blocks: int = 1
    """Number of blocks per table."""


class Elimination(Struct, frozen=True, tag_field="kind", tag="elimination"):
    """An elimination: the best bots of each table go on, the others are out, until there is a final."""

    double: bool = False
    """True if a bot is out only after its second loss."""
    advance: int | None = None
    """Number of bots of a table that go on; None for the better half."""
    shared: bool = False
    """True if bots that are tied for the first place of the final share it. Otherwise they play deciding blocks, and if
    these leave a tie, tie-breaks decide.
    """
    blocks: int = 1
    """Number of blocks per table."""


class Gauntlet(Struct, frozen=True, tag_field="kind", tag="gauntlet"):
    """A gauntlet: one bot sits at every table, and meets the others as equally as the number of tables allows."""

    bot: str
    tables: int = 1000
    """Greatest number of tables. If there are no more different tables than that, all are played."""
    blocks: int = 1
    """Number of blocks per table."""


class Ladder(Struct, frozen=True, kw_only=True, tag_field="kind", tag="ladder"):
    """A ladder: it goes on for as long as it is open, and bots come and go."""

    everybody: bool = False
    """True if all bots that may play ranked games of this kind take part without being entered."""
    same_owner: bool = False
    """True if two bots of one owner may sit at one table."""
    age: int = 10
    """Greatest number of rounds that a bot waits for its next table; at most `window`, because older rounds are not
    known.
    """
    wide: float = 0.25
    """Share of tables that are drawn from all bots; at the other tables sit bots of about the same rating."""
    quota: int = 3
    """Greatest number of tables in the last `window` rounds at which two bots may meet."""
    window: int = 20
    pause_seconds: int = 1
    """Seconds from the end of one round to the next."""
    tables: int = 4
    """Number of tables per round; more if bots would wait for too long, fewer if there are not enough bots."""
    blocks: int = 1
    """Number of blocks per table."""
    keep: int = 10000
    """Number of the newest blocks that are kept."""


Format: TypeAlias = RoundRobin | Swiss | Elimination | Gauntlet | Ladder
