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
    """A bot to be registered."""

    name: Name
    kind: Kind
    """Whether the arena calls it (`push`), or it asks the arena for work (`pull`)."""
    url: Url | None = None
    """Of a push bot: its address, to which `/info`, `/ask` and so on are added."""
    open_to: OpenTo = OPEN_TO
    """Who may enter the bot in tournaments and experiments and seat it in matches: its `owner` alone; also the
    `organisers` whom this arena names, and the house with its ladders; or `everybody`."""


class BotChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may change about a bot, as it shall be from now on."""

    name: Name
    url: Url | None = None
    """Of a push bot. At another address it has to prove itself again."""
    open_to: OpenTo | UnsetType = UNSET
    """Who may enter and seat the bot; without this field it stays as it is. Tournaments that the bot was entered in
    keep it until the owner withdraws it; a ladder leaves out a bot that is no longer open to its holder."""


class BotDescription(BotInfo, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a pull bot plays, and how: what a push bot tells of itself."""

    def __post_init__(self) -> None:
        """A name that cannot be printed is refused as everywhere here, by who reads this."""


class BotSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A registered bot."""

    id: Id
    name: str
    kind: Kind
    owner: OwnerInfo
    created: Moment
    state: State
    """`new` until it has proved itself or was described; `disabled` while it does not answer."""
    version: str | None
    """Nothing as long as it is new."""
    games: list[str]
    """The ids of those it plays; none as long as it is new."""
    checked: bool
    """Whether this version has passed the checks. Ranked play needs that."""
    open_to: OpenTo
    """Who beside its owner may enter the bot in tournaments and experiments and seat it in matches."""


class OwnBot(msgspec.Struct, frozen=True, kw_only=True):
    """What only the owner of a bot is told."""

    url: str | None
    """Of a push bot."""
    reason: str | None
    """What was wrong when the arena last looked whether it is alive."""
    failures: Annotated[int, Meta(ge=0)]
    """How many looks in a row have failed. After 3 it is disabled, and enabled again after 2 that have not."""
    passed: str | None
    """The version that passed the checks."""
    two_secrets: bool
    """Whether requests are still signed with the previous secret too."""


class Bot(BotSummary, frozen=True, kw_only=True):
    """A registered bot, and with the key of its owner what only they are told."""

    info: BotInfo | None
    """What it tells of itself."""
    own: OwnBot | None
    """Nothing for anybody but the owner."""


class BotRegistered(msgspec.Struct, frozen=True):
    """A bot of yours, and the secret that it shares with the arena."""

    bot: Bot
    secret: Secret | None
    """Of a push bot: its requests are signed with it, and it proves with it that it is yours. It is shown only here."""


class NewSecret(msgspec.Struct, frozen=True):
    """The secret that requests to the bot are signed with from now on, beside the one before."""

    secret: Secret
    """It is shown only here."""


class BotPage(msgspec.Struct, frozen=True):
    """Registered bots, the newest first."""

    bots: list[BotSummary]
    next: Id | None
    """The `cursor` of the next page; nothing on the last one."""


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
    """As everybody, or the owner, may see it."""
    summary = msgspec.structs.asdict(bot_summary(bot, owner))
    return Bot(**summary, info=bot.info, own=_own(bot) if own else None)


def _own(bot: Registered) -> OwnBot:
    return OwnBot(
        url=bot.url,
        reason=bot.reason,
        failures=bot.failures,
        passed=bot.passed,
        two_secrets=bot.secrets is not None and bot.secrets.previous is not None,
    )


class BotProblem(msgspec.Struct, frozen=True, kw_only=True):
    """The problem (RFC 9457) with which a bot refuses a request. The arena looks at the status only."""

    status: int
    title: str
    detail: str = ""
    code: str = ""
    type: str = "about:blank"
