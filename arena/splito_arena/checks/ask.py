"""Asks of the checks: about positions of matches that the bot has never seen, sent in several ways.

Every answer is judged as the referee would judge it, but a bot is not asked again, because the checks must find faults,
not help the bot.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from random import Random
from secrets import token_hex
from typing import Any, NamedTuple

from msgspec.structs import asdict

from splito_arena.bots.push_client import BotClient, Letter, Told, new_message_id
from splito_arena.checks.report import Finding, of_fault
from splito_arena.faults import Fault, Void
from splito_arena.match.player import AskOutcome, Hear, Player, asked, failed
from splito_arena.match.question import History, Question, question, read_answer
from splito_arena.match.seat import Clock, judged
from splito_arena.net.http_response import Reply
from splito_engine.game import AnyGame
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import Answer, Cost, Time

SEED = "check"
"""Seed of every deal, so that every check sees the same positions."""


class Watch:
    """A player whose times are recorded. Asks to functions are written to the log too."""

    def __init__(self, player: Player, timings: "Timings") -> None:
        self.name = player.name
        self.notices, self.start, self.end = player.notices, player.start, player.end
        self.is_wired = False
        """True if the bot is asked over a wire."""
        self._player, self._timings = player, timings

    def ask(self, question: Question, hear: Hear) -> None:
        def heard(came: AskOutcome) -> None:
            self._timings.take(question, came)
            self.is_wired = self.is_wired or bool(came.request)
            hear(came if came.request else _written(question, came))

        self._player.ask(question, heard)


class Timings:
    """The times of all asks."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.time_outs = 0

    def take(self, question: Question, heard: AskOutcome) -> None:
        self.seconds.append(heard.elapsed)
        answer = heard.answer
        is_late = answer.code == "time-out" if isinstance(answer, Fault) else _is_late(question, heard)
        self.time_outs += is_late

    def mark(self) -> tuple[int, int]:
        return len(self.seconds), self.time_outs

    def undo(self, mark: tuple[int, int]) -> None:
        """Forget the times measured since the mark."""
        count, self.time_outs = mark
        del self.seconds[count:]


class Direct:
    """A player for a bot over HTTP, without a queue and without batches.

    Each request has an id of its own, so that the same ask can be sent again.
    """

    notices = False

    def __init__(self, client: BotClient) -> None:
        self.name = ""
        self._client = client

    def ask(self, question: Question, hear: Hear) -> None:
        begun, known, body = self._client.clock(), self._client.is_known, question.encoded()

        def done(outcome: Reply | Exception) -> None:
            total = self._client.clock() - begun
            if isinstance(outcome, Exception):
                hear(failed(outcome, total, body))
            else:
                waited = max(0.0, total - outcome.elapsed - told.ours) if known else 0.0  # a look-up is our delay
                answer = _read(question, outcome.body)
                hear(AskOutcome(answer, outcome.elapsed, waited, body, outcome.body, outcome.status))

        told = Told(done)
        self._client.send(Letter("ask", new_message_id(), body, question.allowed), told)

    def start(self, notice: Any) -> None:
        """Do nothing, because the match of a check is not a real one."""

    end = start


class Grown(Question, frozen=True):
    """An ask of a later version of the contract, with a field that the present one does not have."""

    def encoded(self, now: datetime | None = None) -> bytes:
        return super().encoded(now)[:-1] + b',"field_of_a_later_day":{"since":2}}'


class Tried(NamedTuple):
    """A question, its outcome, and its fault."""

    question: Question
    heard: AskOutcome
    fault: Fault | None

    @property
    def answer(self) -> tuple[Any, str | None]:
        """Return the move and the nudge only, because the note may differ from one time to the next."""
        answer = self.heard.answer
        return (answer.move, answer.nudge) if isinstance(answer, Answer) else (answer, None)

    def findings(self, advice: str = "") -> list[Finding]:
        """Return the finding of the question as a list; empty if there is none."""
        if self.fault is None:
            return []
        return [of_fault(self.fault, advice, where(self.question), self.heard.request, self.heard.response)]


async def tried(player: Player, question: Question) -> Tried:
    """Ask the question and return its outcome. Raise `Void` for an error of the arena."""
    heard = await asked(player, question)
    return Tried(question, heard, _fault(question, heard))


async def tried_together(player: Player, questions: Sequence[Question]) -> list[Tried]:
    return await asyncio.gather(*(tried(player, question) for question in questions))


def opening(game: AnyGame) -> Match:
    """Return the first turn at the smallest table."""
    return start(game, game.INFO.min_players, SEED)


def midway(game: AnyGame) -> list[Match]:
    """Return positions after a quarter, a half and three quarters of a random match at the smallest table."""
    match, rng, passed = opening(game), Random(SEED), list[Match]()
    while not match.over:
        passed.append(match)
        match = play(match, {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors})
    return [passed[len(passed) * quarter // 4] for quarter in (1, 2, 3)]


def about(match: Match, clock: Clock) -> Question:
    """Return a question to the first seat that must act, in a match with a new id."""
    seat = match.actors[0]
    time = Time(clock.turn_ms + clock.bank_ms, clock.turn_ms, clock.bank_ms)
    last = Cost(1.0, 0, "ok") if any(seat in turn.moves for turn in match.turns) else None
    return question(match, seat, new_match(), History(), time=time, last=last)


def new_match() -> str:
    return f"check-{token_hex(8)}"


def grown(question: Question) -> Question:
    return Grown(**asdict(question))


def where(question: Question) -> str:
    ask = question.ask
    return spot(ask.game, ask.players, ask.turn, ask.seat)


def spot(game: str, players: int, turn: int, seat: int) -> str:
    return f"{game}, {players} player{'s' * (players > 1)}, turn {turn}, seat {seat}"


async def sent(client: BotClient, letter: Letter) -> Reply | Fault:
    """Send a letter that is not an ask and return its outcome. Raise `Void` for an error of the arena."""
    outcome = await client.sent(letter)
    if isinstance(outcome, Reply | Fault):
        return outcome
    raise Void(f"{type(outcome).__name__}: {outcome}") from outcome


def _fault(question: Question, heard: AskOutcome) -> Fault | None:
    answer = judged(question, heard)
    if isinstance(answer, Exception) and not isinstance(answer, Fault):
        raise Void(f"{type(answer).__name__}: {answer}") from answer
    return answer if isinstance(answer, Fault) else None


def _is_late(question: Question, heard: AskOutcome) -> bool:
    return heard.elapsed + heard.waited > question.allowed


def _read(question: Question, body: bytes) -> Answer | Fault:
    try:
        return read_answer(question, body)
    except Fault as fault:
        return fault


def _written(question: Question, heard: AskOutcome) -> AskOutcome:
    answer = heard.answer
    said = _shown(answer.move) if isinstance(answer, Answer) else heard.response.decode("utf-8", "replace")
    if isinstance(answer, Fault):
        said = answer.traceback or said
    return AskOutcome(heard.answer, heard.elapsed, heard.waited, question.encoded(), said.encode("utf-8", "replace"))


def _shown(move: object) -> str:
    try:
        return repr(move)
    except Exception as error:  # noqa: BLE001 (a bot may be any author's code)
        return f"{type(move).__name__}, which cannot be shown: {error}"
