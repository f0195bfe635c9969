"""A registered bot as it is stored, and the changes that can be made to it."""

import re
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from splito_arena.match.messages import BotInfo
from splito_service.errors import WrongKind
from splito_service.ids import ID_PATTERN, created
from splito_service.owners.model import Ban, refusal
from splito_service.signing_secrets import Secrets

Kind: TypeAlias = Literal["push", "pull"]
State: TypeAlias = Literal["new", "ready", "disabled"]
OpenTo: TypeAlias = Literal["owner", "organisers", "everybody"]
ID = re.compile(ID_PATTERN)
OPEN_TO: OpenTo = "organisers"
"""Default of a bot, also of one that was stored before bots had this field."""
STAND_IN = "planner"
"""The house bot that plays on for a person who has left, or for a bot with too many faults."""


def is_registered(bot: str) -> bool:
    """True if the word is the id of a registered bot; house bots have names."""
    return ID.fullmatch(bot) is not None


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    owner: str
    kind: Kind
    name: str
    url: str | None = None
    """Address of a push bot; None for a pull bot."""
    info: BotInfo | None = None
    """Description of the bot, told by the bot itself (push) or by its owner (pull)."""
    secrets: Secrets | None = None
    """Signing secrets of a push bot; None for a pull bot."""
    state: State = "new"
    """`new` until the bot is proved or described; `disabled` while it does not answer."""
    reason: str | None = None
    """Failure at the last health check; None if it passed."""
    passed: str | None = None
    """The version that passed the checks; None if none did."""
    failures: int = 0
    """Number of failed health checks in a row."""
    silences: int = 0
    """Number of health checks in a row at which DNS gave no answer for the bot's host, though it did for other hosts.
    """
    failing: str | None = None
    """The way in which the bot fails at its tables or failed its last whole check; None if it does not fail."""
    recovered: int = 0
    """Number of matches or blocks in a row that a failing bot has played to their ends."""
    passes: int = 0
    """Number of passed health checks in a row, counted up to the number that enables the bot."""
    open_to: OpenTo = OPEN_TO
    """Which clients beside the owner may enter the bot in tournaments and seat it in matches."""
    ban: Ban | None = None
    """Ban of the bot or of its owner, which the store reads with the bot; in the stored document it is always None."""

    @property
    def created(self) -> datetime:
        return created(self.id)

    @property
    def watched(self) -> bool:
        """True if the service sends health checks to the bot. A pull bot needs none, because it polls."""
        return self.kind == "push" and self.state != "new"

    @property
    def checked(self) -> bool:
        """True if this version of the bot has passed the checks."""
        return self.info is not None and self.passed == self.info.version

    @property
    def ranked(self) -> bool:
        """True if the bot may play ranked matches: the same version has passed the checks."""
        return self.state == "ready" and self.checked

    def told(self, info: BotInfo) -> "Registered":
        """Return the bot with this description. A pass of the checks is dropped if the version or the games changed.

        What is known of the failures of another version is dropped too.
        """
        same = self.info is not None and covers(self.info, info)
        known = self.info is not None and self.info.version == info.version
        return replace(self, info=info, passed=self.passed if same else None, failing=self.failing if known else None)


def covers(known: BotInfo, info: BotInfo) -> bool:
    """Return True if a result about `known` also holds for `info`: the same version, and no additional game."""
    return known.version == info.version and {*info.games} <= {*known.games}


def check_kind(bot: Registered, kind: Kind) -> None:
    if bot.kind != kind:
        raise WrongKind(f"{bot.id} is a {bot.kind} bot; this is for {kind} bots", field="bot")


def unready(bot: Registered, owner: str | None) -> str | None:
    """Return why the bot cannot play, in words for the client of that owner; None if it can play.

    Only the owner of the bot is told what was wrong when the arena last called it, because that names the bot's host.
    """
    if bot.state == "ready" and bot.info is not None and bot.ban is None:
        return None
    if owner != bot.owner:
        return "it is not ready"
    return (
        f"it is not ready: {bot.reason or 'prove its address (POST /proof) or, if it polls, describe it (PUT /info)'}"
    )


def check_ban(bot: Registered, owner: str | None) -> None:
    """Raise `Banned` if the bot is banned and the client is its owner; others only learn that it is not ready."""
    if bot.ban is not None and owner == bot.owner:
        raise refusal(f"bot {bot.name!r} is", bot.ban)


def changed(bot: Registered, name: str, url: str | None, open_to: OpenTo | UnsetType = UNSET) -> Registered:
    """Return the bot with these fields; `open_to` stays if it is unset. At another URL the bot is new again."""
    kept = replace(bot, name=name, open_to=bot.open_to if open_to is UNSET else open_to)
    if url == bot.url:
        return kept
    return Registered(
        id=bot.id,
        owner=bot.owner,
        kind=bot.kind,
        name=name,
        url=url,
        secrets=bot.secrets,
        open_to=kept.open_to,
        ban=bot.ban,
    )


def described(bot: Registered, info: BotInfo) -> Registered:
    """Return a pull bot with the description that its owner gave."""
    check_kind(bot, "pull")
    return replace(bot.told(info), state="ready")


def rotated(bot: Registered, secret: str) -> Registered:
    """Return the bot with a new secret.

    Requests are signed with the new and the previous secret until `settled`; older secrets are dropped.
    """
    check_kind(bot, "push")
    return replace(bot, secrets=Secrets(secret, bot.secrets and bot.secrets.current))


def settled(bot: Registered) -> Registered:
    check_kind(bot, "push")
    return replace(bot, secrets=bot.secrets and replace(bot.secrets, previous=None))
