"""A fault is passed on once its turn is decided, with its ask, its answer and its traceback."""

import pickle

import pytest

from splito_arena.bots.direct import Bot, play_match
from splito_arena.bots.fault_log import LONGEST, MOST_OF_A_KIND, BotFailed, BotFault, FaultLog
from splito_arena.faults import FaultNote
from splito_arena.match.seat import Exchange
from splito_engine.player import Ask
from splito_engine.registry import find_game


def exchange(ask: str, code: str | None = None, response: bytes = b"") -> Exchange:
    fault = FaultNote(0, code, "wrong") if code else None
    return Exchange(
        id=ask, match="m", turn=0, seat=0, request=b"{}", response=response, elapsed_ms=1.0, fault=fault, debug=None
    )


def passed_on(*exchanges: Exchange) -> list[tuple[str, str]]:
    found = list[BotFault]()
    log = FaultLog("splitter", found.append)
    for one in exchanges:
        log.take("owl", one)
    log.close()
    return [(one.id, one.fault.code) for one in found if one.fault]


def test_a_fault_without_a_second_try_is_passed_on_at_once() -> None:
    assert passed_on(exchange("a", "crashed"), exchange("b", "time-out")) == [("a", "crashed"), ("b", "time-out")]


def test_the_second_try_decides() -> None:
    first = exchange("a", "illegal-move")
    assert passed_on(first, exchange("a")) == []
    assert passed_on(first, exchange("a", "illegal-move")) == [("a", "illegal-move")]
    assert passed_on(first, exchange("a", "time-out")) == [("a", "time-out")]


def test_a_first_try_without_time_for_a_second_one_is_passed_on_at_the_end() -> None:
    assert passed_on(exchange("a", "illegal-move"), exchange("b")) == [("a", "illegal-move")]


def test_the_number_of_faults_of_a_kind_and_their_size_are_limited() -> None:
    many = [exchange(f"a{number}", "crashed") for number in range(MOST_OF_A_KIND + 5)]
    assert len(passed_on(*many, exchange("b", "time-out"))) == MOST_OF_A_KIND + 1
    found = list[BotFault]()
    FaultLog("splitter", found.append).take("owl", exchange("a", "time-out", b"x" * (LONGEST + 1)))
    assert len(found[0].response) == LONGEST


def raises_later(ask: Ask) -> object:
    return ask.moves[0] if ask.turn < 2 else dict[str, object]()["no such key"]


def test_a_bot_that_fails_without_a_clock_ends_the_match_with_its_ask_and_the_authors_frames() -> None:
    with pytest.raises(BotFailed) as failed:
        play_match(find_game("splitter"), [Bot("owl", raises_later)], "7")
    again = pickle.loads(pickle.dumps(failed.value))  # noqa: S301 (it comes from another process like this)
    fault = again.fault
    assert "owl" in again.message
    assert (fault.turn, fault.seat, fault.fault.code, fault.game) == (2, 0, "crashed", "splitter")
    assert "in raises_later" in fault.traceback
    assert "splito_arena" not in fault.traceback
    assert '"turn":2' in fault.request
