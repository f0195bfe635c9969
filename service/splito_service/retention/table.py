"""Retention table: every kind of key that the service keeps in Redis, its owner, its limit and how long it is kept.

`docs/retention.md` shows the table. `tests/service/retention/test_sweeper.py` uses every part of the service and finds
keys that belong to no row. For a new kind of key, add a row here and run `python -m splito_service.retention.table`,
which writes the tables of the docs.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from splito_service.settings import TABLE, variable
from splito_service.tournaments.redis_keys import PART_TYPES

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "retention.md"
ARCHITECTURE = DOCS / "architecture.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


RedisType: TypeAlias = Literal["string", "hash", "list", "set", "zset", "any"]


class Kind(Struct, frozen=True, kw_only=True):
    """A row of the table: one kind of keys."""

    name: str
    keys: Mapping[str, RedisType]
    """Type of the keys by pattern: `*` stands for one part of a name, `**` for the rest of it."""
    owner: str
    limit: str
    kept: str
    """How long the keys are kept."""
    settings: tuple[str, ...] = ()
    """Fields of `Settings` that change the limit or the time."""
    memory: str = ""
    """Memory of one of them, as `python -m benchmarks memory` measured it."""


KINDS = (
    Kind(
        name="open or running match",
        memory="2.1 kB",
        keys={"match:*": "hash", "match:*:turns": "list"},
        owner="its players",
        limit="20,000 in all",
        kept="30 days after the last turn; with open seats, 3 days after the last person joined or left",
        settings=("max_matches", "idle_days", "open_days"),
    ),
    Kind(
        name="finished match",
        memory="0.9 kB",
        keys={"match:*:record": "string"},
        owner="its players",
        limit="200,000 in all; the oldest are removed first",
        kept="30 days",
        settings=("max_finished", "match_days"),
    ),
    Kind(
        name="lists of matches",
        keys={
            "matches:live": "zset",
            "matches:ended": "zset",
            "matches:*:open": "zset",
            "matches:*:running": "zset",
            "matches:*:over": "zset",
            "due": "zset",
            "told:*": "string",
        },
        owner="the service",
        limit="one entry per match",
        kept="as long as the match; `told` a day",
    ),
    Kind(
        name="tournament or experiment",
        memory="2.3 kB with 10 bots; 0.1 kB per open block, 5.7 kB per block that is over (12 games of 4)",
        keys={"tournament:*": "string", **{f"tournament:*:{part}": kind for part, kind in PART_TYPES.items()}},
        owner="its owner",
        limit="20 per owner that are not over; 250,000 games each; 2,000 open blocks each",
        kept="365 days after its end, 30 days if it was cancelled; open blocks until its end; ratings stay",
        settings=("tournament_days", "cancelled_days"),
    ),
    Kind(
        name="lists of tournaments",
        keys={
            "tournaments": "zset",
            "experiments": "zset",
            "tournaments:running": "set",
            "tournaments:scheduled": "zset",
            "tournaments:ended": "zset",
            "owner:*:held": "set",
            "ladder:*": "string",
        },
        owner="the service",
        limit="one entry per tournament; one house ladder per game",
        kept="as long as the tournament",
    ),
    Kind(
        name="series of tournaments",
        memory="1 kB",
        keys={
            "series:*": "string",
            "series-lists:all": "zset",
            "series-lists:due": "zset",
            "series-lists:ended": "zset",
            "owner:*:series": "set",
        },
        owner="its owner",
        limit="10 per owner; 1,000 starts each",
        kept="until its owner deletes it or is removed; 30 days after its end",
        settings=("cancelled_days",),
    ),
    Kind(
        name="leases of bots in blocks",
        keys={"leases:*": "zset"},
        owner="the worker",
        limit="the bot's concurrency",
        kept="6 seconds, renewed while the block is played",
    ),
    Kind(
        name="ratings",
        keys={"ratings:*:*": "hash", "ratings:*:*:*": "any"},
        owner="the service",
        limit="one entry per version that played ranked; 10,000 blocks in the log",
        kept="for ever, because they are the result of ranked play",
    ),
    Kind(
        name="pace of games",
        keys={"pace:*:*": "string"},
        owner="the service",
        limit="one per game and number of players",
        kept="for ever",
    ),
    Kind(
        name="owner",
        memory="0.6 kB with one key",
        keys={
            "owner:*": "string",
            "owner:*:keys": "zset",
            "owner:*:used": "hash",
            "owner:*:bots": "zset",
            "owner:*:hooks": "zset",
            "owner:*:hooks:*": "set",
            "owners": "zset",
        },
        owner="the owner",
        limit="100,000 in all; 50 keys, 100 bots and 10 webhooks each",
        kept="365 days after the last use of a key; 30 days without bot, webhook and running tournament",
        settings=("max_owners", "owner_days", "empty_owner_days"),
    ),
    Kind(
        name="key",
        memory="0.4 kB",
        keys={"key:*": "string"},
        owner="its owner",
        limit="50 per owner",
        kept="365 days after its last use, or until the time that its owner chose",
        settings=("key_days",),
    ),
    Kind(
        name="bot",
        memory="0.6 kB",
        keys={"bot:*": "string", "bots": "zset", "bots:due": "zset"},
        owner="its owner",
        limit="100 per owner",
        kept="until its owner deletes it or is removed",
    ),
    Kind(
        name="check of a bot",
        keys={"checks:*": "list", "checks:*:*": "hash", "checking:*": "string"},
        owner="the bot's owner",
        limit="20 per bot",
        kept="30 days",
    ),
    Kind(
        name="log of asks",
        memory="2.1 kB per ask",
        keys={"log:*": "zset", "log:*:**": "hash"},
        owner="the bot's owner",
        limit="2,000 asks per bot, 8 tries each, 64 KiB per answer",
        kept="7 days",
    ),
    Kind(
        name="ask of a pull bot",
        keys={
            "ask:**": "hash",
            "asks:*:waiting": "zset",
            "asks:*:handed": "zset",
            "asking:**": "string",
            "desk:*": "list",
        },
        owner="the match or block",
        limit="one per seat that is asked",
        kept="60 seconds after its deadline",
    ),
    Kind(
        name="webhook",
        memory="0.6 kB",
        keys={
            "hook:*": "string",
            "hook:*:waiting": "zset",
            "hook:*:claim": "hash",
            "hook:*:dropped": "string",
            "hooks:due": "zset",
            "hooks:disabled": "zset",
            "hooks:unproved": "zset",
        },
        owner="its owner",
        limit="10 per owner",
        kept="until its owner deletes it or is removed; 30 days while it is disabled; 24 hours while it is unproved",
        settings=("hook_days",),
    ),
    Kind(
        name="delivery to a webhook",
        memory="0.9 kB",
        keys={"hook:*:log": "zset", "hook:*:log:*": "hash", "owner:*:events": "zset"},
        owner="the webhook's owner",
        limit="1,000 waiting and 100 logged per webhook; 10,000 known events per owner",
        kept="7 days",
    ),
    Kind(
        name="ban",
        keys={"bans": "hash"},
        owner="the organisers",
        limit="10,000 owners and bots",
        kept="until an organiser lifts it, or the owner or bot is removed",
    ),
    Kind(
        name="moderation log",
        keys={"moderation:log": "zset", "moderation:action:*": "string"},
        owner="the organisers",
        limit="20,000 actions; further actions are refused",
        kept="730 days",
        settings=("moderation_days",),
    ),
    Kind(
        name="counts of requests",
        keys={"limit:**": "string"},
        owner="the client",
        limit="one per client and quota",
        kept="2 minutes",
        settings=("rate", "create_rate"),
    ),
    Kind(
        name="running matches among bots alone",
        keys={"client:*:bot-matches": "set"},
        owner="the client that created them, by a keyed hash of its address",
        limit="the limit of running matches, plus matches that all people have left",
        kept="as long as a match without a move",
        settings=("bot_matches",),
    ),
    Kind(
        name="secrets of the service",
        keys={
            "secret": "string",
            "secret:**": "string",
            "signing-key": "string",
            "signing-key:**": "string",
            "clients:secret": "string",
        },
        owner="the operator",
        limit="one each",
        kept="for ever",
    ),
    Kind(
        name="sweeper",
        keys={"sweeper": "string", "sweeper:adopted": "string"},
        owner="the service",
        limit="one each",
        kept="the lease until the next sweep",
        settings=("sweep_seconds",),
    ),
    Kind(
        name="probe of readiness",
        keys={"ready": "string"},
        owner="the service",
        limit="one",
        kept="60 seconds after the last test write",
    ),
    Kind(
        name="versions that workers have installed",
        keys={"installed": "zset"},
        owner="the workers",
        limit="one entry per set of versions",
        kept="some seconds after the last announcement of a worker",
    ),
    Kind(
        name="shifts in RQ",
        keys={"rq:**": "any", "shift:*": "string"},
        owner="the workers",
        limit="one shift per worker; results are not kept",
        kept="until the shift ends; failed jobs an hour",
    ),
)


def kind_of(key: str) -> Kind | None:
    """Return the row that a key belongs to; None if there is none."""
    return next((kind for kind in KINDS if any(_form(pattern).fullmatch(key) for pattern in kind.keys)), None)


def type_of(key: str) -> RedisType | None:
    """Return the Redis type that a key should have; None if it belongs to no row."""
    kind = kind_of(key)
    return kind and next(one for pattern, one in kind.keys.items() if _form(pattern).fullmatch(key))


@lru_cache
def _form(pattern: str) -> re.Pattern[str]:
    parts = (".+" if part == "**" else "[^:]+" if part == "*" else re.escape(part) for part in pattern.split(":"))
    return re.compile(":".join(parts))


def table() -> str:
    """Return the table in Markdown."""
    lines = ["| kind | owner | limit | kept | memory of each | settings | keys |", "|---" * 7 + "|"]
    for kind in KINDS:
        settings = ", ".join(f"`{variable(field)}`" for field in kind.settings)
        names = ", ".join(f"`{pattern}` ({one})" for pattern, one in kind.keys.items())
        cells = (kind.name, kind.owner, kind.limit, kind.kept, kind.memory, settings, names)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def key_table() -> str:
    """Return the table of keys in Markdown, with their type, owner and lifetime."""
    lines = ["| keys | type | what | owner | kept |", "|---" * 5 + "|"]
    for kind in KINDS:
        for one in dict.fromkeys(kind.keys.values()):
            names = ", ".join(f"`{pattern}`" for pattern, other in kind.keys.items() if other == one)
            lines.append(f"| {names} | {one} | {kind.name} | {kind.owner} | {kind.kept} |")
    return "\n".join(lines) + "\n"


def page(text: str, made: str | None = None) -> str:
    """Return the text of a docs page with its table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + (made or table()) + END + after


def unknown_settings() -> list[str]:
    """Return the fields that a row names but the settings do not have."""
    return [field for kind in KINDS for field in kind.settings if field not in TABLE]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    ARCHITECTURE.write_text(page(ARCHITECTURE.read_text("utf-8"), key_table()), "utf-8")
