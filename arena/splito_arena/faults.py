"""What a bot can do wrong, and what becomes of it.

Every fault costs the same: the default move is played for that turn, and the fault is counted. So no kind of failing
pays better than another, and none better than answering. What goes wrong on our side is never a `Fault`.
"""

from typing import NamedTuple

import msgspec

from splito_engine.player import MAX_DEBUG


class Kind(NamedTuple):
    meaning: str
    """To the bot's owner."""
    advice: str
    """What to do about it."""
    again: bool = False
    """Whether the bot is asked once more, out of the time that is left: told why, if it had answered."""


FAULTS = {
    "time-out": Kind("no complete answer in time", "answer within `time.allowed_ms`, or play faster than you think"),
    "refused": Kind("the connection was refused", "keep the bot running at its address", again=True),
    "reset": Kind(
        "the connection was closed before the answer was complete", "send Content-Length, then close", again=True
    ),
    "bad-status": Kind("the status is not 200", "look into the bot's own log: it failed, or does not know the path"),
    "redirect": Kind("redirects are not followed", "register the address that the redirect leads to"),
    "bad-type": Kind(
        "the answer is not application/json without any encoding", "send Content-Type: application/json, uncompressed"
    ),
    "too-large": Kind("the answer is too large", "answer with the move, and put little into `debug`"),
    "bad-http": Kind("the answer is not correct HTTP/1.1", "use an HTTP server of a library, and no other protocol"),
    "bad-address": Kind("nothing of that name can be reached at this address", "check the name, the port and TLS"),
    "bad-json": Kind("the body is not JSON", "send one JSON object in UTF-8", again=True),
    "wrong-schema": Kind(
        "the body is JSON, but no answer as the contract has it", "compare it with openapi/bot.yaml", again=True
    ),
    "wrong-ask": Kind("the answer is to another ask", "answer the ask that came with the request", again=True),
    "illegal-move": Kind("the move is not one of the legal ones", "choose one of `moves`, or its index", again=True),
    "bad-nudge": Kind("the nudge is not one of those allowed now", "choose one of `nudges`, or none", again=True),
    "crashed": Kind("the function failed or ended its process", "look at what it raised; it must return a move"),
}
"""By stable code."""


class Fault(Exception):
    """The bot's fault, never ours. The text is for its owner."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        meaning = FAULTS[self.code].meaning
        return f"{meaning}: {self.detail}" if self.detail else meaning

    @property
    def again(self) -> bool:
        return FAULTS[self.code].again


class Void(Exception):
    """Something failed on our side: the match does not count, and is played again from its beginning."""


class FaultNote(msgspec.Struct, frozen=True, gc=False):
    """For what the default move was played."""

    turn: int
    code: str
    detail: str


def cut(text: str, most: int = MAX_DEBUG) -> str:
    """No more than that many bytes of it, in whole characters."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
