"""The events that webhooks receive: one row per event."""

from typing import Literal

import msgspec

from splito_arena.match.messages import ChallengeMet
from splito_service.webhooks.model import Event
from splito_service.webhooks.schemas import (
    BlockRatedEvent,
    BotDisabledEvent,
    BotFailingEvent,
    HookChallengeEvent,
    MatchFinishedEvent,
    TournamentChangedEvent,
    TournamentFinishedEvent,
)


class ToldEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event that webhooks receive: its operation, texts and types."""

    id: str
    event: Event | Literal["hook.challenge"]
    summary: str
    description: str
    body: type[msgspec.Struct]
    answer: type[msgspec.Struct] | None = None
    """Type of the answer that the receiver must send; None if the body of the answer is ignored."""

    @property
    def webhook(self) -> str:
        """Return its name in the document of the service: `hookMatchFinished`, `hookChallenge`."""
        return f"hook{self.event.removeprefix('hook.').title().replace('.', '')}"


TOLD = (
    ToldEvent(
        id="meetHookChallenge",
        event="hook.challenge",
        summary="Prove that the receiver knows the secret",
        description="Sent by `POST /v1/hooks/{hook}/proof`, signed like every event. Answer with the HMAC of the"
        " challenge by the secret of the hook. The arena sends no event to the address before that.",
        body=HookChallengeEvent,
        answer=ChallengeMet,
    ),
    ToldEvent(
        id="noteMatchFinished",
        event="match.finished",
        summary="A match of a tournament is over",
        description="Sent to the organiser when all matches of the block are over.",
        body=MatchFinishedEvent,
    ),
    ToldEvent(
        id="noteBlockRated",
        event="block.rated",
        summary="A block has changed ratings",
        description="Sent to the organiser of a ranked tournament.",
        body=BlockRatedEvent,
    ),
    ToldEvent(
        id="noteTournamentChanged",
        event="tournament.changed",
        summary="Sign-up or play of a tournament has begun",
        description="Sent to the organiser of a tournament with `starts`, also when a series creates it. One that"
        " cannot start is cancelled, as `tournament.finished` tells.",
        body=TournamentChangedEvent,
    ),
    ToldEvent(
        id="noteTournamentFinished",
        event="tournament.finished",
        summary="A tournament or experiment is over",
        description="Sent to the organiser, also when the tournament was cancelled. The results stay at its address.",
        body=TournamentFinishedEvent,
    ),
    ToldEvent(
        id="noteBotFailing",
        event="bot.failing",
        summary="A bot has begun to fail",
        description="Sent to the owner of the bot, once: a house bot took over its seat, or it failed a whole check.",
        body=BotFailingEvent,
    ),
    ToldEvent(
        id="noteBotDisabled",
        event="bot.disabled",
        summary="A bot was disabled",
        description="Sent to the owner of the bot, which did not answer the health checks of the arena.",
        body=BotDisabledEvent,
    ),
)
