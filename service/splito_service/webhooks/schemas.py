"""Request and response schemas of webhooks, their events and their deliveries."""

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
    """A finished match of one of your tournaments or experiments, sent when all matches of its block are over."""

    tournament: Id
    block: BlockId
    match: Id
    game: str
    bots: list[VersionId]
    """Bot versions by seat. The following lists are by seat too."""
    scores: list[Points]
    places: list[float]
    """Places from 1. Seats that share a place get the mean of the places they fill."""
    faults: list[list[str]]
    """Codes of the faults of each seat."""
    replaced: list[bool]
    """True for a seat where a house bot replaced the bot."""


class RatedBot(msgspec.Struct, frozen=True, kw_only=True):
    """The rating of a bot after the block."""

    bot: VersionId
    place: float
    """Mean place of the bot in the block."""
    mean: float
    sigma: Annotated[float, Meta(ge=0)]
    """Uncertainty of the rating: its standard deviation."""


class BlockRated(msgspec.Struct, frozen=True, kw_only=True):
    """A rated block of one of your tournaments, with the new ratings of its bots."""

    tournament: Id
    block: BlockId
    game: str
    players: Annotated[int, Meta(ge=1)]
    """Number of players at the table. Ratings are separate for each number of players."""
    bots: list[RatedBot]


class Winner(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that has won a tournament."""

    bot: str
    """Id of a registered bot, or name of a house bot."""
    name: str


class TournamentFinished(msgspec.Struct, frozen=True, kw_only=True):
    """One of your tournaments or experiments that is over. Its results can be read."""

    tournament: Id
    kind: Literal["tournament", "experiment"]
    name: str
    game: str
    state: Literal["finished", "cancelled"]
    reason: str | None
    """Reason of the end; null if there is none to give."""
    blocks: Count
    """Number of blocks that were played."""
    winners: list[Winner] = []
    """Winner by the rules of the format; several if they share the first place. Empty for an experiment, a ladder, a
    tournament that was cancelled, and one in which nothing was played.
    """


class TournamentChanged(msgspec.Struct, frozen=True, kw_only=True):
    """One of your tournaments with sign-up that takes bots now, or that has begun."""

    tournament: Id
    name: str
    game: str
    state: Literal["open", "running"]
    """`open` when bots can be entered, `running` when play has begun."""
    series: Id | None
    """Id of its series; null for a single tournament."""
    opens: Moment
    """Time at which sign-up began."""
    starts: Moment
    """Time at which play was to begin."""
    bots: Count
    """Number of bots that have entered."""


class BotDisabled(msgspec.Struct, frozen=True, kw_only=True):
    """One of your bots that failed its health checks. It does not play until it answers again."""

    bot: Id
    name: str
    version: str | None
    reason: str


class BotFailing(msgspec.Struct, frozen=True, kw_only=True):
    """One of your bots that began to fail: a house bot took over its seat, or it failed a check. It still plays."""

    bot: Id
    name: str
    version: str | None
    reason: str


class MatchFinishedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="match.finished"):
    """Event: a match is over."""

    timestamp: Moment
    """Time of the event, the same in every try."""
    data: MatchFinished


class BlockRatedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="block.rated"):
    """Event: a block has been rated."""

    timestamp: Moment
    """Time of the event, the same in every try."""
    data: BlockRated


class TournamentFinishedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="tournament.finished"):
    """Event: a tournament or experiment is over."""

    timestamp: Moment
    """Time of the event, the same in every try."""
    data: TournamentFinished


class BotDisabledEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="bot.disabled"):
    """Event: a bot was disabled."""

    timestamp: Moment
    """Time of the event, the same in every try."""
    data: BotDisabled


class TournamentChangedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="tournament.changed"):
    """Event: sign-up or play of a tournament has begun."""

    timestamp: Moment
    """Time of the event, the same in every try."""
    data: TournamentChanged


class BotFailingEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="bot.failing"):
    """Event: a bot has begun to fail."""

    timestamp: Moment
    """Time of the event, the same in every try."""
    data: BotFailing


class HookChallengeEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hook.challenge"):
    """Challenge to the address of a hook. Its answer shows that the receiver knows the secret of the hook."""

    timestamp: Moment
    """Time at which the challenge was sent."""
    data: Challenge


class NewHook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to create a hook: an address that gets events."""

    url: Url
    """Address that the arena sends events to, with POST."""
    events: Events
    """Kinds of events to send. You get the events of your own tournaments, experiments and bots only."""
    note: Note = ""
    """Note for yourself about the purpose of the hook."""


class HookChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to change a hook. It contains the new values of all fields."""

    url: Url
    events: Events
    note: Note = ""
    enabled: bool = True
    """False to stop events.

    Waiting deliveries are kept for at most a week. A hook with a new address has to prove itself again before it gets
    events.
    """


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A hook: an address that gets events."""

    id: Id
    url: str
    events: list[Event]
    note: Note
    created: Moment
    enabled: bool
    reason: str | None
    """Reason for which the arena disabled the hook; null if it did not."""
    proved: bool
    """True if the address has answered the challenge. A hook gets no events before."""
    expires: Moment | None
    """Time at which the hook is deleted unless it proves itself; null if it is proved."""
    failures: Count
    """Number of failed deliveries in a row. After 5 the hook is disabled."""
    waiting: Count
    """Number of deliveries that wait for their first or next try."""
    dropped: Count
    """Number of events that were dropped because 1,000 deliveries waited for the hook."""
    two_secrets: bool
    """True while deliveries are also signed with the previous secret."""


class HookCreated(msgspec.Struct, frozen=True):
    """A new hook, and the secret that its deliveries are signed with."""

    hook: Hook
    secret: Secret
    """The secret. It is shown only here."""


class HookList(msgspec.Struct, frozen=True):
    """Your hooks, oldest first."""

    hooks: list[Hook]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try to deliver an event."""

    at: Moment
    status: int | None
    """HTTP status of the answer; null if none arrived."""
    elapsed_ms: float
    error: str | None
    """Reason of the failure; null if the delivery was accepted."""
    response: str
    """Beginning of the answer, at most 1,000 bytes."""


class DeliverySummary(msgspec.Struct, frozen=True, kw_only=True):
    """The delivery of an event to a hook."""

    id: Id
    message: str
    """The `webhook-id` of the delivery: the id of the hook, an underscore, and the id of the event, which is the same
    for every hook. It is the same in every try.
    """
    event: Event
    created: Moment
    state: DeliveryState
    """`waiting` until the delivery is accepted (`delivered`) or given up (`failed`)."""
    due: Moment | None
    """Time of the next try; null if there is none."""
    tries: Count
    """Number of tries so far."""
    last: Attempt | None
    """The last try; null before the first."""


class Delivery(DeliverySummary, frozen=True, kw_only=True):
    """The delivery of an event to a hook, with its body and its tries."""

    attempts: list[Attempt]
    """The last 10 tries, in order."""
    body: str
    """The body that is sent, byte for byte."""


class DeliveryPage(msgspec.Struct, frozen=True):
    """A page of deliveries that have been tried, newest first."""

    deliveries: list[DeliverySummary]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


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
