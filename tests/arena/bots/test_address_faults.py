"""A bot that does not answer at its address is explained with the cause and the next step."""

from typing import NamedTuple

import pytest

from splito_arena.bots.address_faults import explained
from splito_arena.faults import FAULTS


class Case(NamedTuple):
    code: str
    detail: str
    is_signed: bool
    cause: str
    advice: str


CASES = {
    "missing secret": Case("bad-status", "401", False, "a request without a signature (401)", "SPLITO_BOT_SECRET"),
    "wrong secret": Case("bad-status", "401", True, "refuses the signature of the request (401)", "--secret whsec_..."),
    "refused by a proxy": Case("bad-status", "403", True, "refuses the signature of the request (403)", "--secret"),
    "a service": Case("bad-status", "404", True, "has no such path (404)", "a service is no bot"),
    "wrong port": Case("refused", "", False, "no program listens at 127.0.0.1, port 8002", "--port 8002"),
    "broken bot": Case("bad-status", "500", False, "the status is not 200: 500", FAULTS["bad-status"].advice),
    "silent bot": Case("time-out", "nothing within 5 s", False, "nothing within 5 s", FAULTS["time-out"].advice),
}


@pytest.mark.parametrize("name", CASES)
def test_the_cause_and_the_next_step_are_named(name: str) -> None:
    case = CASES[name]
    said = explained("http://127.0.0.1:8002", case.code, case.detail, is_signed=case.is_signed)
    assert case.cause in said.cause
    assert case.advice in said.advice
