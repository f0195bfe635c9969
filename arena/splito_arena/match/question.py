"""A question to one seat: what it is asked, how that is written, how an answer is read, and whether it can stand.

What all seats of a turn have in common is found and written once, on a `Sheet`.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from math import inf
from typing import Any

import msgspec
from msgspec import UNSET

from splito_arena.faults import Fault, cut
from splito_arena.match.messages import messages_of, turn_of
from splito_engine.game import AnyGame, Seat
from splito_engine.match import Match, Turn
from splito_engine.player import Answer, Ask, Cost, Rejection, Time

DICE = 16
"""Hexadecimal digits of a bot's dice."""

encode = msgspec.json.Encoder().encode


class Question(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one seat is asked, with all that is needed to write it down and to judge what comes back."""

    about: "Heading"
    """A `Sheet`, but for a question that is read from a log: that can be judged, but not asked again."""
    id: str
    """The same whenever this is asked: a bot may answer a repetition as it did before."""
    seat: Seat
    moves: tuple[Any, ...]
    """As in the ask, like all that follows."""
    nudges: Sequence[str]
    time: Time | None
    allowed: float
    """Seconds, from the moment it is sent."""
    last: Cost | None = None
    rejected: Rejection | None = None

    @property
    def game(self) -> AnyGame:
        return self.about.game

    @property
    def match_id(self) -> str:
        return self.about.match_id

    @property
    def turn(self) -> int:
        return self.about.turn

    @property
    def ask(self) -> Ask:
        """As a function gets it, made anew each time. What goes over the wire is written without it."""
        sheet, seat = _whole(self.about), self.seat
        match = sheet.match
        return Ask(
            game=sheet.game.INFO.id,
            seat=seat,
            players=match.players,
            view=sheet.game.view(match.state, seat),
            moves=self.moves,
            seed=sheet.seeds[seat],
            match=sheet.match_id,
            turn=sheet.turn,
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
        if self.time is None:
            raise ValueError("what is sent has a deadline")
        sheet, seat = _whole(self.about), self.seat
        match = sheet.match
        return messages_of(sheet.game).Ask(
            id=self.id,
            version=sheet.game.INFO.version,
            match=sheet.match_id,
            turn=sheet.turn,
            seat=seat,
            players=match.players,
            time=self.time,
            deadline=now + _span(self.time.allowed_ms),
            last=self.last,
            rejected=self.rejected,
            seed=sheet.seeds[seat],
            nudges=self.nudges,
            moves=self.moves,
            view=sheet.game.view(match.state, seat),
            history=sheet.history,
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


@lru_cache(maxsize=1024)
def _span(milliseconds: int) -> timedelta:
    return timedelta(milliseconds=milliseconds)


def _whole(about: "Heading") -> "Sheet":
    if not isinstance(about, Sheet):
        raise ValueError("what is read from a log can only be judged")  # noqa: TRY004 (nobody chose the type)
    return about


class History:
    """The revealed turns of one match as JSON, written as far as somebody has asked for them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def written(self, game: AnyGame, turns: tuple[Turn, ...]) -> bytes:
        """Of these, the first turns of the match, be they fewer than were written before."""
        for number in range(len(self._parts), len(turns)):
            self._parts.append(encode(turn_of(game, number, turns[number])))
        return b"[%b]" % b",".join(self._parts[: len(turns)])


class Heading:
    """Which turn a question is about: enough to judge what comes back."""

    __slots__ = ("game", "match_id", "turn")

    def __init__(self, game: AnyGame, match_id: str, turn: int) -> None:
        self.game, self.match_id, self.turn = game, match_id, turn


class Sheet(Heading):
    """What all questions of a turn have in common: enough to write them, too."""

    __slots__ = ("_history", "_written", "match", "seeds")

    def __init__(self, match: Match, match_id: str, history: History) -> None:
        super().__init__(match.game, match_id, len(match.turns))
        self.match, self.seeds = match, dice_seeds(match, match_id)
        self._history = history
        self._written: msgspec.Raw | None = None

    def question(self, seat: Seat, time: Time | None = None, last: Cost | None = None) -> Question:
        game, state = self.game, self.match.state
        return Question(
            about=self,
            id=f"{self.match_id}-{self.turn}-{seat}",
            seat=seat,
            moves=tuple(game.to_wire(state, game.moves(state, seat))),  # no bot can change them
            nudges=game.nudges(state, seat),
            time=time,
            allowed=inf if time is None else time.allowed_ms / 1000,
            last=last,
        )

    @property
    def history(self) -> msgspec.Raw:
        if self._written is None:
            self._written = msgspec.Raw(self._history.written(self.game, self.match.turns))
        return self._written


def question(  # noqa: PLR0913 (what an ask is made of)
    match: Match, seat: Seat, match_id: str, history: History, *, time: Time | None = None, last: Cost | None = None
) -> Question:
    return Sheet(match, match_id, history).question(seat, time, last)


def question_in(game: AnyGame, body: bytes) -> Question:
    """The question that was written so: all that an answer is judged by is in the ask. Raises msgspec's errors."""
    sent = _decoder(game, "Ask")(body)
    return Question(
        about=Heading(game, sent.match, sent.turn),
        id=sent.id,
        seat=sent.seat,
        moves=tuple(sent.moves),
        nudges=sent.nudges,
        time=sent.time,
        allowed=sent.time.allowed_ms / 1000,
    )


def dice_seeds(match: Match, match_id: str) -> list[str]:
    """For dice of a bot's own, by seat: the same in a replay of the match, others in each turn, and others when the
    same deal is played in another match, as in the pairs of an experiment. Of no use to find the seed of the deal, or
    the dice of another seat.
    """
    text = f"splito/3/bot/{match.seed}/{match_id}/{len(match.turns)}"
    digits = hashlib.shake_128(text.encode()).hexdigest(DICE // 2 * match.players)
    return [digits[first : first + DICE] for first in range(0, len(digits), DICE)]


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
    move, index, moves = answer.move, answer.index, question.moves
    if answer.ask is not UNSET and answer.ask != question.id:
        raise Fault("wrong-ask", f"it names {answer.ask}, not {question.id}")
    if (move is UNSET) == (index is UNSET):
        raise Fault("wrong-schema", "name either `move` or `index`")
    if index is not UNSET:
        if index >= len(moves):
            raise Fault("illegal-move", cut(f"index {index}, but there are {len(moves)} moves, counted from 0", 200))
        move = moves[index]
    return Answer(move, answer.nudge, answer.debug and cut(answer.debug))


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
