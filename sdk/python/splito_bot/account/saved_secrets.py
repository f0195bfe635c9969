"""Secrets of push bots that were registered with a profile, for `splito-bot serve`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from splito_bot.account.access import PROFILE
from splito_bot.account.profiles import Profiles, SavedBot
from splito_bot.account.trouble import Trouble


class SavedSecret(NamedTuple):
    """The secret of a bot, the bot, and the file that has it."""

    secret: str
    bot: SavedBot
    file: Path


def saved_secret(
    name: str, bot: str | None = None, profile: str | None = None, environ: Mapping[str, str] = os.environ
) -> SavedSecret | None:
    """Return the secret of the bot with the id or name `bot` or, without it, of a bot with this name; None without one.

    Raise `Trouble` if `bot` is given and the profile has no secret of it.
    """
    profiles = Profiles.of_user(environ)
    chosen = profile or environ.get(PROFILE) or profiles.default
    if chosen is not None:
        profiles.get(chosen)
        for saved in profiles.bots(chosen):
            if saved.secret is not None and (bot or name) in (saved.id, saved.name):
                return SavedSecret(saved.secret, saved, profiles.bot_file(chosen, saved.id))
    if bot is not None:
        where = "you have no profile, and so" if chosen is None else f"the profile {chosen} has"
        raise Trouble(
            "unknown-bot",
            f"{where} no secret of a bot {bot!r}",
            "register it with `splito-bot register NAME --push URL`, or set SPLITO_BOT_SECRET",
        )
    return None
