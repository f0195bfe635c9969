"""Calls of the HTTP client, and their outcomes: the body of the reply, or the code of the fault."""

import time

from splito_arena.faults import Fault
from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target
from splito_arena.net.http_response import Reply
from tests.arena.net.servers import LONG

SHORT = 0.2


async def post(caller: Caller, target: Target, body: bytes = b"{}", seconds: float = LONG) -> Reply:
    return await caller.post(target, body, {"X-Match": "1"}, time.monotonic() + seconds)


async def outcome(caller: Caller, target: Target, body: bytes = b"{}", seconds: float = LONG) -> str | bytes:
    """The code of the fault, or the body of the reply."""
    try:
        return (await post(caller, target, body, seconds)).body
    except Fault as fault:
        return fault.code
