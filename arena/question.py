"""A question to one seat: what it is asked, how that is written, how an answer is read, and whether it can stand.

The public history is the same for all seats of a turn and only ever grows, so it is written once.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from math import inf
from typing import Any

import msgspec
from msgspec import UNSET

from arena.faults import Fault, cut
from arena.messages import messages_of, turn_of
from engine.game import AnyGame, Seat
from engine.match import Match, Turn
from engine.player import Answer, Ask, Cost, Rejection, Time

DICE = 16
"""Hexadecimal digits of a bot's dice."""

encode = msgspec.json.Encoder().encode


class Question(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one seat is asked, with all that is needed to write it down and to judge what comes back."""

    game: AnyGame
    id: str
    """The same whenever this is asked: a bot may answer a repetition as it did before."""
    seat: Seat
    turn: int
    moves: tuple[Any, ...]
    """As in the ask, like all that follows."""
    nudges: Sequence[str]
    time: Time | None
    allowed: float
    """Seconds, from the moment it is sent."""
    last: Cost | None = None
    rejected: Rejection | None = None
    match_id: str
    position: Match | None = None
    """Nothing in a question that is read from a log: it can be judged, but not asked again."""
    history: "History"
    """What was revealed, for all questions of the match."""

    @property
    def ask(self) -> Ask:
        """As a function gets it, made anew each time. What goes over the wire is written without it."""
        match = self._match
        return Ask(
            game=self.game.INFO.id,
            seat=self.seat,
            players=match.players,
            view=self.game.view(match.state, self.seat),
            moves=self.moves,
            seed=dice_seed(match, self.match_id, self.seat),
            match=self.match_id,
            turn=self.turn,
            nudges=self.nudges,
            turns=match.turns,
            time=self.time,
            last=self.last,
            rejected=self.rejected,
        )

    def encoded(self, now: datetime | None = None) -> bytes:
        """The ask as it goes over the wire."""
        return encode(self.to_wire(now or datetime.now(UTC)))

    def to_wire(self, now: datetime) -> Any:
        match, game = self._match, self.game
        if self.time is None:
            raise ValueError("what is sent has a deadline")
        return messages_of(game).Ask(
            id=self.id,
            version=game.INFO.version,
            match=self.match_id,
            turn=self.turn,
            seat=self.seat,
            players=match.players,
            time=self.time,
            deadline=now + _span(self.time.allowed_ms),
            last=self.last,
            rejected=self.rejected,
            seed=dice_seed(match, self.match_id, self.seat),
            nudges=self.nudges,
            moves=self.moves,
            view=game.view(match.state, self.seat),
            history=msgspec.Raw(self.history.written(game, match.turns)),
        )

    def again(self, fault: Fault, left: float) -> "Question":
        """The same again, in the seconds that are left, and why."""
        why = Rejection(fault.code, str(fault))
        if self.time is None:
            return msgspec.structs.replace(self, rejected=why)
        return self.timed(Time(int(1000 * left), self.time.turn_ms, self.time.bank_ms), why)

    def timed(self, time: Time, rejected: Rejection | None = None) -> "Question":
        """The same, with another time."""
        return msgspec.structs.replace(self, time=time, allowed=time.allowed_ms / 1000, rejected=rejected)

    @property
    def _match(self) -> Match:
        if self.position is None:
            raise ValueError("what is read from a log can only be judged")
        return self.position


@lru_cache(maxsize=1024)
def _span(milliseconds: int) -> timedelta:
    return timedelta(milliseconds=milliseconds)


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
    game, state, turn = match.game, match.state, len(match.turns)
    return Question(
        game=game,
        id=f"{match_id}-{turn}-{seat}",
        seat=seat,
        turn=turn,
        moves=tuple(game.to_wire(state, game.moves(state, seat))),  # no bot can change them
        nudges=game.nudges(state, seat),
        time=time,
        allowed=inf if time is None else time.allowed_ms / 1000,
        last=last,
        match_id=match_id,
        position=match,
        history=history,
    )


def question_in(game: AnyGame, body: bytes) -> Question:
    """The question that was written so: all that an answer is judged by is in the ask. Raises msgspec's errors."""
    sent = _decoder(game, "Ask")(body)
    return Question(
        game=game,
        id=sent.id,
        seat=sent.seat,
        turn=sent.turn,
        moves=tuple(sent.moves),
        nudges=sent.nudges,
        time=sent.time,
        allowed=sent.time.allowed_ms / 1000,
        match_id=sent.match,
        history=History(),
    )


def dice_seed(match: Match, match_id: str, seat: Seat) -> str:
    """Dice of a bot's own for each turn: the same in a replay of the match, others when the same deal is played in
    another. Of no use to find the seed of the deal, or the dice of another seat.
    """
    table, place = divmod(seat, 8)
    return _dice(match.seed, match_id, len(match.turns), table)[DICE * place : DICE * (place + 1)]


@lru_cache(maxsize=256)
def _dice(seed: str, match_id: str, turn: int, table: int) -> str:
    """Of eight seats, one after the other."""
    text = f"splito/2/bot/{seed}/{match_id}/{turn}/{table}"
    return hashlib.blake2b(text.encode(), digest_size=8 * DICE // 2).hexdigest()


def read_answer(question: Question, body: bytes) -> Answer:
    """What a bot wrote, or the fault of it."""
    return _meant(question, _decode(_decoder(question.game, "Answer"), body))


def read_answers(game: AnyGame, body: bytes) -> dict[str, Any]:
    """What a bot wrote to several asks, by their ids; `read_one` says what each means."""
    found = _decode(_decoder(game, "Answers"), body).answers
    if any(answer.ask is UNSET for answer in found):
        raise Fault("wrong-schema", "in a batch every answer must name its `ask`")
    return {answer.ask: answer for answer in found}


def read_one(question: Question, answers: dict[str, Any]) -> Answer:
    if question.id not in answers:
        raise Fault("wrong-ask", f"no answer to {question.id}")
    return _meant(question, answers[question.id])


def judge(question: Question, answer: Answer) -> None:
    """An answer that cannot stand is a fault."""
    if answer.move not in question.moves:
        raise Fault("illegal-move", cut(f"{answer.move!r} is not one of the {len(question.moves)} legal moves", 200))
    if answer.nudge is not None and answer.nudge not in question.nudges:
        raise Fault("bad-nudge", cut(f"{answer.nudge!r} cannot be said now", 200))


def _meant(question: Question, answer: Any) -> Answer:
    if answer.ask is not UNSET and answer.ask != question.id:
        raise Fault("wrong-ask", f"it names {answer.ask}, not {question.id}")
    if (answer.move is UNSET) == (answer.index is UNSET):
        raise Fault("wrong-schema", "name either `move` or `index`")
    debug = answer.debug and cut(answer.debug)
    if answer.index is UNSET:
        return Answer(answer.move, answer.nudge, debug)
    moves = question.moves
    if answer.index >= len(moves):
        raise Fault("illegal-move", cut(f"index {answer.index}, but there are {len(moves)} moves, counted from 0", 200))
    return Answer(moves[answer.index], answer.nudge, debug)


@cache
def _decoder(game: AnyGame, name: str) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(getattr(messages_of(game), name)).decode


def _decode(decode: Callable[[bytes], Any], body: bytes) -> Any:
    try:
        return decode(body)
    except msgspec.ValidationError as error:
        raise Fault("wrong-schema", cut(str(error), 300)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Fault("bad-json", cut(str(error), 300)) from None
