"""Resending of a logged ask, to compare the bot's answer now with its answer then."""

from typing import Any

import msgspec

from splito_arena.bots.address_faults import explained
from splito_arena.bots.ask_log import Blame, LoggedAsk
from splito_arena.bots.fault_log import BotFault
from splito_arena.bots.push_client import BotClient, Letter, new_message_id
from splito_arena.bots.serve import ask_in, read_ask
from splito_arena.bots.subprocess import BotProcesses
from splito_arena.faults import Fault
from splito_arena.match.question import Question, judge, question_in, read_answer, read_answers, read_one
from splito_arena.match.seat import judged
from splito_arena.net.http_response import Reply
from splito_engine.errors import BadOption
from splito_engine.player import Answer
from splito_engine.registry import find_game


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A bot's answer, and how the arena judged it."""

    move: str | None
    """The move in its short form; None if no move could be read."""
    nudge: str | None
    debug: str | None
    fault: Blame | None
    elapsed_ms: float
    response: str
    traceback: str = ""
    """Traceback of a function that failed."""


class Resent(msgspec.Struct, frozen=True):
    ask: LoggedAsk
    allowed_ms: int
    then: Outcome
    now: Outcome

    @property
    def same(self) -> bool:
        """True if the decision is the same, whether a move or a fault."""
        codes = [one.fault and one.fault.code for one in (self.then, self.now)]
        return (self.then.move, self.then.nudge, codes[0]) == (self.now.move, self.now.nudge, codes[1])


async def resend(asked: LoggedAsk, client: BotClient, limit: float) -> Resent:
    """Send the logged bytes again under a new id, because the bot would refuse a message it has seen.

    The bot has `limit` seconds, but an answer later than it was allowed at first is a fault all the same.
    """
    question = question_of(asked)
    begun = client.clock()
    came = await client.sent(Letter("ask", new_message_id(), asked.request.encode(), limit))
    total = client.clock() - begun
    if isinstance(came, Reply):
        now = _outcome(question, came.body, came.elapsed, total)
    elif isinstance(came, Fault):
        said = explained(client.url, came.code, came.detail, is_signed=client.is_signed)
        now = _failed(Blame(came.code, f"{said.cause}; to do: {said.advice}"), total)
    else:
        raise came
    return Resent(asked, round(1000 * question.allowed), _then(question, asked), now)


async def resend_to_function(asked: LoggedAsk, word: str, limit: float) -> Resent:
    """Ask a function, or an installed bot, in a process of its own. Raise `BadBot` if there is none."""
    question = question_of(asked)
    async with BotProcesses(1, anywhere=True) as processes:
        await processes.load(word, asked.game)
        came = await processes.ask(word, ask_in(read_ask(asked.request.encode())), limit)
    if isinstance(came.answer, Exception) and not isinstance(came.answer, Fault):
        raise came.answer
    verdict = judged(question, came)
    fault = verdict if isinstance(verdict, Fault) else None
    answer = came.answer if isinstance(came.answer, Answer) else Answer(None)
    now = Outcome(
        move=None if answer.move is None else question.game.move_text(answer.move),
        nudge=answer.nudge,
        debug=answer.debug,
        fault=fault and Blame(fault.code, str(fault)),
        elapsed_ms=round(1000 * came.elapsed, 3),
        response=came.response.decode("utf-8", "replace"),
        traceback=fault.traceback if fault else "",
    )
    return Resent(asked, round(1000 * question.allowed), _then(question, asked), now)


def question_of(asked: LoggedAsk) -> Question:
    """Return the question in a logged ask, by which an answer is judged. Raise `BadOption` if it cannot be read."""
    try:
        return question_in(find_game(asked.game), asked.request.encode())
    except msgspec.DecodeError as error:
        raise BadOption(
            f"the logged request is not an ask of the installed {asked.game}: {error}", field="ask"
        ) from None


def _then(question: Question, asked: LoggedAsk) -> Outcome:
    """Return the outcome as it was judged at first."""
    read = _outcome(question, asked.response.encode(), asked.elapsed_ms / 1000, 0.0)
    return msgspec.structs.replace(
        read,
        fault=asked.fault,
        elapsed_ms=asked.elapsed_ms,
        debug=asked.debug or read.debug,
        traceback=asked.traceback if isinstance(asked, BotFault) else "",
    )


def _outcome(question: Question, body: bytes, elapsed: float, total: float) -> Outcome:
    answer = _read(question, body)
    fault = answer if isinstance(answer, Fault) else _judged(question, answer)
    if fault is None and total > question.allowed:
        fault = Fault("time-out", f"it came after {elapsed:.3f} s")
    meant = answer if isinstance(answer, Answer) else Answer(None)
    return Outcome(
        move=None if meant.move is None else question.game.move_text(meant.move),
        nudge=meant.nudge,
        debug=meant.debug,
        fault=fault and Blame(fault.code, str(fault)),
        elapsed_ms=round(1000 * elapsed, 3),
        response=body.decode("utf-8", "replace"),
    )


def _failed(blame: Blame, total: float) -> Outcome:
    return Outcome(move=None, nudge=None, debug=None, fault=blame, elapsed_ms=round(1000 * total, 3), response="")


def _read(question: Question, body: bytes) -> Answer | Fault:
    """Return the answer in the body, which may be one answer or those to a batch; the `Fault` if it cannot be read."""
    try:
        if _is_batch(body):
            return read_one(question, read_answers(question.game, body))
        return read_answer(question, body)
    except Fault as fault:
        return fault


def _is_batch(body: bytes) -> bool:
    try:
        found: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and "answers" in found


def _judged(question: Question, answer: Answer) -> Fault | None:
    try:
        judge(question, answer)
    except Fault as fault:
        return fault
    return None
