"""Redis keys of tournaments. Members of sorted sets have the score 0 and are in the order of their texts, where no
other score is named.

    tournament:{id}             the document (string)
    tournament:{id}:rounds      of each round, how many blocks its tables have, and how many tables there are (hash)
    tournament:{id}:tables      of each table, its bots (hash)
    tournament:{id}:waves       the ranges of blocks that are not open yet, see tournament_blocks.lua (sorted set)
    tournament:{id}:plan        the plan of the next round while its tables are written: its token and size (hash)
    tournament:{id}:open        the open blocks, by the time until which they are claimed, or 0 (sorted set)
    tournament:{id}:claims      of each block that is claimed, the token of its worker (hash)
    tournament:{id}:ledger      of each block that is over, its entry (hash)
    tournament:{id}:done        the blocks in the ledger (sorted set)
    tournament:{id}:tally       how many blocks, skipped blocks and games there have been, and blocks in waves (hash)
    tournament:{id}:times       of each version and bucket of time, how many answers (hash)
    tournament:{id}:planner     the process that plans its next round, under a lease (string)
    tournament:{id}:rest        of a ladder, until when it rests after which round (string)
    tournament:{id}:voids       number of failures of each block that the arena caused (hash)
    tournament:{id}:pace        the last blocks that ended, by when they did (sorted set)
    tournaments, experiments    all tournaments, all experiments (sorted sets)
    tournaments:ended           finished tournaments and experiments, by the time of their end (sorted set)
    tournaments:scheduled       tournaments for which something is due, by when: the begin of sign-up, the start, or an
                                event for webhooks (sorted set)
    tournaments:running         running tournaments and experiments (set)
    owner:{owner}:held          unfinished tournaments and experiments of an owner (set)
    leases:{bot}                the blocks that a bot is in, by the time until which they are claimed (sorted set)
"""

from collections.abc import Mapping
from typing import Literal

from splito_arena.blocks.ledger import round_id

RUNNING = "tournaments:running"
SCHEDULED = "tournaments:scheduled"
ENDED = "tournaments:ended"
PART_TYPES: Mapping[str, Literal["string", "hash", "zset"]] = {
    "rounds": "hash",
    "tables": "hash",
    "waves": "zset",
    "open": "zset",
    "claims": "hash",
    "ledger": "hash",
    "done": "zset",
    "tally": "hash",
    "times": "hash",
    "planner": "string",
    "rest": "string",
    "voids": "hash",
    "pace": "zset",
    "plan": "hash",
}
"""Redis types of the keys that a tournament has beside its document, by the last part of the key."""
PARTS = tuple(PART_TYPES)
UNFINISHED = ("open", "tally", "waves", "plan", "rest", "voids")
"""Parts that only an unfinished tournament needs; some of the first two remains: see tournament_change.lua."""


def table_id(round_number: int, table: int) -> str:
    return f"{round_id(round_number)}-{table:05}"


def keys(tournament_id: str, *parts: str) -> list[str]:
    key = f"tournament:{tournament_id}"
    return [f"{key}:{part}" if part else key for part in parts]


def held_by(owner: str) -> str:
    return f"owner:{owner}:held"


def shelf(kind: str) -> str:
    """Return the Redis key of the set of all tournaments, or of all experiments."""
    return f"{kind}s"
