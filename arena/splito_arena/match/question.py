"""A question to one seat: its content, its wire form, and the reading and judging of its answer.

The parts that all seats of a turn have in common are computed and encoded once, on a `Sheet`.
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
"""Number of hexadecimal digits in the seed of a bot's dice."""

encode = msgspec.json.Encoder().encode


class Question(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A question to one seat, with everything needed to encode it and to judge the answer."""

    about: "Heading"
    """The turn that the question is about: a `Sheet`, or a `Heading` if the question was read from a log and can only
    be judged.
    """
    id: str
    """Id of the ask, the same whenever the question is asked; a bot may repeat its earlier answer to it."""
    seat: Seat
    moves: tuple[Any, ...]
    """Legal moves as in the ask; the fields below are those of the ask too."""
    nudges: Sequence[str]
    time: Time | None
    allowed: float
    """Seconds allowed, counted from the moment the ask is sent."""
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
        """Return the ask as a Python object, made anew at each call. The wire form is encoded without it."""
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
        """Return the ask in its wire form."""
        return encode(self.to_wire(now or datetime.now(UTC)))

    def to_wire(self, now: datetime) -> Any:
        if self.time is None:
            raise ValueError("a question without a deadline cannot be sent")
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
        """Return the same question with the seconds that are left and the fault that caused the repetition."""
        why = Rejection(fault.code, str(fault))
        if self.time is None:
            return msgspec.structs.replace(self, rejected=why)
        return self.timed(Time(int(1000 * left), self.time.turn_ms, self.time.bank_ms), why)

    def timed(self, time: Time, rejected: Rejection | None = None) -> "Question":
        """Return the same question with another time."""
        return msgspec.structs.replace(self, time=time, allowed=time.allowed_ms / 1000, rejected=rejected)


@lru_cache(maxsize=1024)
def _span(milliseconds: int) -> timedelta:
    return timedelta(milliseconds=milliseconds)


def _whole(about: "Heading") -> "Sheet":
    if not isinstance(about, Sheet):
        raise ValueError("a question from a log can be judged, but not asked again")  # noqa: TRY004 (the type is not an argument)
    return about


class History:
    """The revealed turns of one match as JSON, encoded only as far as questions have needed them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def written(self, game: AnyGame, turns: tuple[Turn, ...]) -> bytes:
        """Return the JSON of these turns, which must be the first turns of the match; there may be fewer than were
        encoded.
        """
        for number in range(len(self._parts), len(turns)):
            self._parts.append(encode(turn_of(game, number, turns[number])))
        return b"[%b]" % b",".join(self._parts[: len(turns)])


class Heading:
    """The turn that a question is about: enough to judge an answer."""

    __slots__ = ("game", "match_id", "turn")

    def __init__(self, game: AnyGame, match_id: str, turn: int) -> None:
        self.game, self.match_id, self.turn = game, match_id, turn


class Sheet(Heading):
    """The common part of all questions of a turn: enough to encode them as well."""

    __slots__ = ("_history", "_written", "match", "seeds")

    def __init__(self, match: Match, match_id: str, history: History, dice: str | None = None) -> None:
        """Make the sheet of the next turn; `dice` is as in `Terms`."""
        super().__init__(match.game, match_id, len(match.turns))
        self.match, self.seeds = match, dice_seeds(match, dice or match_id)
        self._history = history
        self._written: msgspec.Raw | None = None

    def question(self, seat: Seat, time: Time | None = None, last: Cost | None = None) -> Question:
        game, state = self.game, self.match.state
        return Question(
            about=self,
            id=f"{self.match_id}-{self.turn}-{seat}",
            seat=seat,
            moves=tuple(game.to_wire(state, game.moves(state, seat))),  # a tuple, because no bot may change it
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
    """Return the question that an encoded ask contains, which is all that judging an answer needs.

    Raise msgspec's errors.
    """
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


def dice_seeds(match: Match, dice: str) -> list[str]:
    """Return the seed of each seat's own dice in the current turn, in the order of the seats.

    The seeds are the same in a replay of the match and differ from turn to turn. `dice` is the id of the match, or
    another text that no other match of its tournament has, so that the seeds differ from match to match; only the two
    games of a pair in an experiment have the same `dice`. The seeds reveal neither the seed of the deal nor the
    dice of another seat.
    """
    text = f"splito/3/bot/{match.seed}/{dice}/{len(match.turns)}"
    digits = hashlib.shake_128(text.encode()).hexdigest(DICE // 2 * match.players)
    return [digits[first : first + DICE] for first in range(0, len(digits), DICE)]


def read_answer(question: Question, body: bytes) -> Answer:
    """Return the answer in the body. Raise `Fault` if it cannot be read."""
    return _meant(question, _decode(_decoder(question.game, "Answer"), body))


def valid_answer(question: Question, sent: Any) -> Answer:
    """Return the answer that a decoded `Answer` message contains. Raise `Fault` if it is not valid."""
    answer = _meant(question, sent)
    judge(question, answer)
    return answer


def read_answers(game: AnyGame, body: bytes) -> dict[str, Any]:
    """Return the answers to a batch by the ids of their asks, to be read by `read_one`.

    Raise `Fault` if there are none.
    """
    found = _decode(_decoder(game, "Answers"), body).answers
    if any(answer.ask is UNSET for answer in found):
        raise Fault("wrong-schema", "in a batch every answer must name its `ask`")
    return {answer.ask: answer for answer in found}


def read_one(question: Question, answers: dict[str, Any]) -> Answer:
    if question.id not in answers:
        raise Fault("wrong-ask", f"no answer to {question.id}")
    return _meant(question, answers[question.id])


def judge(question: Question, answer: Answer) -> None:
    """Raise `Fault` if the answer is not allowed: another ask, an illegal move or a forbidden nudge."""
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
        move = move_at(moves, index)
    return Answer(move, answer.nudge, answer.debug and cut(answer.debug))


def move_at(moves: Sequence[Any], index: int) -> Any:
    """Return the move of that number. Raise `Fault` if there is none."""
    if not 0 <= index < len(moves):
        raise Fault("illegal-move", cut(f"index {index}, but there are {len(moves)} moves, counted from 0", 200))
    return moves[index]


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
