"""Entrants of tournaments: the bots that may enter, and the bots that cannot play any more, with the reason.

A house bot is always available. A registered bot may be disabled and come back; a bot that is deleted or changes its
version is gone for good, except in a ladder, where the new version takes the place of the old one. A tournament does
not wait for a bot: its blocks are skipped, with the reason.
"""

import asyncio
from collections.abc import Iterable
from time import monotonic

from splito_arena.bots.find import check_bot, installed_name, is_copy
from splito_arena.formats import Ladder
from splito_engine.errors import BadBot
from splito_service.bots.consent import HOUSE, Asker, allows, check_consent
from splito_service.bots.model import Registered, check_ban, is_registered, unready
from splito_service.bots.store import Bots
from splito_service.errors import NotReady, UnknownBot
from splito_service.tournaments.installed_versions import house_version
from splito_service.tournaments.model import StoredEntrant, StoredTournament

FRESH = 1.0
"""Seconds for which a bot document that was read may be used again."""
PAGE = 100

DELETED = "deleted"
DISABLED = "disabled"
OTHER_VERSION = "another version"
WITHDRAWN = "withdrawn"
OWNER_WITHDREW = "withdrawn by its owner"
UNCHECKED = "not checked"
OTHER_GAMES = "does not play this game"
CLOSED = "closed by its owner"
CLOSED_BEFORE = "closed by its owner before the start"
UNFOUND = "its name could not be looked up"
STOPPED = "stopped by the organisers of the arena"
"""Public reason of a banned bot, and of a tournament of a banned owner, without the reason of the ban."""
CURABLE = (DISABLED, UNCHECKED, OTHER_GAMES, CLOSED, UNFOUND, STOPPED)
"""Reasons for which a bot is gone that may come back."""


class Roster:
    """The roster of bots, with a cache of their documents. Used in one event loop."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._seen: dict[str, tuple[float, Registered | None]] = {}

    async def enter(self, word: str, game: str, ranked: bool, asker: Asker) -> StoredEntrant:
        """Return the bot of this id or house name as an entrant. Raise `BadBot`, `NotAllowed`, `Banned` or `NotReady`.

        A copy of a house bot is refused if the tournament is ranked, because a leaderboard has one line for each
        version of a bot, and results against several copies would count one opponent several times.
        """
        if not is_registered(word):
            check_bot(word, game)
            if ranked and is_copy(word):
                raise BadBot(
                    f"{word} is a copy, and copies of house bots are not rated:"
                    f" enter {installed_name(word)} alone, or hold the tournament unranked",
                    field="bots",
                )
            return StoredEntrant(bot=word, name=word, version=house_version(word))
        try:
            bot = await self._bots.get(word)
        except UnknownBot:
            raise BadBot(
                f"there is no bot {word!r}: use the name of a house bot or the id of a registered bot", field="bots"
            ) from None
        check_consent(bot, asker, "bots")
        check_ban(bot, asker.owner)
        if bot.info is not None and game not in bot.info.games:
            raise BadBot(f"bot {bot.name!r} does not play {game}, but {', '.join(bot.info.games)}", field="bots")
        why = _unready(bot, ranked, asker)
        if why is not None:
            raise NotReady(f"bot {bot.name!r} cannot enter: {why}", field="bots")
        return _entrant(bot, asker)

    async def everybody(self, game: str, ranked: bool, asker: Asker) -> list[StoredEntrant]:
        """Return all registered bots that are ready to play the game and open to the client."""
        found, cursor = list[Registered](), None
        while True:
            page = await self._bots.page(cursor, PAGE)
            found += page.bots
            cursor = page.next
            if cursor is None:
                ready = [bot for bot in found if _unready(bot, ranked, asker) is None and _plays(bot, game)]
                return [_entrant(bot, asker) for bot in ready if allows(bot, asker)]

    async def registered(self, ids: Iterable[str], age: float = FRESH) -> dict[str, Registered | None]:
        """Return bot documents, cached for `age` seconds; None for a deleted bot."""
        now, wanted = monotonic(), [bot for bot in ids if is_registered(bot)]
        stale = [bot for bot in wanted if bot not in self._seen or self._seen[bot][0] < now - age]
        for bot, found in zip(stale, await asyncio.gather(*map(self._find, stale)), strict=True):
            self._seen[bot] = (now, found)
        return {bot: self._seen[bot][1] for bot in wanted}

    async def _find(self, bot: str) -> Registered | None:
        try:
            return await self._bots.get(bot)
        except UnknownBot:
            return None


def absence(kept: StoredTournament, entrant: StoredEntrant, bot: Registered | None) -> str | None:
    """Return the reason why an entrant cannot play now, as a stable text; None if it can play."""
    if entrant.gone is not None and entrant.gone not in CURABLE:
        return entrant.gone
    return _missing(kept, entrant, bot) if is_registered(entrant.bot) else None


def _missing(kept: StoredTournament, entrant: StoredEntrant, bot: Registered | None) -> str | None:
    if bot is None or bot.ban is not None:
        return DELETED if bot is None else STOPPED
    if bot.info is None or bot.state != "ready":
        return DISABLED
    if kept.game not in bot.info.games:
        return OTHER_GAMES
    if isinstance(kept.format, Ladder) and not still_allows(kept, entrant, bot):
        return CLOSED
    if bot.info.version != entrant.version and not isinstance(kept.format, Ladder):
        return OTHER_VERSION
    return UNCHECKED if kept.ranked and not bot.ranked else None


def current(entrant: StoredEntrant, bot: Registered | None) -> str:
    """Return the version id with which the bot would play now."""
    return entrant.version if bot is None or bot.info is None else bot.info.version


def _entrant(bot: Registered, asker: Asker) -> StoredEntrant:
    version = bot.info.version if bot.info else ""
    return StoredEntrant(bot=bot.id, name=bot.name, version=version, owner=bot.owner, by_owner=bot.owner == asker.owner)


def _plays(bot: Registered, game: str) -> bool:
    return bot.info is not None and game in bot.info.games


def _unready(bot: Registered, ranked: bool, asker: Asker) -> str | None:
    why = unready(bot, asker.owner)
    if why is None and ranked and not bot.ranked:
        return f"version {bot.info.version if bot.info else None} has not passed the checks, and this is ranked"
    return why


def holder_of(kept: StoredTournament) -> Asker:
    """Return the holder of a tournament as the client that enters its bots."""
    return Asker(kept.owner, kept.owner == HOUSE or kept.by_organiser)


def still_allows(kept: StoredTournament, entrant: StoredEntrant, bot: Registered) -> bool:
    """Return True if the bot may go on in a ladder: its owner entered it, or it is still open to the holder."""
    return entrant.by_owner or allows(bot, holder_of(kept))
