"""Faults of bots and their consequences.

Every fault costs the same: the default move is played for that turn, and the fault is counted. No kind of failure
therefore pays better than another, or better than answering. An error of the arena is never a `Fault`.
"""

from typing import NamedTuple

import msgspec

from splito_engine.player import MAX_DEBUG

MOST_REASON = 240
"""Characters of the reason that a bot gives for refusing a request."""


class Kind(NamedTuple):
    meaning: str
    """Meaning of the fault, written for the bot's owner."""
    advice: str
    """Advice to the bot's owner."""
    again: bool = False
    """True if the bot is asked again in the time that is left, with the reason if it had answered."""


FAULTS = {
    "time-out": Kind("no complete answer in time", "answer within `time.allowed_ms`, or use a faster search"),
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
    "bad-address": Kind("no host can be reached at this address", "check the name, the port and TLS"),
    "bad-json": Kind("the body is not JSON", "send one JSON object in UTF-8", again=True),
    "wrong-schema": Kind(
        "the body is JSON, but not an answer as the contract defines it", "compare it with openapi/bot.yaml", again=True
    ),
    "wrong-ask": Kind("the answer is to another ask", "answer the ask that came with the request", again=True),
    "illegal-move": Kind("the move is not one of the legal ones", "choose one of `moves`, or its index", again=True),
    "bad-nudge": Kind("the nudge is not allowed now", "choose one of `nudges`, or none", again=True),
    "crashed": Kind("the function failed or ended its process", "look at what it raised; it must return a move"),
}
"""Kinds of faults by stable code."""


class Refusal(NamedTuple):
    """A response that is no answer: its status, and the beginning of its body."""

    status: int
    body: bytes


class Fault(Exception):
    """A fault of a bot, never of the arena. The text is for the bot's owner.

    The traceback is that of a function on this machine, for its author.
    """

    def __init__(self, code: str, detail: str = "", traceback: str = "") -> None:
        super().__init__(code, detail, traceback)
        self.code = code
        self.detail = detail
        self.traceback = traceback
        self.refusal: Refusal | None = None
        """The response with which the bot failed; None if it sent none, or one that could not be read."""

    def __str__(self) -> str:
        meaning = FAULTS[self.code].meaning
        return f"{meaning}: {self.detail}" if self.detail else meaning

    @property
    def again(self) -> bool:
        return FAULTS[self.code].again


def explained(fault: Fault) -> str:
    """Return the text of the fault with the reason that the bot gave in its response, for the owner of the bot alone.

    The reason is one line of at most `MOST_REASON` characters, without control characters.
    """
    reason = _reason(fault.refusal.body) if fault.refusal else ""
    return f"{fault}, {reason}" if reason else str(fault)


def _reason(body: bytes) -> str:
    """Return the code and the detail of a problem document (RFC 9457); the beginning of the text of another body."""
    try:
        problem = msgspec.json.decode(body, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said = body.decode("utf-8", "replace")
    else:
        said = ": ".join(part for part in (problem.code, problem.detail or problem.title) if part)
    line = visible(" ".join(said.split()))
    return line if len(line) <= MOST_REASON else line[: MOST_REASON - 3] + "..."


class _Problem(msgspec.Struct):
    code: str = ""
    title: str = ""
    detail: str = ""


def visible(text: str) -> str:
    """Return the text with everything that does not print escaped, except line breaks and tabs."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else letter.encode("unicode_escape").decode()
        for letter in text
    )


class Void(Exception):
    """An error of the arena: the match does not count, and is played again from its beginning."""


class FaultNote(msgspec.Struct, frozen=True, gc=False):
    """The fault for which the default move was played."""

    turn: int
    """Number of the turn, from 0."""
    code: str
    """Code of the fault, as in the table of faults."""
    detail: str
    """Description of the fault, for people."""


def cut(text: str, most: int = MAX_DEBUG) -> str:
    """Return the text cut to at most that many bytes, in whole characters."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
