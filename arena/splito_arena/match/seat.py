"""The decision of a seat: the bot is asked in time, asked again if that may help, and replaced by the default move.

Each seat has a clock: some milliseconds for every turn, and a bank for the match that pays for longer turns. The
deadline of a question is absolute, because a bot that answers wrongly must not gain thinking time by being asked again.
"""

from collections.abc import Callable
from math import ceil
from typing import Any, TypeAlias

import msgspec

from splito_arena.faults import Fault, FaultNote, cut, explained
from splito_arena.match.player import AskOutcome, Player
from splito_arena.match.question import Question, judge
from splito_engine.game import Seat
from splito_engine.player import Answer, Cost, Time

LEAST = 0.001
"""Seconds that must be left for a second try."""


class Clock(msgspec.Struct, frozen=True):
    """The clock that every seat of a match gets."""

    turn_ms: int = 1000
    """Milliseconds for each turn, free of charge."""
    bank_ms: int = 5000
    """Milliseconds for the whole match, which pay for longer turns."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One question and its outcome, for the log of the bot's owner."""

    id: str
    match: str
    turn: int
    seat: int
    request: bytes
    response: bytes
    status: int | None = None
    """HTTP status of the response; None if none arrived, or the bot is not asked over HTTP."""
    elapsed_ms: float
    fault: FaultNote | None
    debug: str | None
    traceback: str = ""
    """Traceback of the bot's function, if it runs on this machine and failed."""


Log: TypeAlias = Callable[[Exchange], None]


class Decided(msgspec.Struct, frozen=True, gc=False):
    """The decision of a seat in a turn. With a fault, it is the default move."""

    move: Any
    nudge: str | None
    cost: Cost
    fault: FaultNote | None = None
    void: Exception | None = None
    """The error of the arena that voids the match; None if there is none."""


Done: TypeAlias = Callable[[Seat, Decided], None]


class SeatState:
    """The state of one seat in a match: its player, the time on its clock, and its faults."""

    def __init__(self, player: Player, clock: Clock | None, strikes: int) -> None:
        self.player = player
        self.time = clock and Time(clock.turn_ms + clock.bank_ms, clock.turn_ms, clock.bank_ms)
        """Time for the next question; None without a clock."""
        self.faults: list[FaultNote] = []
        self.elapsed_ms: list[float] = []
        self.last: Cost | None = None
        self.replaced = False
        self._strikes = strikes

    def settle(self, decided: Decided) -> bool:
        """Charge the turn to the clock. Return True if a house bot must play on, after too many faults."""
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
        """Seat another player, who plays on without a clock; the bot is marked as replaced."""
        self.player, self.time, self.replaced = player, None, True


class PendingDecision:
    """A seat that was asked and has yet to decide. `done` is called once, with the seat and its decision."""

    __slots__ = ("_done", "_log", "_player", "_question")

    def __init__(self, player: Player, question: Question, done: Done, log: Log | None) -> None:
        self._player, self._question, self._done, self._log = player, question, done, log

    def begin(self) -> None:
        """Ask the player.

        An error of the arena is passed to `done` too, because the referee would wait forever otherwise.
        """
        try:
            self._player.ask(self._question, self._hear)
        except Exception as error:  # noqa: BLE001 (an error of the arena)
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
        """Ask again, after the bot has used `before` seconds."""

        def hear(heard: AskOutcome) -> None:
            self._decide(self._take(again, heard), before + heard.elapsed)

        try:
            self._player.ask(again, hear)
        except Exception as error:  # noqa: BLE001 (an error of the arena)
            self._decide(error, before)

    def _take(self, question: Question, heard: AskOutcome) -> Answer | Exception:
        try:
            answer = judged(question, heard)
            if self._log is not None:
                self._log(_exchange(question, heard, answer))
        except Exception as error:  # noqa: BLE001 (an error of the arena)
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
    if outcome == "time-out":  # wherever the time was spent
        return Cost(elapsed_ms, time.bank_ms, outcome)
    if elapsed_ms <= time.turn_ms:
        return Cost(elapsed_ms, 0, outcome)
    return Cost(elapsed_ms, min(ceil(elapsed_ms - time.turn_ms), time.bank_ms), outcome)


def judged(question: Question, heard: AskOutcome) -> Answer | Exception:
    """Return the answer if it counts; else a `Fault` of the bot, or the error of the arena."""
    answer = heard.answer
    if heard.accepted or isinstance(answer, Exception):
        return answer
    if heard.elapsed + heard.waited > question.allowed:
        return Fault("time-out", f"it came after {heard.elapsed:.3f} s")
    try:
        if answer.nudge is None and answer.move in question.moves:  # the common case, without a call of `judge`
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
        status=heard.status,
        elapsed_ms=round(1000 * heard.elapsed, 3),
        fault=FaultNote(question.turn, answer.code, explained(answer)) if isinstance(answer, Fault) else None,
        debug=answer.debug if isinstance(answer, Answer) else None,
        traceback=answer.traceback if isinstance(answer, Fault) else "",
    )
