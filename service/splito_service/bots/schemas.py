"""Request and response schemas of registered bots."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from splito_arena.match.messages import BotInfo, Moment
from splito_service.bots.model import OPEN_TO, Kind, OpenTo, Registered, State
from splito_service.owners.model import Owner
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import Id, Name, Secret, Url


class BotRegistration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to register a bot."""

    name: Name
    kind: Kind
    """`push` if the arena calls the bot, `pull` if the bot polls the arena for asks."""
    url: Url | None = None
    """Base address of a push bot, to which the arena adds `/info`, `/ask` and so on. A pull bot has none."""
    open_to: OpenTo = OPEN_TO
    """The clients that may enter the bot in tournaments and experiments and seat it in matches: `owner` for its owner
    alone; `organisers` also for the organisers that this arena names and for the ladders of the house; `everybody` for
    all clients.
    """


class BotChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to change a bot. It contains the new values of all fields that can change."""

    name: Name
    url: Url | None = None
    """Base address of a push bot. A bot with a new address has to prove itself again."""
    open_to: OpenTo | UnsetType = UNSET
    """The clients that may enter and seat the bot; without this field the value stays as it is.

    Tournaments that the bot was entered in keep it until its owner withdraws it; a ladder leaves out a bot that is no
    longer open to its holder.
    """


class BotDescription(BotInfo, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Description of a pull bot: its version and the games it plays. A push bot describes itself at `/info`."""

    def __post_init__(self) -> None:
        """Skip the check of the name that `BotInfo` makes, because the service refuses names that cannot be printed
        when it reads the request.
        """


class BotSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A registered bot."""

    id: Id
    name: str
    kind: Kind
    owner: OwnerInfo
    created: Moment
    state: State
    """`new` until the bot is proved or described; `disabled` while it does not answer."""
    version: str | None
    """Version of the bot; null while it is new."""
    games: list[str]
    """Ids of the games that the bot plays; empty while it is new."""
    checked: bool
    """True if this version has passed the checks. Ranked play needs a pass."""
    open_to: OpenTo
    """The clients beside its owner that may enter the bot in tournaments and experiments and seat it in matches."""


class OwnBot(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a bot that only its owner can read."""

    url: str | None
    """Base address of a push bot; null for a pull bot."""
    reason: str | None
    """Why the bot fails: at its last health check, at its tables, or at its last whole check; null if it does not."""
    failures: Annotated[int, Meta(ge=0)]
    """Number of failed health checks in a row.

    After 3 the bot is disabled; 2 passed checks in a row enable it again.
    """
    passed: str | None
    """The version that passed the checks; null if none did."""
    two_secrets: bool
    """True while requests are also signed with the previous secret."""
    banned: str | None = None
    """Reason for which the organisers have banned the bot or you; null without a ban."""


class Bot(BotSummary, frozen=True, kw_only=True):
    """A registered bot; with the key of its owner, also the fields that only the owner can read."""

    info: BotInfo | None
    """The description that the bot gave of itself, or its owner gave of it; null while it is new."""
    own: OwnBot | None
    """Fields for the owner; null for every other client."""


class BotRegistered(msgspec.Struct, frozen=True):
    """A new bot, and the secret that it shares with the arena."""

    bot: Bot
    secret: Secret | None
    """Secret of a push bot.

    It signs the requests of the arena, and the bot proves with it that it is yours. It is shown only here.
    """


class NewSecret(msgspec.Struct, frozen=True):
    """The new secret of a bot. Requests are signed with it and with the previous secret."""

    secret: Secret
    """The secret. It is shown only here."""


class BotPage(msgspec.Struct, frozen=True):
    """A page of registered bots, newest first."""

    bots: list[BotSummary]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


def bot_summary(bot: Registered, owner: Owner) -> BotSummary:
    return BotSummary(
        id=bot.id,
        name=bot.name,
        kind=bot.kind,
        owner=OwnerInfo(owner.id, owner.name),
        created=bot.created,
        state=bot.state,
        version=bot.info.version if bot.info else None,
        games=bot.info.games if bot.info else [],
        checked=bot.checked,
        open_to=bot.open_to,
    )


def bot_of(bot: Registered, owner: Owner, *, own: bool) -> Bot:
    """Return the bot as its owner sees it if `own`, else as every client sees it."""
    summary = msgspec.structs.asdict(bot_summary(bot, owner))
    return Bot(**summary, info=bot.info, own=_own(bot) if own else None)


def _own(bot: Registered) -> OwnBot:
    return OwnBot(
        url=bot.url,
        reason=bot.reason or bot.failing,
        failures=bot.failures,
        passed=bot.passed,
        two_secrets=bot.secrets is not None and bot.secrets.previous is not None,
        banned=None if bot.ban is None else bot.ban.reason,
    )


class BotProblem(msgspec.Struct, frozen=True, kw_only=True):
    """The problem (RFC 9457) with which a bot refuses a request. The arena acts on the status alone, and shows the
    code and the detail to the owner of the bot.
    """

    status: int
    """The status of the response."""
    title: str
    """Short name of the problem."""
    detail: str = ""
    """Description of the mistake in this request, for people."""
    code: str = ""
    """Stable code of the problem, chosen by the bot."""
    type: str = "about:blank"
    """URI of a description of the problem, chosen by the bot."""
