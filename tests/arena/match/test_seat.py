"""A seat has so much time and no more, whatever it does with it; and one chance to correct itself within that time."""

import asyncio
import re
from math import ceil, inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.bots.in_process import Plugin
from splito_arena.faults import FAULTS, Fault
from splito_arena.match.player import AskOutcome, Hear, Player, asked
from splito_arena.match.question import History, Question, question
from splito_arena.match.seat import (
    LEAST,
    Clock,
    Decided,
    Exchange,
    Log,
    PendingDecision,
    SeatState,
)
from splito_engine.games import splito
from splito_engine.match import legal_moves, start
from splito_engine.player import Answer, Ask, Cost, Rejection, Time
from tests.arena.scripted import Line, Scripted, fails, never, plays, says

CLOCK = Clock(turn_ms=1000, bank_ms=5000)
AGAIN = [code for code, kind in FAULTS.items() if kind.again]
MATCH = start(splito, 4, "7")
SEAT = 2


def ask_of(chair: SeatState) -> Question:
    return question(MATCH, SEAT, "m", History(), time=chair.time, last=chair.last)


def decide(chair: SeatState, log: Log | None = None) -> Decided:
    """One turn, with what it costs."""
    decided = decided_by(chair, log)
    chair.settle(decided)
    return decided


def decided_by(chair: SeatState, log: Log | None = None) -> Decided:
    found: list[tuple[int, Decided]] = []
    PendingDecision(chair.player, ask_of(chair), lambda seat, one: found.append((seat, one)), log).begin()
    [(seat, decided)] = found
    assert seat == SEAT
    return decided


def chair_of(*lines: Line, clock: Clock | None = CLOCK, strikes: int = 3) -> SeatState:
    return SeatState(Scripted(*lines), clock, strikes)


def questions(chair: SeatState) -> list[Question]:
    player = chair.player
    assert isinstance(player, Scripted)
    return player.asked


# The bank


@pytest.mark.parametrize(
    ("elapsed_ms", "charged_ms"),
    [(0, 0), (999.9, 0), (1000, 0), (1000.2, 1), (1001, 1), (1500, 500), (5999.5, 5000), (6000, 5000)],
)
def test_time_beyond_that_of_the_turn_is_taken_from_the_bank(elapsed_ms: float, charged_ms: int) -> None:
    chair = chair_of(plays(-1, elapsed_ms / 1000))
    decided = decide(chair)
    assert (decided.cost.charged_ms, decided.cost.outcome) == (charged_ms, "ok")
    assert decided.cost.elapsed_ms == pytest.approx(elapsed_ms, abs=0.002)
    assert decided.move == legal_moves(MATCH, SEAT)[-1]
    assert chair.time == Time(6000 - charged_ms, 1000, 5000 - charged_ms)


def test_the_next_ask_has_the_rest_of_the_bank_and_the_cost_of_the_last_turn() -> None:
    chair = chair_of(plays(0, 1.25), plays(0, 0.1))
    assert (ask_of(chair).ask.time, ask_of(chair).ask.last) == (Time(6000, 1000, 5000), None)
    decide(chair)
    decide(chair)
    assert ask_of(chair).ask.time == Time(5750, 1000, 4750)
    assert ask_of(chair).ask.last == Cost(100.0, 0, "ok")


def test_a_time_out_empties_the_bank_and_leaves_the_time_of_a_turn() -> None:
    chair = chair_of(never, plays(0, 1.0), plays(0, 1.5))
    assert decide(chair).cost == Cost(6000.0, 5000, "time-out")
    assert (chair.time, ask_of(chair).allowed) == (Time(1000, 1000, 0), 1.0)
    assert decide(chair).fault is None
    assert decide(chair).cost == Cost(1500.0, 0, "time-out")
    assert [note.code for note in chair.faults] == ["time-out", "time-out"]


