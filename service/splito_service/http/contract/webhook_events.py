"""The events that webhooks receive: one row per event."""

from typing import Literal

import msgspec

from splito_arena.match.messages import ChallengeMet
from splito_service.webhooks.model import Event
from splito_service.webhooks.schemas import (
    BlockRatedEvent,
    BotDisabledEvent,
    HookChallengeEvent,
    MatchFinishedEvent,
    TournamentFinishedEvent,
)


class ToldEvent(msgspec.Struct, frozen=True, kw_only=True):
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
        summary="Do you know the secret of this hook?",
        description="Sent by `POST /v1/hooks/{hook}/proof`, signed as every event is. Answer with the HMAC of the"
        " challenge by the secret of the hook; before that, nothing else is sent to the address.",
        body=HookChallengeEvent,
        answer=ChallengeMet,
    ),
    ToldEvent(
        id="noteMatchFinished",
        event="match.finished",
        summary="A match of a tournament is over",
        description="For the organiser, when all matches of its block are.",
        body=MatchFinishedEvent,
    ),
    ToldEvent(
        id="noteBlockRated",
        event="block.rated",
        summary="A block has moved ratings",
        description="For the organiser of a ranked tournament.",
        body=BlockRatedEvent,
    ),
    ToldEvent(
        id="noteTournamentFinished",
        event="tournament.finished",
        summary="A tournament or experiment is over",
        description="For the organiser, also when it was cancelled. Its results can be read where it was.",
        body=TournamentFinishedEvent,
    ),
    ToldEvent(
        id="noteBotDisabled",
        event="bot.disabled",
        summary="A bot was disabled",
        description="For its owner: it did not answer when the arena looked.",
        body=BotDisabledEvent,
    ),
)
