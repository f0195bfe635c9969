"""What owners can ask of the service about their hooks, and what hooks are told: one row per operation and event."""

from typing import Literal

import msgspec

from splito_arena.match.messages import ChallengeMet
from splito_service.bots.schemas import NewSecret
from splito_service.http.contract.operations import BODY, Link, Operation
from splito_service.http.contract.owner_operations import KEY
from splito_service.webhooks.schemas import (
    BlockRatedEvent,
    BotDisabledEvent,
    Delivery,
    DeliveryPage,
    Hook,
    HookChallengeEvent,
    HookChange,
    HookCreated,
    HookList,
    MatchFinishedEvent,
    NewHook,
    TournamentFinishedEvent,
)
from splito_service.webhooks.store import Event

HOOK = (*KEY, "unknown-hook")

_CREATED = {"hook": "$response.body#/hook/id"}
_SHOWN = {"hook": "$response.body#/id"}
_LISTED = {"hook": "$response.body#/hooks/0/id"}
_LOGGED = {"hook": "$request.path.hook", "delivery": "$response.body#/deliveries/0/id"}
_READ = {"hook": "$request.path.hook", "delivery": "$response.body#/id"}

OF_HOOKS = (
    Operation(
        id="createHook",
        call="POST /v1/hooks",
        summary="Have an address told of events",
        description="Once the address has proved itself, each event of these kinds is sent there as a POST, signed as"
        " requests to bots are; see the webhooks `hookMatchFinished` and so on. A hook that does not prove itself in 24"
        " hours is deleted. The secret is shown here and never again. Your key needs the scope `play`, as for all"
        " that is done with hooks.",
        body=NewHook,
        status=201,
        answer=HookCreated,
        headers=("Location",),
        codes=(*BODY, *KEY, "bad-name", "bad-address", "no-room"),
        links=(
            Link("getHook", _CREATED),
            Link("proveHook", _CREATED),
            Link("changeHook", _CREATED),
            Link("rotateHookSecret", _CREATED),
            Link("settleHookSecret", _CREATED),
            Link("listDeliveries", _CREATED),
            Link("deleteHook", _CREATED),
        ),
    ),
    Operation(
        id="listHooks",
        call="GET /v1/hooks",
        summary="List your hooks",
        description="At most 10, the oldest first.",
        answer=HookList,
        codes=KEY,
        links=(Link("getHook", _LISTED), Link("listDeliveries", _LISTED)),
    ),
    Operation(
        id="getHook",
        call="GET /v1/hooks/{hook}",
        summary="Look at a hook",
        description="What it is told, how much waits for it, and why the arena has disabled it, if it has.",
        parameters=("hook",),
        answer=Hook,
        codes=HOOK,
        links=(Link("changeHook", _SHOWN), Link("listDeliveries", _SHOWN)),
    ),
    Operation(
        id="changeHook",
        call="PUT /v1/hooks/{hook}",
        summary="Change a hook",
        description="Its address, what it is told, and whether it is. At another address it has to prove itself again,"
        " within 24 hours, and is told nothing before; what waits then goes there. To enable it forgets what was given"
        " up before.",
        parameters=("hook",),
        body=HookChange,
        answer=Hook,
        codes=(*BODY, *HOOK, "bad-name", "bad-address"),
        links=(Link("getHook", _SHOWN),),
    ),
    Operation(
        id="deleteHook",
        call="DELETE /v1/hooks/{hook}",
        summary="Delete a hook",
        description="It is told nothing more, and its log is gone.",
        parameters=("hook",),
        status=204,
        codes=HOOK,
    ),
    Operation(
        id="proveHook",
        call="POST /v1/hooks/{hook}/proof",
        summary="Have a hook prove itself",
        description="The arena sends a challenge to its address (the webhook `hookChallenge`) that only a receiver who"
        " knows the secret of the hook can meet. If it is met, the hook is told events from then on; if not, `detail`"
        " says what happened. At most 10 challenges a minute are sent for one owner, and to one address.",
        parameters=("hook",),
        answer=Hook,
        codes=(*HOOK, "not-proved", "lookup-failed"),
        links=(Link("getHook", _SHOWN),),
    ),
    Operation(
        id="rotateHookSecret",
        call="POST /v1/hooks/{hook}/secret",
        summary="Change the secret of a hook",
        description="Deliveries are signed with the new secret and with the one before, so that nothing is missed while"
        " you change over. The new one is shown here and never again.",
        parameters=("hook",),
        status=201,
        answer=NewSecret,
        codes=HOOK,
    ),
    Operation(
        id="settleHookSecret",
        call="DELETE /v1/hooks/{hook}/secret",
        summary="Give up the previous secret of a hook",
        description="Deliveries are signed with the newest secret only. If there is no other, nothing changes.",
        parameters=("hook",),
        status=204,
        codes=HOOK,
    ),
    Operation(
        id="listDeliveries",
        call="GET /v1/hooks/{hook}/deliveries",
        summary="Read the log of a hook",
        description="What was sent there and how it went: the last 100 deliveries of 7 days and those that are tried"
        " again, the newest first, page by page. A page may have fewer than `limit` and still a `next`.",
        parameters=("hook", "cursor", "limit"),
        answer=DeliveryPage,
        codes=("bad-request", *HOOK),
        links=(Link("getDelivery", _LOGGED), Link("createRedelivery", _LOGGED)),
    ),
    Operation(
        id="getDelivery",
        call="GET /v1/hooks/{hook}/deliveries/{delivery}",
        summary="Read a delivery",
        description="What is sent, to the byte, and how each try went.",
        parameters=("hook", "delivery"),
        answer=Delivery,
        codes=(*HOOK, "unknown-delivery"),
        links=(Link("createRedelivery", _READ),),
    ),
    Operation(
        id="createRedelivery",
        call="POST /v1/hooks/{hook}/deliveries/{delivery}/redelivery",
        summary="Send something again",
        description="At once, with the same id and to the byte the same, and with as many tries as at first; also what"
        " was taken before. While the hook is not enabled, it waits.",
        parameters=("hook", "delivery"),
        status=202,
        answer=Delivery,
        codes=(*HOOK, "unknown-delivery", "no-room", "not-proved"),
        links=(Link("getDelivery", _READ),),
    ),
)


class ToldEvent(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    event: Event | Literal["hook.challenge"]
    summary: str
    description: str
    body: type[msgspec.Struct]
    answer: type[msgspec.Struct] | None = None
    """What must be answered; None if the body of an answer is not looked at."""

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
