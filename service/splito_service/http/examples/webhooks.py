"""Examples of hooks: a hook of Ada, and events about her tournament and her bot."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from splito_arena.bots.push_client import proof
from splito_arena.match.messages import Challenge, ChallengeMet
from splito_engine.game import AnyGame
from splito_service.bots.schemas import NewSecret
from splito_service.http.examples.bots import FAILING, LOST
from splito_service.http.examples.example import EXAMPLE_BLOCK, EXAMPLE_ID, Examples, Json, one, plain
from splito_service.http.examples.owners import ADA
from splito_service.ids import created
from splito_service.schemas import EXAMPLE_SECRET
from splito_service.signing_secrets import Secrets
from splito_service.webhooks.model import PAUSES, PROOF_MS, Logged, SeenHook, StoredHook, Try, event_id
from splito_service.webhooks.schemas import (
    BlockRated,
    BlockRatedEvent,
    BotDisabled,
    BotDisabledEvent,
    BotFailing,
    BotFailingEvent,
    DeliveryPage,
    HookChallengeEvent,
    HookChange,
    HookCreated,
    HookList,
    MatchFinished,
    MatchFinishedEvent,
    NewHook,
    RatedBot,
    TournamentChanged,
    TournamentChangedEvent,
    TournamentFinished,
    TournamentFinishedEvent,
    Winner,
    delivery_of,
    delivery_summary,
    hook_of,
)

URL = "https://ada.example/arena"
MARVIN, GREEDY = f"{EXAMPLE_ID}@1.2.0", "greedy@1.0"
WHEN = created(EXAMPLE_ID)
BEGUN = int(1000 * WHEN.timestamp())
HOOK = StoredHook(
    id=EXAMPLE_ID,
    owner=ADA.id,
    url=URL,
    events=("match.finished", "tournament.finished"),
    secrets=Secrets(EXAMPLE_SECRET),
    note="my leaderboard",
)
EXAMPLE_CHALLENGE = "example-example-example-example-example-exa"
REFUSED = "the connection was refused"
DISABLED = replace(HOOK, enabled=False, reason=f"5 deliveries in a row given up: {REFUSED}", failures=5)
NEWS = TournamentChanged(
    tournament=EXAMPLE_ID,
    name="Ada's cup",
    game="splito",
    state="open",
    series=None,
    opens=WHEN,
    starts=WHEN + timedelta(hours=1),
    bots=0,
)

EVENTS: dict[str, Any] = {
    "hook.challenge": HookChallengeEvent(timestamp=WHEN, data=Challenge(EXAMPLE_CHALLENGE)),
    "match.finished": MatchFinishedEvent(
        timestamp=WHEN,
        data=MatchFinished(
            tournament=EXAMPLE_ID,
            block=EXAMPLE_BLOCK,
            match=EXAMPLE_ID,
            game="splito",
            bots=[MARVIN, GREEDY, GREEDY],
            scores=[[21, 2], [17, 3], [17, 3]],
            places=[1, 2.5, 2.5],
            faults=[[], ["time-out"], []],
            replaced=[False, False, False],
        ),
    ),
    "block.rated": BlockRatedEvent(
        timestamp=WHEN,
        data=BlockRated(
            tournament=EXAMPLE_ID,
            block=EXAMPLE_BLOCK,
            game="splito",
            players=2,
            bots=[
                RatedBot(bot=MARVIN, place=1.25, mean=27.63, sigma=8.07),
                RatedBot(bot=GREEDY, place=1.75, mean=22.37, sigma=8.07),
            ],
        ),
    ),
    "tournament.finished": TournamentFinishedEvent(
        timestamp=WHEN,
        data=TournamentFinished(
            tournament=EXAMPLE_ID,
            kind="tournament",
            name="Ada's cup",
            game="splito",
            state="finished",
            reason=None,
            blocks=120,
            winners=[Winner(bot=EXAMPLE_ID, name="Marvin")],
        ),
    ),
    "tournament.changed": TournamentChangedEvent(timestamp=WHEN, data=NEWS),
    "bot.failing": BotFailingEvent(
        timestamp=WHEN, data=BotFailing(bot=EXAMPLE_ID, name="Marvin", version="1.2.0", reason=FAILING)
    ),
    "bot.disabled": BotDisabledEvent(
        timestamp=WHEN, data=BotDisabled(bot=EXAMPLE_ID, name="Marvin", version="1.2.0", reason=LOST)
    ),
}
FIRST = Try(at=BEGUN + 400, status=None, elapsed_ms=1.2, error=REFUSED, response="")
SECOND = Try(at=FIRST.at + PAUSES[0], status=204, elapsed_ms=8.4, error=None, response="")
WAITING = Logged(
    id=EXAMPLE_ID,
    message=event_id("match.finished", EXAMPLE_ID),
    event="match.finished",
    put=BEGUN,
    state="waiting",
    due=SECOND.at,
    tried=1,
    tries=(FIRST,),
    body=msgspec.json.encode(EVENTS["match.finished"]),
)
DELIVERED = replace(WAITING, state="delivered", due=None, tried=2, tries=(FIRST, SECOND))


def create_hook(_: Sequence[AnyGame]) -> Examples:
    new = replace(HOOK, proved=False)
    created = hook_of(SeenHook(new, 0, 0, BEGUN + PROOF_MS))
    return Examples(
        body=one("hook", "A hook for two kinds of events", NewHook(URL, list(HOOK.events), HOOK.note)),
        answer=one("hook", "The hook and its secret", HookCreated(created, EXAMPLE_SECRET)),
    )


def list_hooks(_: Sequence[AnyGame]) -> Examples:
    shown = hook_of(SeenHook(HOOK, 1, 0))
    return Examples(one("one", "One hook", HookList([shown])))


def get_hook(_: Sequence[AnyGame]) -> Examples:
    shown = hook_of(SeenHook(HOOK, 1, 0))
    return Examples(
        one("fine", "A working hook", shown) | one("disabled", "A disabled hook", hook_of(SeenHook(DISABLED, 1000, 17)))
    )


def change_hook(_: Sequence[AnyGame]) -> Examples:
    shown = hook_of(SeenHook(HOOK, 1, 0))
    return Examples(
        body=one("enabled", "Enable the hook again", HookChange(URL, list(HOOK.events), HOOK.note)),
        answer=one("hook", "The hook after the change", shown),
    )


def prove_hook(_: Sequence[AnyGame]) -> Examples:
    shown = hook_of(SeenHook(HOOK, 1, 0))
    return Examples(one("proved", "The proved hook", shown))


def rotate_hook_secret(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("secret", "The new secret", NewSecret(EXAMPLE_SECRET)))


def list_deliveries(_: Sequence[AnyGame]) -> Examples:
    return Examples(
        one("page", "Delivered at the second try", DeliveryPage([delivery_summary(EXAMPLE_ID, DELIVERED)], None))
    )


def get_delivery(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("delivered", "Delivered at the second try", delivery_of(EXAMPLE_ID, DELIVERED)))


def create_redelivery(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("waiting", "The event is sent again", delivery_of(EXAMPLE_ID, replace(WAITING, due=BEGUN))))


MET: Json = one("met", "The proof by the secret of the hook", ChallengeMet(proof(EXAMPLE_SECRET, EXAMPLE_CHALLENGE)))


def told(event: str) -> Json:
    """Return the example of an event that a webhook gets."""
    return {"event": {"summary": f"`{event}`", "value": plain(EVENTS[event])}}
