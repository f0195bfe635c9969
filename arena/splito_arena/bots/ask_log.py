"""The ask log of a bot: each ask and its answer as one line of JSON, to be read and to be sent again."""

from typing import Any

import msgspec

from splito_arena.match.messages import messages_of
from splito_arena.match.player import AskOutcome
from splito_arena.match.question import Question
from splito_arena.match.seat import Exchange
from splito_engine.game import AnyGame
from splito_engine.player import Answer


class Blame(msgspec.Struct, frozen=True):
    """The reason why an answer was rejected."""

    code: str
    detail: str


class LoggedAsk(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    match: str
    game: str
    turn: int
    seat: int
    elapsed_ms: float
    fault: Blame | None = None
    request: str
    """The ask as it was sent; for a function, as it would have been sent."""
    response: str = ""
    """The whole response; in a batch it contains the answers to the other asks too."""
    debug: str | None = None
    bot: str = ""


def logged(bot: str, game: str, exchange: Exchange) -> LoggedAsk:
    return LoggedAsk(
        id=exchange.id,
        match=exchange.match,
        game=game,
        turn=exchange.turn,
        seat=exchange.seat,
        elapsed_ms=exchange.elapsed_ms,
        fault=exchange.fault and Blame(exchange.fault.code, exchange.fault.detail),
        request=_text(exchange.request),
        response=_text(exchange.response),
        debug=exchange.debug,
        bot=bot,
    )


def written(question: Question, heard: AskOutcome) -> AskOutcome:
    """Return the outcome of a function with the request and response that HTTP would have carried."""
    answer: Any = heard.answer
    response = answer_text(question.game, answer) if isinstance(answer, Answer) else heard.response
    return msgspec.structs.replace(heard, request=question.encoded(), response=response)


def answer_text(game: AnyGame, answer: Answer) -> bytes:
    """Return the answer of a function as HTTP would have carried it; values that JSON lacks as their `repr`."""
    message = messages_of(game).Answer(move=answer.move, nudge=answer.nudge, debug=answer.debug)
    return msgspec.json.encode(message, enc_hook=repr)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
