"""Conduct of registered bots: a bot is failing if a house bot had to take over its seat, or it failed a whole check.

The owner reads the reason, and gets one event when the bot begins to fail, however often it fails after that. A bot
that plays some matches or blocks in a row to their ends is no longer failing.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from splito_arena.blocks.ledger import Entry, VersionId, parts
from splito_arena.checks import Report
from splito_arena.faults import FaultNote, cut, visible
from splito_service.bots.announce import announce_failing
from splito_service.bots.model import Registered, is_registered
from splito_service.bots.store import Bots
from splito_service.errors import UnknownBot
from splito_service.webhooks.store import Outbox

RECOVERED = 2
"""Number of matches or blocks in a row without a replacement after which a bot is no longer failing."""
LONGEST = 600
"""Bytes of a reason; the rest is cut."""


class Played(NamedTuple):
    """The end of a match or block for one bot."""

    where: str
    replaced: bool
    """True if a house bot took over a seat of the bot."""
    codes: Sequence[str]
    """Codes of all faults of the bot."""
    last: FaultNote | None
    """The last fault; None if there was none, or it is not known."""


class Conduct:
    """The conduct of bots in one Redis, reported by all processes that play or check them."""

    def __init__(self, bots: Bots, outbox: Outbox | None) -> None:
        self._bots, self._outbox = bots, outbox

    async def block_played(self, tournament: str, entry: Entry, last: Callable[[VersionId], FaultNote | None]) -> None:
        """Report a block for each of its registered bots. `last` returns the last fault of a bot, if it is known."""
        for number, version in enumerate(entry.bots):
            bot, name = parts(version)
            if not is_registered(bot) or not entry.games:
                continue
            seats = [(game, seat) for game in entry.games for seat, one in enumerate(game.seating) if one == number]
            taken = sum(game.replaced[seat] for game, seat in seats)
            where = f"in {taken} of {len(seats)} matches of block {entry.block} of tournament {tournament}"
            codes = [code for game, seat in seats for code in game.faults[seat]]
            await self.played(bot, name, Played(where, taken > 0, codes, last(version)))

    async def played(self, bot: str, version: str, played: Played) -> None:
        """Report the end of a match or block of a bot."""
        if not played.replaced:
            await self._change(bot, partial(_fine, version=version))
            return
        counts = ", ".join(f"{code} {count} times" for code, count in Counter(played.codes).items())
        said = "" if played.last is None else f"; the last fault: {played.last.detail}"
        reason = f"a house bot took over {played.where} ({counts}){said}. The asks are in GET /v1/bots/{bot}/asks"
        await self._change(bot, partial(_failing, version=version, reason=reason))

    async def checked(self, bot: Registered, check: str, report: Report) -> None:
        """Report a whole check that the bot has failed."""
        failed = [row for row in report.rows if row.outcome == "failed"]
        first = next((finding.what for row in failed for finding in row.findings), "")
        names = ", ".join(row.check for row in failed)
        reason = f"version {report.version} failed {len(failed)} checks: {names}; the first fault: {first}."
        reason += f" The report is in GET /v1/bots/{bot.id}/checks/{check}"
        await self._change(bot.id, partial(_failing, version=report.version, reason=reason))

    async def _change(self, bot_id: str, how: Callable[[Registered], Registered]) -> None:
        """Change a bot, and announce that it has begun to fail."""
        was_failing = True

        def change(bot: Registered) -> Registered:
            nonlocal was_failing
            was_failing = bot.failing is not None
            return how(bot)

        try:
            after = await self._bots.change(bot_id, change)
        except UnknownBot:
            return
        if after.failing is not None and not was_failing and self._outbox is not None:
            await announce_failing(self._outbox, after)


def _failing(bot: Registered, version: str, reason: str) -> Registered:
    """Return the bot as failing; unchanged if it has another version by now."""
    if bot.info is None or bot.info.version != version:
        return bot
    return replace(bot, failing=cut(" ".join(visible(reason).split()), LONGEST), recovered=0)


def _fine(bot: Registered, version: str) -> Registered:
    if bot.failing is None or bot.info is None or bot.info.version != version:
        return bot
    recovered = bot.recovered + 1
    return replace(bot, failing=None, recovered=0) if recovered == RECOVERED else replace(bot, recovered=recovered)
