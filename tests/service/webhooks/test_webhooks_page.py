"""docs/webhooks.md shows code that works, real events and the limits that the service applies."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from standardwebhooks import WebhookVerificationError

from splito_arena.net.http_response import BODY_LIMIT
from splito_service.storage.client import Link
from splito_service.tournaments.announce import Announcer
from splito_service.webhooks.delivery import FAILURES as FAILURES_IN_A_ROW
from splito_service.webhooks.delivery import LIMIT
from splito_service.webhooks.delivery_store import MOST_LOGGED, MOST_TRIES, REST
from splito_service.webhooks.model import EVENTS, PAUSES, PROOF_MS, PROOFS
from splito_service.webhooks.schemas import (
    HookChallengeEvent,
    TournamentFinishedEvent,
)
from splito_service.webhooks.store import MOST_HOOKS, MOST_WAITING, WEEK, Outbox
from tests.service.pushed import PushBot
from tests.service.webhooks.owned_hooks import OwnHook, a_tournament

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text("utf-8")


@pytest.mark.anyio
async def test_the_receiver_on_the_page_verifies_and_deduplicates_events(
    hook: OwnHook, told: PushBot, outside: Link
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    program: dict[str, Any] = {}
    exec(code, program)  # noqa: S102 (our own)
    await Announcer(Outbox(outside)).tournament_ended(a_tournament(hook.owner), 12)
    hook.deliveries()
    (called,) = told.called
    assert program["receive"](hook.secret, called.headers, called.body) == msgspec.json.decode(called.body)
    assert program["receive"](hook.secret, called.headers, called.body) is None
    with pytest.raises(WebhookVerificationError):
        program["receive"](hook.secret, called.headers, called.body + b" ")


def test_the_page_shows_real_events_and_lists_every_event_type() -> None:
    challenge, _, shown = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert msgspec.json.decode(challenge, type=HookChallengeEvent).data.challenge
    assert msgspec.json.decode(shown, type=TournamentFinishedEvent).data.blocks == 120
    assert re.findall(r"^\| `([a-z.]+)` \|", PAGE, re.MULTILINE) == [*EVENTS]


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    words = " ".join(PAGE.split())
    for said in (
        f"at most {MOST_HOOKS} webhooks",
        f"has not proved itself {PROOF_MS // 3_600_000} hours after",
        f"at most {PROOFS} a minute are sent",
        f"with 2xx within {LIMIT:g} seconds",
        f"{BODY_LIMIT:,} bytes of body",
        f"left alone for {REST // 1000} s",
        f"after {FAILURES_IN_A_ROW} deliveries in a row",
        f"At most {MOST_WAITING:,} deliveries wait",
        f"the last {MOST_LOGGED} deliveries of {WEEK // 86_400} days, and of each the last {MOST_TRIES} tries",
        "after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h",
    ):
        assert said in words
    assert [pause // 1000 for pause in PAUSES] == [5, 30, 2 * 60, 10 * 60, 3600, 6 * 3600]
