"""Versions of house bots and rules, and a setting, that workers have and a tournament needs.

Every shift announces in Redis what it has. A shift claims no block for which it lacks something, so a tournament is
played by the versions that entered it, and no bot is blamed because a worker may not call it; `waiting_text` tells the
organiser what no worker has.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from splito_arena.blocks.ledger import parts, version_id
from splito_arena.bots.find import GROUP, bot_names, installed_name
from splito_engine.registry import games
from splito_service.bots.model import STAND_IN, is_registered
from splito_service.ids import Milliseconds
from splito_service.storage.client import Link
from splito_service.storage.rq_keys import WORKERS
from splito_service.storage.scripts import source
from splito_service.tournaments.model import StoredEntrant, StoredTournament

KEY = "installed"
KNOWN: Milliseconds = 15_000
"""Milliseconds for which an announcement is valid. A shift repeats it every `ANNOUNCE` seconds."""
ANNOUNCE = 3.0
"""Seconds between two announcements of a shift."""
PRIVATE = "SPLITO_DEV=1 or SPLITO_ALLOW_PRIVATE_BOTS=1, as the service has"
NOT_INSTALLED = "not installed"
"""Reason why a house bot is gone from a ladder: no worker has it in any version."""
NO_WORKER = "no worker is running; start one with `splito worker`"


class Installed(msgspec.Struct, frozen=True):
    """The versions that a process has, by the name of the bot and the id of the game."""

    bots: dict[str, str]
    games: dict[str, str]
    private: bool = False
    """True if the process may call bots at private addresses."""


class Lack(NamedTuple):
    """A version or setting that a tournament needs and a process does not have."""

    what: str
    """A bot, the rules of a game, or `PRIVATE`."""
    wanted: str
    """The version; "" for a setting."""
    bot: str | None
    """The entrant that waits for it; None if every block does."""


class Workers:
    """The announcements of all workers of one Redis."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._script = link.script(source("tournaments/versions_announce"))

    async def announce(self, installed: Installed) -> None:
        """Announce the versions of this worker. Workers with the same versions share one announcement."""
        await self._script([KEY], [KNOWN, msgspec.json.encode(installed, order="sorted")])

    async def living(self) -> list[Installed]:
        """Return the different sets of versions that working shifts have."""
        return [msgspec.json.decode(raw, type=Installed) for raw in await self._script([KEY], [KNOWN, b""])]

    async def are_there(self) -> bool:
        """Return whether any worker is registered, busy or not."""
        return bool(await self._link.call("SCARD", WORKERS))


@cache
def installed() -> Installed:
    """Return the versions of this process."""
    return Installed(
        bots={name: house_version(name) for name in bot_names()},
        games={game_id: game.INFO.version for game_id, game in games().items()},
    )


@cache
def house_version(name: str) -> str:
    """Return the version of the package that provides the house bot, or the bot of which this is a copy."""
    installed = installed_name(name)
    found = next((entry for entry in entry_points(group=GROUP) if entry.name == installed), None)
    return found.dist.version if found and found.dist else "0"


def stand_in_version() -> str:
    """Return the version id of the house bot that plays on after too many faults; "" if it is not installed here."""
    version = installed().bots.get(STAND_IN)
    return "" if version is None else version_id(STAND_IN, version)


def lacking(kept: StoredTournament, have: Installed) -> list[Lack]:
    """Return what the tournament needs and `have` does not have."""
    return [*_lacking(kept, have)]


def waiting_text(kept: StoredTournament, living: Sequence[Installed], bots: Collection[str]) -> str | None:
    """Return why blocks with these bots cannot be played by any of the living workers; None if one of them can."""
    lacks = [[one for one in _lacking(kept, have) if one.bot is None or one.bot in bots] for have in living]
    if not all(lacks):
        return None
    wanted = sorted({(one.what, one.wanted) for some in lacks for one in some})
    found = {(one.what, one.wanted): _versions(one, kept, living) for some in lacks for one in some}
    return "blocks wait for a worker with " + " and ".join(
        _wanted_text(what, version, found[what, version]) for what, version in wanted
    )


def moved_on(kept: StoredTournament, living: Sequence[Installed]) -> StoredTournament:
    """Return a ladder whose house bots have versions that a worker has.

    An entrant keeps its version while any worker has it, so a ladder does not change back and forth while workers are
    upgraded one by one. A bot that no worker has in any version drops out until a worker has it again.
    """
    if not living:
        return kept
    entrants = tuple(one if is_registered(one.bot) else _settled(one, living) for one in kept.entrants)
    bot, version = parts(kept.stand_in)
    found = _of_bot(bot, living)
    if kept.stand_in and found and version not in found:
        return replace(kept, entrants=entrants, stand_in=version_id(bot, found[-1]))
    return replace(kept, entrants=entrants)


def _lacking(kept: StoredTournament, have: Installed) -> Iterator[Lack]:
    if kept.rules and have.games.get(kept.game) != kept.rules:
        yield Lack(f"the rules of {kept.game}", kept.rules, None)
    bot, version = parts(kept.stand_in)
    if kept.stand_in and have.bots.get(bot) != version:
        yield Lack(bot, version, None)
    for one in kept.entrants:
        house = installed_name(one.bot)
        if one.gone is None and not is_registered(one.bot) and have.bots.get(house) != one.version:
            yield Lack(house, one.version, one.bot)
        elif one.gone is None and is_registered(one.bot) and kept.private and not have.private:
            yield Lack(PRIVATE, "", one.bot)


def _wanted_text(what: str, version: str, found: Sequence[str]) -> str:
    return f"{what} {version} (workers have {' and '.join(found) or 'no version of it'})" if version else what


def _settled(entrant: StoredEntrant, living: Sequence[Installed]) -> StoredEntrant:
    if entrant.gone not in (None, NOT_INSTALLED):
        return entrant
    versions = _of_bot(installed_name(entrant.bot), living)
    if not versions:
        return replace(entrant, gone=NOT_INSTALLED)
    return replace(entrant, gone=None, version=entrant.version if entrant.version in versions else versions[-1])


def _versions(lack: Lack, kept: StoredTournament, living: Sequence[Installed]) -> list[str]:
    if lack.what in {parts(kept.stand_in)[0], lack.bot and installed_name(lack.bot)}:
        return _of_bot(lack.what, living)
    return sorted({have.games[kept.game] for have in living if kept.game in have.games}, key=_in_order)


def _of_bot(bot: str, living: Sequence[Installed]) -> list[str]:
    return sorted({have.bots[bot] for have in living if bot in have.bots}, key=_in_order)


def _in_order(version: str) -> list[tuple[int, str]]:
    """Return the version as a sort key in which numbers count as numbers: 0.9 is before 0.10."""
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in re.findall(r"[0-9]+|[^0-9]+", version)]
