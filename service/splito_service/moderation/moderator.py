"""Moderator: it carries out the actions of organisers and writes each of them to the log before its effects.

A crash may leave an action in the log whose effects are not complete; the same action again completes them. A ban
itself is stored in the same call as its entry, so it holds from then on.
"""

import logging
from contextlib import suppress

from splito_service.bots.consent import HOUSE, Organisers
from splito_service.bots.store import Bots
from splito_service.errors import AlreadyOver, Protected, UnknownBot, UnknownOwner, UnknownTournament, WrongOwner
from splito_service.ids import created, new_id
from splito_service.moderation.model import Action, StoredAction
from splito_service.moderation.store import ModerationLog
from splito_service.owners.bans import field_of
from splito_service.owners.model import Ban
from splito_service.owners.store import Owners
from splito_service.settings import variable
from splito_service.storage.client import Link
from splito_service.tournaments.entrants import STOPPED
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.redis_keys import held_by
from splito_service.tournaments.store import Tournaments

ORGANISERS = variable("organisers")

log = logging.getLogger("splito.moderation")


class Moderator:
    """The moderator of one Redis. Used in one event loop."""

    def __init__(self, link: Link, owners: Owners, bots: Bots, organiser: Organiser, organisers: Organisers) -> None:
        self._link, self._owners, self._bots, self._organiser = link, owners, bots, organiser
        self._organisers, self._tournaments, self.log = organisers, Tournaments(link), ModerationLog(link)

    def check_organiser(self, owner: str) -> None:
        """Raise `WrongOwner` unless the setting names this owner.

        `*` is not enough, because then every owner could ban every other.
        """
        if not self._organisers.names(owner):
            raise WrongOwner(
                "only organisers whom the operator names moderate this arena;"
                f" ask its operator to add your owner id {owner} to {ORGANISERS}"
            )

    async def act(self, organiser: str, action: Action, target: str, reason: str) -> StoredAction:
        """Carry out an action and return its entry in the log. Raise the problem of an action that is refused."""
        entry = StoredAction(
            id=new_id(),
            organiser=organiser,
            organiser_name=(await self._owners.find([organiser]))[organiser].name,
            action=action,
            target=target,
            target_name=await self._name(action, target),
            reason=reason,
        )
        ban = Ban(reason, int(1000 * created(entry.id).timestamp()))
        match action:
            case "ban-owner":
                await self.log.add(entry, field_of("owner", target), ban)
                await self._stop_tournaments(target)
            case "ban-bot":
                await self.log.add(entry, field_of("bot", target), ban)
            case "lift-owner-ban":
                await self.log.add(entry, field_of("owner", target))
            case "lift-bot-ban":
                await self.log.add(entry, field_of("bot", target))
            case "remove-tournament":
                await self.log.add(entry)
                await self._remove(target)
        log.info("organiser %s: %s %s", organiser, action, target)
        return entry

    async def _name(self, action: Action, target: str) -> str:
        """Return the name of the target. Raise the problem of a target that does not exist or may not be moderated."""
        match action:
            case "ban-owner":
                if self._organisers.names(target):
                    raise Protected(
                        f"owner {target} is an organiser: the operator removes organisers from {ORGANISERS}",
                        field="target",
                    )
                if not await self._owners.exists(target):
                    raise UnknownOwner(f"there is no owner {target!r}", field="target")
                return (await self._owners.find([target]))[target].name
            case "ban-bot":
                return (await self._bots.get(target)).name
            case "remove-tournament":
                kept = await self._tournaments.get(target)
                if kept.owner == HOUSE:
                    raise Protected("the operator switches house ladders on and off", field="target")
                return kept.name
            case "lift-owner-ban":
                return (await self._owners.find([target]))[target].name
            case "lift-bot-ban":
                try:
                    return (await self._bots.get(target)).name
                except UnknownBot:
                    return ""

    async def _stop_tournaments(self, owner: str) -> None:
        for held in await self._link.call("SMEMBERS", held_by(owner)):
            await self._cancel(held.decode())

    async def _remove(self, tournament: str) -> None:
        """Delete a tournament or experiment with its results; its effect on the leaderboard stays."""
        with suppress(UnknownTournament):  # another organiser has removed it in between
            await self._cancel(tournament)
            await self._tournaments.delete(tournament)

    async def _cancel(self, tournament: str) -> None:
        with suppress(UnknownTournament, AlreadyOver):
            await self._organiser.set_state(tournament, "cancelled", STOPPED)