@pytest.mark.parametrize(("after", "waited"), [(6.001, 0.0), (1.0, 5.5), (60.0, 0.0)])
def test_a_good_answer_that_is_late_is_a_time_out(after: float, waited: float) -> None:
    chair = chair_of(plays(-1, after, waited))
    decided = decide(chair)
    assert decided.fault is not None
    assert (decided.fault.code, decided.move) == ("time-out", ask_of(chair).ask.moves[0])


def test_connecting_counts_against_the_deadline_but_is_not_charged() -> None:
    chair = chair_of(plays(0, 0.5, waited=5.5))
    assert decide(chair).cost == Cost(500.0, 0, "ok")
    assert chair.time == Time(6000, 1000, 5000)


@given(st.lists(st.floats(0, 10), max_size=12))
def test_the_bank_is_what_was_never_used_of_it(times: list[float]) -> None:
    chair = chair_of(*(plays(-1, after) for after in times))
    bank = CLOCK.bank_ms
    for after in times:
        asked = ask_of(chair)
        assert asked.ask.time == Time(CLOCK.turn_ms + bank, CLOCK.turn_ms, bank)
        decided = decide(chair)
        assert (decided.fault is None) == (after <= asked.allowed)
        over = max(0, ceil(decided.cost.elapsed_ms - CLOCK.turn_ms))
        assert decided.cost.charged_ms == (bank if decided.fault else over)
        bank -= decided.cost.charged_ms
        assert bank >= 0
    assert chair.elapsed_ms == pytest.approx([1000 * after for after in times], abs=0.002)


def test_without_a_clock_no_answer_is_late_and_no_time_is_charged() -> None:
    chair = chair_of(plays(-1, 1e6), fails("reset"), plays(-1), clock=None)
    assert ask_of(chair).allowed == inf
    assert decide(chair).cost == Cost(1e9, 0, "ok")
    assert (decide(chair).fault, len(questions(chair))) == (None, 3)


# The second try


@pytest.mark.parametrize("code", AGAIN)
def test_a_wrong_answer_gets_a_second_try_in_the_time_left_with_the_reason(code: str) -> None:
    chair = chair_of(fails(code, 0.5, waited=0.25), plays(-1, 0.75))
    decided = decide(chair)
    first, second = questions(chair)
    assert (decided.fault, decided.move, decided.cost) == (None, first.ask.moves[-1], Cost(1250.0, 250, "ok"))
    assert second.ask.rejected == Rejection(code, FAULTS[code].meaning)
    assert (second.id, second.allowed, second.ask.time) == (first.id, 5.25, Time(5250, 1000, 5000))


@pytest.mark.parametrize("code", sorted(FAULTS.keys() - AGAIN))
def test_faults_that_a_second_try_cannot_correct_get_none(code: str) -> None:
    chair = chair_of(fails(code), plays(-1))
    decided = decide(chair)
    assert decided.fault is not None
    assert (decided.fault.code, decided.move, len(questions(chair))) == (code, ask_of(chair).ask.moves[0], 1)


def test_there_is_no_third_try_and_only_the_last_fault_counts() -> None:
    chair = chair_of(fails("bad-json", 0.1), fails("wrong-schema", 0.2), plays(-1))
    decided = decide(chair)
    assert (decided.cost, len(questions(chair))) == (Cost(300.0, 0, "wrong-schema"), 2)
    assert [note.code for note in chair.faults] == ["wrong-schema"]


@pytest.mark.parametrize("after", [6.0 - LEAST / 2, 6.0, 7.0])
def test_there_is_no_second_try_without_time_for_it(after: float) -> None:
    chair = chair_of(fails("reset", after), plays(-1))
    assert decide(chair).cost.outcome == "reset"
    assert len(questions(chair)) == 1


