"""`splito prune`: removes expired data from Redis, or shows what would be removed."""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter
from rich.table import Table

from splito_cli.arguments import Flag, Json
from splito_cli.event_loop import loop_factory
from splito_cli.terminal.screen import plain_table, progress_bar, screen
from splito_engine.registry import games
from splito_service.settings import Settings, read_settings

if TYPE_CHECKING:
    from splito_service.retention.sweeper import Swept

EXAMPLES = (
    "splito prune",
    "splito prune --remove",
    "SPLITO_MATCH_DAYS=7 splito prune --json",
    "SPLITO_REDIS_URL=redis://10.0.0.5:6379 splito prune --remove",
)
KIBIBYTE = 1024


def prune(
    *,
    remove: Annotated[Flag, Parameter(help="Remove it. Without this, it is only counted.")] = False,
    json: Json = False,
) -> None:
    """Show or remove expired data: old matches and tournaments, unused owners, disabled webhooks.

    The service removes expired data too, every `SPLITO_SWEEP_SECONDS`. Environment variables set how long data is kept:
    `splito settings` lists them. The command needs the Redis of the service: `SPLITO_REDIS_URL`, or without it the
    folder `SPLITO_DATA`.
    """
    from splito_service.processes.group import open_redis  # noqa: PLC0415 (other commands do without POSIX)

    settings = read_settings(os.environ)
    with open_redis(settings) as url, progress_bar("found") as progress:
        task = progress.add_task("found", total=None)
        work = _sweep(settings, url, remove, lambda _: progress.advance(task))
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            kinds = runner.run(work)
    if json:
        sys.stdout.write(msgspec.json.encode({"removed": remove, "kinds": kinds}).decode() + "\n")
        return
    screen().print(_table(kinds))
    if not remove and any(swept.count for swept in kinds):
        screen().print("Nothing was removed. `splito prune --remove` removes it.")


async def _sweep(settings: Settings, url: str, remove: bool, tell: Callable[[str], None]) -> "list[Swept]":
    from splito_service.retention.sweeper import Sweeper  # noqa: PLC0415 (as above)
    from splito_service.storage.client import Link  # noqa: PLC0415 (as above)

    async with Link(url) as link:
        return await Sweeper(link, settings, tuple(games())).sweep(dry=not remove, tell=tell)


def _table(kinds: "list[Swept]") -> Table:
    table = plain_table("kind", "number", "memory")
    for swept in kinds:
        table.add_row(swept.kind, f"{swept.count:,}", f"{swept.bytes / KIBIBYTE:,.1f} KiB")
    table.add_section()
    table.add_row(
        "all",
        f"{sum(swept.count for swept in kinds):,}",
        f"{sum(swept.bytes for swept in kinds) / KIBIBYTE:,.1f} KiB",
        style="bold",
    )
    return table
