"""A question to one seat: what it is asked, how that is written, how an answer is read, and whether it can stand.

The public history is the same for all seats of a turn and only ever grows, so it is written once.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from math import inf
from typing import Any

import msgspec
from msgspec import UNSET

from arena.faults import Fault, cut
from arena.messages import Messages, messages_of, turn_of
from engine.game import AnyGame, Seat
from engine.match import Match, Turn
from engine.player import Answer, Ask, Cost, Rejection, Time

DICE = 32
"""Hexadecimal digits of a bot's dice."""

encode = msgspec.json.Encoder().encode


class Question(msgspec.Struct, frozen=True, gc=False):
    """One ask, with what is needed to send it and to judge what comes back."""

    game: AnyGame
    ask: Ask
    history: "History"
    """What was revealed, for all questions of the match."""
    id: str
    """The same whenever this is asked: a bot may answer a repetition as it did before."""
    allowed: float
    """Seconds, from the moment it is sent."""

    def encoded(self, now: datetime | None = None) -> bytes:
        """The ask as it goes over the wire."""
        return encode(self.to_wire(now or datetime.now(UTC)))

    def to_wire(self, now: datetime) -> Any:
        ask = self.ask
        if ask.time is None:
            raise ValueError("what is sent has a deadline")
        return messages_of(self.game).Ask(
            id=self.id,
            version=self.game.INFO.version,
            match=ask.match,
            turn=ask.turn,
            seat=ask.seat,
            players=ask.players,
            time=ask.time,
            deadline=now + timedelta(milliseconds=ask.time.allowed_ms),
            last=ask.last,
            rejected=ask.rejected,
            seed=ask.seed,
            nudges=ask.nudges,
            moves=ask.moves,
            view=ask.view,
            history=msgspec.Raw(self.history.written(self.game, ask.turns)),
        )

    def rejected(self, fault: Fault, left: float) -> "Question":
        """The same again, in the seconds that are left, and why."""
        again = self
        if self.ask.time is not None:
            again = self.timed(Time(int(1000 * left), self.ask.time.turn_ms, self.ask.time.bank_ms))
        ask = msgspec.structs.replace(again.ask, rejected=Rejection(fault.code, str(fault)))
        return msgspec.structs.replace(again, ask=ask)

    def timed(self, time: Time) -> "Question":
        """The same, with another time."""
        ask = msgspec.structs.replace(self.ask, time=time)
        return msgspec.structs.replace(self, ask=ask, allowed=time.allowed_ms / 1000)


class History:
    """The revealed turns of one match as JSON, written as far as somebody has asked for them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._written = b"[]"

    def written(self, game: AnyGame, turns: tuple[Turn, ...]) -> bytes:
        """Of as many turns as these, which only ever become more."""
        if len(self._parts) < len(turns):
            for number in range(len(self._parts), len(turns)):
                self._parts.append(encode(turn_of(game, number, turns[number])))
            self._written = b"[%b]" % b",".join(self._parts)
        return self._written


def question(  # noqa: PLR0913 (what an ask is made of)
    match: Match, seat: Seat, match_id: str, history: History, *, time: Time | None = None, last: Cost | None = None
) -> Question:
    game, state = match.game, match.state
    ask = Ask(
        game=game.INFO.id,
        seat=seat,
        players=match.players,
        view=game.view(state, seat),
        moves=tuple(game.to_wire(state, game.moves(state, seat))),  # no bot can change them
        seed=dice_seed(match, match_id, seat),
        match=match_id,
        turn=len(match.turns),
        nudges=game.nudges(state, seat),
        turns=match.turns,
        time=time,
        last=last,
    )
    return _question(game, ask, history)


def question_in(game: AnyGame, body: bytes) -> Question:
    """The question that was written so: all that an answer is judged by is in the ask. Raises msgspec's errors."""
    sent = _decoder(messages_of(game), "Ask")(body)
    ask = Ask(
        game=game.INFO.id,
        seat=sent.seat,
        players=sent.players,
        view=sent.view,
        moves=sent.moves,
        seed=sent.seed,
        match=sent.match,
        turn=sent.turn,
        nudges=sent.nudges,
        time=sent.time,
    )
    return _question(game, ask, History())


def _question(game: AnyGame, ask: Ask, history: History) -> Question:
    allowed = inf if ask.time is None else ask.time.allowed_ms / 1000
    return Question(game, ask, history, f"{ask.match}-{ask.turn}-{ask.seat}", allowed)


def dice_seed(match: Match, match_id: str, seat: Seat) -> str:
    """Dice of a bot's own for each turn: the same in a replay of the match, others when the same deal is played in
    another. Of no use to find the seed of the deal, or the dice of another seat.
    """
    dice = _dice(match.seed, match_id, len(match.turns), match.players)
    return dice[DICE * seat : DICE * (seat + 1)]


@lru_cache(maxsize=256)
def _dice(seed: str, match_id: str, turn: int, players: int) -> str:
    """Of all seats for a turn, one after the other."""
    return hashlib.shake_256(f"splito/2/bot/{seed}/{match_id}/{turn}".encode()).hexdigest(players * DICE // 2)


def read_answer(question: Question, body: bytes) -> Answer:
    """What a bot wrote, or the fault of it."""
    return _meant(question, _decode(_decoder(messages_of(question.game), "Answer"), body))


def read_answers(game: AnyGame, body: bytes) -> dict[str, Any]:
    """What a bot wrote to several asks, by their ids; `read_one` says what each means."""
    found = _decode(_decoder(messages_of(game), "Answers"), body).answers
    if any(answer.ask is UNSET for answer in found):
        raise Fault("wrong-schema", "in a batch every answer must name its `ask`")
    return {answer.ask: answer for answer in found}


def read_one(question: Question, answers: dict[str, Any]) -> Answer:
    if question.id not in answers:
        raise Fault("wrong-ask", f"no answer to {question.id}")
    return _meant(question, answers[question.id])


def judge(question: Question, answer: Answer) -> None:
    """An answer that cannot stand is a fault."""
    ask = question.ask
    if answer.move not in ask.moves:
        raise Fault("illegal-move", cut(f"{answer.move!r} is not one of the {len(ask.moves)} legal moves", 200))
    if answer.nudge is not None and answer.nudge not in ask.nudges:
        raise Fault("bad-nudge", cut(f"{answer.nudge!r} cannot be said now", 200))


def _meant(question: Question, answer: Any) -> Answer:
    if answer.ask not in (UNSET, question.id):
        raise Fault("wrong-ask", f"it names {answer.ask}, not {question.id}")
    if (answer.move is UNSET) == (answer.index is UNSET):
        raise Fault("wrong-schema", "name either `move` or `index`")
    debug = answer.debug and cut(answer.debug)
    if answer.index is UNSET:
        return Answer(answer.move, answer.nudge, debug)
    moves = question.ask.moves
    if answer.index >= len(moves):
        raise Fault("illegal-move", cut(f"index {answer.index}, but there are {len(moves)} moves, counted from 0", 200))
    return Answer(moves[answer.index], answer.nudge, debug)


@cache
def _decoder(messages: Messages, name: str) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(getattr(messages, name)).decode


def _decode(decode: Callable[[bytes], Any], body: bytes) -> Any:
    try:
        return decode(body)
    except msgspec.ValidationError as error:
        raise Fault("wrong-schema", cut(str(error), 300)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Fault("bad-json", cut(str(error), 300)) from None