@given(st.sampled_from(AGAIN), st.floats(0, 7), st.floats(0, 2), st.floats(0, 7))
def test_no_second_try_adds_thinking_time(code: str, first: float, waited: float, second: float) -> None:
    chair = chair_of(fails(code, first, waited), plays(-1, second))
    decided = decide(chair)
    for again in questions(chair)[1:]:
        assert first + waited + again.allowed <= 6.0 + 1e-9
        assert (decided.fault is None) == (second <= again.allowed)
    if decided.fault is None:
        assert decided.cost.elapsed_ms <= 6000.001
    assert decided.cost.charged_ms <= CLOCK.bank_ms


@given(st.floats(0, 5.9))
def test_a_time_out_in_the_second_try_empties_the_bank_too(first: float) -> None:
    chair = chair_of(fails("illegal-move", first), never)
    assert decide(chair).cost.charged_ms == CLOCK.bank_ms


# Faults and strikes


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(splito.Move("nothing", "left")), "illegal-move"),
        (Answer("r4<"), "illegal-move"),
        (Answer(None), "illegal-move"),
        (Answer(0), "illegal-move"),
        (Answer(legal_moves(MATCH, SEAT)[0], "play:left"), "bad-nudge"),
    ],
)
def test_an_answer_that_breaks_the_contract_is_a_fault(answer: Answer, code: str) -> None:
    assert decide(chair_of(says(answer), says(answer))).cost.outcome == code


def test_faults_are_counted_by_kind_until_there_are_too_many() -> None:
    chair = chair_of(fails("crashed"), plays(), never, fails("crashed"))
    assert [chair.settle(decided_by(chair)) for _ in range(4)] == [False, False, False, True]
    assert sorted(note.code for note in chair.faults) == ["crashed", "crashed", "time-out"]
    chair.hand_over(Scripted())
    assert (chair.replaced, chair.time) == (True, None)


