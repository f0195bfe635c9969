"""Where everything about tournaments is in Redis, and how their blocks are called. Sorted sets have all the score 0,
and so are in the order of their texts, where no other is named.

    tournament:{id}             the document (string)
    tournament:{id}:rounds      of each round, how many blocks its tables have, and how many tables there are (hash)
    tournament:{id}:tables      of each table, its bots (hash)
    tournament:{id}:waves       the numbers of blocks that are not open yet, of all tables of a round (sorted set)
    tournament:{id}:open        the blocks that are, by the time until which they are claimed, or 0 (sorted set)
    tournament:{id}:claims      of each block that is claimed, the token of who has it (hash)
    tournament:{id}:ledger      of each block that is over, its entry (hash)
    tournament:{id}:done        the blocks in the ledger (sorted set)
    tournament:{id}:tally       how many blocks, skipped blocks and games there have been, and blocks in waves (hash)
    tournament:{id}:times       of each version and bucket of time, how many answers (hash)
    tournament:{id}:planner     who plans its next round, for a while (string)
    tournament:{id}:rest        of a ladder, until when it rests after which round (string)
    tournament:{id}:voids       of each block that has failed on our own side, how often (hash)
    tournament:{id}:pace        the last blocks that ended, by when they did (sorted set)
    tournaments, experiments    all of them (sorted sets)
    tournaments:running         those of both kinds that run (set)
    owner:{owner}:held          those of both kinds of an owner that are not over (set)
    leases:{bot}                the blocks that a bot is in, by the time until which they are claimed (sorted set)
"""

from typing import NamedTuple

RUNNING = "tournaments:running"
PARTS = (
    *("rounds", "tables", "waves", "open", "claims", "ledger", "done", "tally", "times"),
    *("planner", "rest", "voids", "pace"),
)
"""All that there is of a tournament beside its document."""
BLOCK_PATTERN = "^[0-9]{8}-[0-9]{4}-[0-9]{5}$"


class BlockPlace(NamedTuple):
    """Which block it is, each number counted from 0. All tables play their first block before any plays its second."""

    round: int
    number: int
    table: int


def block_id(place: BlockPlace) -> str:
    """As texts they are in the order of play: there are digits enough for a ladder of years, a round every second.

    The scripts that open blocks know this form too.
    """
    return f"{round_id(place.round)}-{place.number:04}-{place.table:05}"


def block_place(block: str) -> BlockPlace:
    return BlockPlace(*map(int, block.split("-")))


def table_id(round_number: int, table: int) -> str:
    return f"{round_id(round_number)}-{table:05}"


def round_id(number: int) -> str:
    return f"{number:08}"


def keys(tournament_id: str, *parts: str) -> list[str]:
    key = f"tournament:{tournament_id}"
    return [f"{key}:{part}" if part else key for part in parts]


def held_by(owner: str) -> str:
    return f"owner:{owner}:held"


def shelf(kind: str) -> str:
    """Of all tournaments, or of all experiments."""
    return f"{kind}s"
