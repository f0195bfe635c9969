"""Consent of owners: which clients may enter a registered bot in a tournament or seat it in a match.

The owner of a bot sets its `open_to`. The check comes before every other check of the bot, because a refusal must not
tell a stranger whether the bot is ready or where it runs.
"""

from collections.abc import Iterable
from typing import NamedTuple

from splito_service.bots.model import Registered
from splito_service.errors import NotAllowed

HOUSE = ""
"""Owner id of the house, which holds the ladders of the arena."""
EVERYBODY = "*"
"""Word in the setting `SPLITO_ORGANISERS` that makes every owner an organiser."""


class Organisers:
    """The owners whom the setting `SPLITO_ORGANISERS` names as organisers."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._ids = frozenset(words)

    def names(self, owner: str) -> bool:
        """Return True if the setting names this owner by id; `*` names no owner."""
        return owner in self._ids - {EVERYBODY}

    def __contains__(self, owner: str) -> bool:
        return owner == HOUSE or EVERYBODY in self._ids or owner in self._ids


class Asker(NamedTuple):
    """The client that wants to enter or seat a bot."""

    owner: str | None
    """Owner id of its key; None without a key, `HOUSE` for the house."""
    organiser: bool
    """True if the owner is the house or a named organiser."""


NOBODY = Asker(None, organiser=False)
"""A client without a key."""


def allows(bot: Registered, asker: Asker) -> bool:
    """Return True if the owner of the bot lets the client enter and seat it."""
    if asker.owner == bot.owner or bot.open_to == "everybody":
        return True
    return bot.open_to == "organisers" and asker.organiser


def check_consent(bot: Registered, asker: Asker, field: str) -> None:
    """Raise `NotAllowed` if the owner of the bot does not let the client enter and seat it."""
    if not allows(bot, asker):
        raise NotAllowed(
            f"bot {bot.id} is not open to you: its owner opens it with open_to,"
            " or the request needs a key of its owner or of an organiser to whom it is open",
            field=field,
        )