class Uncomparable:
    """A value that cannot be compared, such as an array of numbers."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __eq__(self, other: object) -> bool:
        raise ValueError("which of my elements do you mean?")


@pytest.mark.parametrize(
    ("says", "code"),
    [(Uncomparable(), "illegal-move"), (Answer(Uncomparable()), "illegal-move"), ([], "illegal-move")],
)
def test_a_wrong_return_value_is_a_fault_of_the_function(says: object, code: str) -> None:
    decided = decide(SeatState(Plugin("odd", lambda _: says), CLOCK, 3))
    assert (decided.cost.outcome, decided.void) == (code, None)


def crash(_: Ask) -> object:
    raise ZeroDivisionError("division by zero")


def leave(_: Ask) -> object:
    raise SystemExit(3)


def reorder(ask: Ask) -> object:
    ask.moves.reverse()  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    return ask.moves[0]


@pytest.mark.parametrize("choose", [crash, leave, reorder])
def test_a_function_that_fails_has_crashed(choose: object) -> None:
    chair = SeatState(Plugin("odd", choose), CLOCK, 3)  # pyright: ignore[reportArgumentType]
    decided = decide(chair)
    assert decided.fault is not None
    assert (decided.fault.code, decided.void, decided.move) == ("crashed", None, ask_of(chair).ask.moves[0])


def test_a_note_of_a_function_is_cut() -> None:
    plugin = Plugin("chatty", lambda ask: Answer(ask.moves[0], debug=2000 * "é"))
    heard = asyncio.run(asked(plugin, ask_of(SeatState(plugin, CLOCK, 3))))
    assert isinstance(heard.answer, Answer)
    assert heard.answer.debug == 512 * "é"


# Trouble of our own


class Broken(Scripted):
    def ask(self, question: Question, hear: Hear) -> None:
        raise RuntimeError(f"cannot ask {question.id} for {hear}")


def fail_to_log(_: Exchange) -> None:
    raise RuntimeError("the disk is full")


@pytest.mark.parametrize(
    ("player", "log"),
    [
        (Scripted(says(ConnectionAbortedError("closed by ourselves"))), None),
        (Scripted(fails("reset"), says(OSError("too many open files"))), None),
        (Broken(), None),
        (Scripted(), fail_to_log),
    ],
)
def test_an_error_of_the_arena_is_no_fault_and_always_reported(player: Player, log: Log | None) -> None:
    chair = SeatState(player, CLOCK, 3)
    decided = decide(chair, log)
    assert isinstance(decided.void, Exception)
    assert (decided.fault, chair.faults) == (None, [])


def test_an_ask_that_cannot_be_made_is_no_fault_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_state: object, _seat: object) -> None:
        raise RuntimeError("the rules have a mistake")

    monkeypatch.setattr(splito, "view", broken)
    chair = SeatState(Plugin("first", lambda ask: ask.moves[0]), CLOCK, 3)
    assert isinstance(decide(chair).void, RuntimeError)
    assert chair.faults == []


def test_the_time_of_a_function_begins_when_it_has_its_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    now, view = [0.0], splito.view

    def slow(state: Any, seat: int | None) -> Any:
        now[0] += 5
        return view(state, seat)

    monkeypatch.setattr(splito, "view", slow)
    decided = decide(SeatState(Plugin("first", lambda ask: ask.moves[0], lambda: now[0]), CLOCK, 3))
    assert (now, decided.cost.elapsed_ms) == ([5.0], 0)


def test_an_accepted_answer_counts_whatever_time_the_asking_process_measured() -> None:
    legal = ask_of(chair_of()).moves[-1]
    allowed = ask_of(chair_of()).allowed
    for accepted, fault in ((True, None), (False, "time-out")):
        outcome = AskOutcome(Answer(legal), allowed + 1, accepted=accepted)
        decided = decide(chair_of(lambda _, outcome=outcome: outcome))
        assert (decided.fault and decided.fault.code) == fault


# The log


def test_every_try_is_logged_for_the_owner() -> None:
    log: list[Exchange] = []
    legal = ask_of(chair_of()).ask.moves[-1]
    lines: tuple[Line, ...] = (
        lambda _: AskOutcome(Fault("bad-json", "oops"), 0.5, 0.1, b"ask", b"oops"),
        lambda _: AskOutcome(Answer(legal, None, "a close call"), 0.25, 0.0, b"ask again", b"{}"),
    )
    decide(chair_of(*lines), log.append)
    assert [(one.id, one.match, one.turn, one.seat) for one in log] == 2 * [("m-0-2", "m", 0, 2)]
    assert [(one.request, one.response, one.elapsed_ms) for one in log] == [
        (b"ask", b"oops", 500.0),
        (b"ask again", b"{}", 250.0),
    ]
    assert [one.fault and (one.fault.code, one.fault.detail) for one in log] == [
        ("bad-json", "the body is not JSON: oops"),
        None,
    ]
    assert [one.debug for one in log] == [None, "a close call"]


# What we tell bot authors

PAGE = (Path(__file__).parents[3] / "docs" / "faults.md").read_text("utf-8")


def rows(columns: int, first: str) -> list[list[str]]:
    """Return the rows of the table with that many columns whose rows begin with a text."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if re.match(rf"\| {first}", line)]
    return [line for line in lines if len(line) == columns]


def test_the_page_about_faults_has_them_all() -> None:
    told = {code.strip("`"): (meaning, advice, again) for code, meaning, _, advice, again in rows(5, "`")}
    assert told == {code: (kind.meaning, kind.advice, "yes" if kind.again else "no") for code, kind in FAULTS.items()}


def test_the_example_of_the_page_is_what_happens() -> None:
    told = rows(5, "[0-9]")
    took = [int(row[1].removesuffix(" ms")) / 1000 for row in told]
    lines = [never if row[2] == "`time-out`" else plays(0, after) for row, after in zip(told, took, strict=True)]
    chair = chair_of(*lines, clock=Clock())
    for turn, row in enumerate(told):
        cost = decide(chair).cost
        assert chair.time is not None
        figures = f"{cost.elapsed_ms:.0f} ms", f"`{cost.outcome}`", f"{cost.charged_ms} ms", f"{chair.time.bank_ms} ms"
        assert row == [str(turn), *figures]
    assert len(told) == 7
