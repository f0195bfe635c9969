"""What travels about hooks: where they are, what they are told, and how each delivery went."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from splito_arena.match.messages import Challenge, Moment, Points
from splito_arena.net.signing import addressed
from splito_service.ids import created, moment
from splito_service.schemas import BlockId, Count, Id, Note, Secret, Url, VersionId
from splito_service.webhooks.model import EVENTS, DeliveryState, Event, Logged, SeenHook

Events: TypeAlias = Annotated[list[Event], Meta(min_length=1, max_length=len(EVENTS))]


class MatchFinished(msgspec.Struct, frozen=True, kw_only=True):
    """A match of one of your tournaments or experiments, told when all matches of its block are over."""

    tournament: Id
    block: BlockId
    match: Id
    game: str
    bots: list[VersionId]
    """By seat, as all that follows."""
    scores: list[Points]
    places: list[float]
    """From 1; who share a place have the mean of those that they fill."""
    faults: list[list[str]]
    """Their codes."""
    replaced: list[bool]
    """Whether somebody of the house played on."""


class RatedBot(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot is rated at after the block."""

    bot: VersionId
    place: float
    """In the mean of the block."""
    mean: float
    sigma: Annotated[float, Meta(ge=0)]
    """How unsure that is."""


class BlockRated(msgspec.Struct, frozen=True, kw_only=True):
    """A block of one of your tournaments has moved the ratings of its bots."""

    tournament: Id
    block: BlockId
    game: str
    players: Annotated[int, Meta(ge=1)]
    """At the table: ratings are kept apart by how many there are."""
    bots: list[RatedBot]


class TournamentFinished(msgspec.Struct, frozen=True, kw_only=True):
    """One of your tournaments or experiments is over; its results can be read."""

    tournament: Id
    kind: Literal["tournament", "experiment"]
    name: str
    game: str
    state: Literal["finished", "cancelled"]
    reason: str | None
    """Why, if there is more to say."""
    blocks: Count
    """That were played."""


class BotDisabled(msgspec.Struct, frozen=True, kw_only=True):
    """One of your bots did not answer when the arena looked, and plays no more until it does."""

    bot: Id
    name: str
    version: str | None
    reason: str


class MatchFinishedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match.finished"):
    """A match is over."""

    timestamp: Moment
    """When it happened: the same in every try."""
    data: MatchFinished


class BlockRatedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="block.rated"):
    """A block has been rated."""

    timestamp: Moment
    """When it happened: the same in every try."""
    data: BlockRated


class TournamentFinishedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="tournament.finished"):
    """A tournament or experiment is over."""

    timestamp: Moment
    """When it happened: the same in every try."""
    data: TournamentFinished


class BotDisabledEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="bot.disabled"):
    """A bot was disabled."""

    timestamp: Moment
    """When it happened: the same in every try."""
    data: BotDisabled


class HookChallengeEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hook.challenge"):
    """A challenge that the address of a hook answers to show that it knows the secret of the hook."""

    timestamp: Moment
    """When it was sent."""
    data: Challenge


class NewHook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An address that wants to be told of events."""

    url: Url
    """Called as it is, with POST."""
    events: Events
    """Which. You are told of your own tournaments, experiments and bots, and of nobody else's."""
    note: Note = ""
    """To remember what it is for."""


class HookChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hook as it shall be from now on."""

    url: Url
    events: Events
    note: Note = ""
    enabled: bool = True
    """While it is not, it is told nothing; what waits for it waits, for a week at most. At another address it has to
    prove itself again before it is told anything."""


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """An address that is told of events."""

    id: Id
    url: str
    events: list[Event]
    note: Note
    created: Moment
    enabled: bool
    reason: str | None
    """Why the arena has disabled it."""
    proved: bool
    """Whether its address has met the challenge; until then it is told nothing."""
    expires: Moment | None
    """When it is deleted unless it proves itself; nothing if it has."""
    failures: Count
    """How many deliveries in a row were given up. After 5 it is disabled."""
    waiting: Count
    """Deliveries that wait to be made, or to be tried again."""
    dropped: Count
    """Events that it was never told, because 1,000 deliveries waited for it."""
    two_secrets: bool
    """Whether deliveries are still signed with the previous secret too."""


class HookCreated(msgspec.Struct, frozen=True):
    """A new hook, and the secret that its deliveries are signed with."""

    hook: Hook
    secret: Secret
    """It is shown only here."""


class HookList(msgspec.Struct, frozen=True):
    """Your hooks, the oldest first."""

    hooks: list[Hook]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try to make a delivery."""

    at: Moment
    status: int | None
    """Nothing if no answer came."""
    elapsed_ms: float
    error: str | None
    """What was wrong; nothing if the delivery was taken."""
    response: str
    """How the answer begins: at most 1,000 bytes of it."""


class DeliverySummary(msgspec.Struct, frozen=True, kw_only=True):
    """An event on its way to a hook."""

    id: Id
    message: str
    """Its `webhook-id`: the id of the hook, an underscore, and the id of the event, which is the same for every hook.
    It is the same in every try."""
    event: Event
    created: Moment
    state: DeliveryState
    """`waiting` until it is taken (`delivered`) or given up (`failed`)."""
    due: Moment | None
    """When it is tried next."""
    tries: Count
    """How many there were."""
    last: Attempt | None
    """The last of them."""


class Delivery(DeliverySummary, frozen=True, kw_only=True):
    """An event on its way to a hook, and all that was tried."""

    attempts: list[Attempt]
    """The last 10, in order."""
    body: str
    """What is sent, to the byte."""


class DeliveryPage(msgspec.Struct, frozen=True):
    """Deliveries that have been tried, the newest first."""

    deliveries: list[DeliverySummary]
    next: Id | None
    """The `cursor` of the next page; nothing on the last one."""


def hook_of(seen: SeenHook) -> Hook:
    hook = seen.hook
    return Hook(
        id=hook.id,
        url=hook.url,
        events=list(hook.events),
        note=hook.note,
        created=hook.created,
        enabled=hook.enabled,
        reason=hook.reason,
        proved=hook.proved,
        expires=None if seen.expires is None else moment(seen.expires),
        failures=hook.failures,
        waiting=seen.waiting,
        dropped=seen.dropped,
        two_secrets=hook.secrets.previous is not None,
    )


def delivery_summary(hook: str, logged: Logged) -> DeliverySummary:
    attempts = _attempts(logged)
    return DeliverySummary(
        id=logged.id,
        message=addressed(hook, logged.message),
        event=logged.event,
        created=created(logged.id),
        state=logged.state,
        due=None if logged.due is None else moment(logged.due),
        tries=logged.tried,
        last=attempts[-1] if attempts else None,
    )


def delivery_of(hook: str, logged: Logged) -> Delivery:
    summary = msgspec.structs.asdict(delivery_summary(hook, logged))
    return Delivery(**summary, attempts=_attempts(logged), body=logged.body.decode())


def _attempts(logged: Logged) -> list[Attempt]:
    return [
        Attempt(
            at=moment(tried.at),
            status=tried.status,
            elapsed_ms=tried.elapsed_ms,
            error=tried.error,
            response=tried.response,
        )
        for tried in logged.tries
    ]
