"""How a seat decides: asked in time, asked once more if that may help, and the default move if all else fails.

A seat has a clock of its own: so many milliseconds for every turn, and a bank for the match from which is taken what a
turn takes longer. The deadline of a question is absolute: what a bot answers wrongly and is asked again about is still
the same thinking time, and a bot that fails has none left to gain.
"""

from collections.abc import Callable
from math import ceil
from typing import Any, TypeAlias

import msgspec

from splito_arena.faults import Fault, FaultNote, cut
from splito_arena.match.player import AskOutcome, Player
from splito_arena.match.question import Question, judge
from splito_engine.game import Seat
from splito_engine.player import Answer, Cost, Time

LEAST = 0.001
"""Seconds that must be left for a second try."""


class Clock(msgspec.Struct, frozen=True):
    """What every seat of a match has."""

    turn_ms: int = 1000
    """For each turn, free of charge."""
    bank_ms: int = 5000
    """For the whole match, for turns that take longer."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One question and what came of it, for the log of the bot's owner."""

    id: str
    match: str
    turn: int
    seat: int
    request: bytes
    response: bytes
    elapsed_ms: float
    fault: FaultNote | None
    debug: str | None


Log: TypeAlias = Callable[[Exchange], None]


class Decided(msgspec.Struct, frozen=True, gc=False):
    """What a seat does in a turn. With a fault, it is the default move."""

    move: Any
    nudge: str | None
    cost: Cost
    fault: FaultNote | None = None
    void: Exception | None = None
    """Trouble of our own: the match does not count."""


Done: TypeAlias = Callable[[Seat, Decided], None]


class SeatState:
    """One seat of one match: who sits there, what is left on the clock, and what has gone wrong so far."""

    def __init__(self, player: Player, clock: Clock | None, strikes: int) -> None:
        self.player = player
        self.time = clock and Time(clock.turn_ms + clock.bank_ms, clock.turn_ms, clock.bank_ms)
        """For the next question."""
        self.faults: list[FaultNote] = []
        self.elapsed_ms: list[float] = []
        self.last: Cost | None = None
        self.replaced = False
        self._strikes = strikes

    def settle(self, decided: Decided) -> bool:
        """The turn is paid for. Whether there were too many faults: then somebody of the house must play on."""
        cost = self.last = decided.cost
        self.elapsed_ms.append(cost.elapsed_ms)
        if cost.charged_ms and self.time is not None:
            left = self.time.bank_ms - cost.charged_ms
            self.time = Time(self.time.turn_ms + left, self.time.turn_ms, left)
        if decided.fault is None:
            return False
        self.faults.append(decided.fault)
        return len(self.faults) >= self._strikes

    def hand_over(self, player: Player) -> None:
        """Somebody else plays on, without a clock, and no longer for this seat's account."""
        self.player, self.time, self.replaced = player, None, True


class PendingDecision:
    """A seat that is asked and has still to decide. `done` is told once: the seat, and what."""

    __slots__ = ("_done", "_log", "_player", "_question")

    def __init__(self, player: Player, question: Question, done: Done, log: Log | None) -> None:
        self._player, self._question, self._done, self._log = player, question, done, log

    def begin(self) -> None:
        """Whatever fails on our own side is heard too: nobody would ever hear of this seat otherwise."""
        try:
            self._player.ask(self._question, self._hear)
        except Exception as error:  # noqa: BLE001 (our own trouble)
            self._decide(error, 0.0)

    def _hear(self, heard: AskOutcome) -> None:
        answer = self._take(self._question, heard)
        if isinstance(answer, Fault) and answer.again:
            left = self._question.allowed - heard.elapsed - heard.waited
            if left > LEAST:
                self._ask_again(self._question.again(answer, left), heard.elapsed)
                return
        self._decide(answer, heard.elapsed)

    def _ask_again(self, again: Question, before: float) -> None:
        """After so many seconds."""

        def hear(heard: AskOutcome) -> None:
            self._decide(self._take(again, heard), before + heard.elapsed)

        try:
            self._player.ask(again, hear)
        except Exception as error:  # noqa: BLE001 (our own trouble)
            self._decide(error, before)

    def _take(self, question: Question, heard: AskOutcome) -> Answer | Exception:
        try:
            answer = judged(question, heard)
            if self._log is not None:
                self._log(_exchange(question, heard, answer))
        except Exception as error:  # noqa: BLE001 (our own trouble)
            return error
        return answer

    def _decide(self, answer: Answer | Exception, elapsed: float) -> None:
        asked = self._question
        if isinstance(answer, Answer):
            decided = Decided(answer.move, answer.nudge, _cost(asked.time, elapsed, "ok"))
        elif isinstance(answer, Fault):
            note = FaultNote(asked.turn, answer.code, str(answer))
            decided = Decided(asked.moves[0], None, _cost(asked.time, elapsed, answer.code), note)
        else:
            decided = Decided(asked.moves[0], None, _cost(asked.time, elapsed, "void"), void=answer)
        self._done(asked.seat, decided)


def _cost(time: Time | None, elapsed: float, outcome: str) -> Cost:
    elapsed_ms = int(1e6 * elapsed) / 1000
    if time is None:
        return Cost(elapsed_ms, 0, outcome)
    if outcome == "time-out":  # in whatever the time went
        return Cost(elapsed_ms, time.bank_ms, outcome)
    if elapsed_ms <= time.turn_ms:
        return Cost(elapsed_ms, 0, outcome)
    return Cost(elapsed_ms, min(ceil(elapsed_ms - time.turn_ms), time.bank_ms), outcome)


def judged(question: Question, heard: AskOutcome) -> Answer | Exception:
    answer = heard.answer
    if isinstance(answer, Exception):
        return answer
    if heard.elapsed + heard.waited > question.allowed:
        return Fault("time-out", f"it came after {heard.elapsed:.3f} s")
    try:
        if answer.nudge is None and answer.move in question.moves:  # as nearly always
            return answer
        judge(question, answer)
    except Fault as fault:
        return fault
    except Exception as error:  # noqa: BLE001 (a function may return what cannot even be compared)
        return Fault("illegal-move", cut(f"{type(answer.move).__name__}: {error}", 200))
    return answer


def _exchange(question: Question, heard: AskOutcome, answer: Answer | Exception) -> Exchange:
    return Exchange(
        id=question.id,
        match=question.match_id,
        turn=question.turn,
        seat=question.seat,
        request=heard.request,
        response=heard.response,
        elapsed_ms=round(1000 * heard.elapsed, 3),
        fault=FaultNote(question.turn, answer.code, str(answer)) if isinstance(answer, Fault) else None,
        debug=answer.debug if isinstance(answer, Answer) else None,
    )
