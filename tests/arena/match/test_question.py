"""Answers of bots: what a bot may write, and how it is read."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.faults import FAULTS, Fault
from splito_arena.match.messages import messages_of
from splito_arena.match.question import History, Question, question, read_answer, read_answers, read_one
from splito_engine.game import AnyGame
from splito_engine.games import splito
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import MAX_DEBUG, Answer, Cost, Time
from splito_engine.registry import games

MATCH = start(splito, 4, "7", {"talk": True})
TIME = Time(1500, 1000, 500)
LEGAL = legal_moves(MATCH, 1)


def ask(match: Match = MATCH, seat: int = 1) -> Question:
    return question(match, seat, "m-1_x", History(), time=TIME, last=Cost(12.5, 0, "ok"))


MOVE = msgspec.json.encode(LEGAL[3])
GOOD: dict[str, tuple[bytes, Answer]] = {
    "a move": (b'{"move":%b}' % MOVE, Answer(LEGAL[3])),
    "its index": (b'{"index":3}', Answer(LEGAL[3])),
    "the first": (b'{"index":0}', Answer(LEGAL[0])),
    "the last": (b'{"index":%d}' % (len(LEGAL) - 1), Answer(LEGAL[-1])),
    "the ask it answers": (b'{"ask":"m-1_x-0-1","index":3}', Answer(LEGAL[3])),
    "a nudge": (b'{"index":3,"nudge":"play:left"}', Answer(LEGAL[3], "play:left")),
    "no nudge": (b'{"index":3,"nudge":null,"debug":null}', Answer(LEGAL[3])),
    "a note": (b'{"index":3,"debug":"close"}', Answer(LEGAL[3], None, "close")),
    "a long note": (b'{"index":3,"debug":"%b"}' % (MAX_DEBUG * "é").encode(), Answer(LEGAL[3], None, 512 * "é")),
    "spaces": (b' \n{ "index" :\t3 }\r\n', Answer(LEGAL[3])),
    "a key twice": (b'{"index":0,"index":3}', Answer(LEGAL[3])),
    "escapes": (b'{"\\u0069ndex":3}', Answer(LEGAL[3])),
}
BAD: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "bad-json"),
    "half of it": (b'{"index":', "bad-json"),
    "two of them": (b'{"index":3}{"index":3}', "bad-json"),
    "a page": (b"<html>", "bad-json"),
    "a byte order mark": (b'\xef\xbb\xbf{"index":3}', "bad-json"),
    "UTF-16": ('{"index":3}'.encode("utf-16"), "bad-json"),
    "Latin-1": (b'{"index":3,"debug":"\xe9"}', "bad-json"),
    "half a surrogate pair": (b'{"index":3,"debug":"\\ud800"}', "bad-json"),
    "NaN": (b'{"index":NaN}', "bad-json"),
    "Infinity": (b'{"index":Infinity}', "bad-json"),
    "a comment": (b'{"index":3} // mine', "bad-json"),
    "single quotes": (b"{'index':3}", "bad-json"),
    "null": (b"null", "wrong-schema"),
    "a number": (b"3", "wrong-schema"),
    "a list": (b'[{"index":3}]', "wrong-schema"),
    "a deep list": (10_000 * b"[", "wrong-schema"),
    "a deep note": (b'{"debug":' + 10_000 * b"[", "wrong-schema"),
    "a deep field of its own": (b'{"x":' + 10_000 * b"[", "wrong-schema"),
    "no move": (b"{}", "wrong-schema"),
    "move and index": (b'{"move":%b,"index":3}' % MOVE, "wrong-schema"),
    "an unknown field": (b'{"index":3,"because":"I can"}', "wrong-schema"),
    "a negative index": (b'{"index":-1}', "wrong-schema"),
    "half an index": (b'{"index":1.5}', "wrong-schema"),
    "an index in words": (b'{"index":"3"}', "wrong-schema"),
    "true": (b'{"index":true}', "wrong-schema"),
    "a huge number": (b'{"index":%b}' % (60_000 * b"9"), "wrong-schema"),
    "a huge float": (b'{"index":%b.5}' % (60_000 * b"9"), "wrong-schema"),
    "a huge exponent": (b'{"index":1e999}', "wrong-schema"),
    "a move in words": (b'{"move":"r4<"}', "wrong-schema"),
    "half a move": (b'{"move":{"card":"r4"}}', "wrong-schema"),
    "a move and more": (b'{"move":{"card":"r4","side":"left","x":1}}', "wrong-schema"),
    "another side": (b'{"move":{"card":"r4","side":"up"}}', "wrong-schema"),
    "an empty nudge": (b'{"index":3,"nudge":""}', "wrong-schema"),
    "a long nudge": (b'{"index":3,"nudge":"%b"}' % (65 * b"x"), "wrong-schema"),
    "a note too long": (b'{"index":3,"debug":"%b"}' % ((MAX_DEBUG + 1) * b"x"), "wrong-schema"),
    "an id with a line break": (b'{"ask":"a\\nb","index":3}', "wrong-schema"),
    "another ask": (b'{"ask":"m-1_x-1-1","index":3}', "wrong-ask"),
    "another seat": (b'{"ask":"m-1_x-0-2","index":3}', "wrong-ask"),
    "another match": (b'{"ask":"other-0-1","index":3}', "wrong-ask"),
    "an index too large": (b'{"index":%d}' % len(LEGAL), "illegal-move"),
    "2 to the 63": (b'{"index":%d}' % 2**63, "illegal-move"),
    "a very large index": (b'{"index":%b}' % (4000 * b"9"), "illegal-move"),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_answer_is_read(name: str) -> None:
    body, expected = GOOD[name]
    assert read_answer(ask(), body) == expected


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_the_fault_of_its_kind(name: str) -> None:
    body, code = BAD[name]
    with pytest.raises(Fault) as caught:
        read_answer(ask(), body)
    assert caught.value.code == code
    assert len(str(caught.value)) < 400


def read(how: Callable[[], Any]) -> Any:
    """Return the answer that was read, or the code of its fault."""
    try:
        return how()
    except Fault as fault:
        return fault.code


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,0123456789.eE-+index movask\\u', max_size=40).map(str.encode))
def test_any_bytes_are_read_as_an_answer_or_a_fault(body: bytes) -> None:
    found = read(lambda: read_answer(ask(), body))
    assert found in FAULTS or found.move in LEGAL


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["ask", "move", "index"]), inner),
    max_leaves=5,
)


@given(JSON)
def test_any_json_is_read_as_an_answer_or_a_fault(value: Any) -> None:
    body = json.dumps(value).encode()
    found = read(lambda: read_answer(ask(), body))
    assert found in FAULTS or found.move in LEGAL
    found = read(lambda: read_answers(splito, b'{"answers":%b}' % body))
    assert isinstance(found, dict) or found in FAULTS


# Batches


def test_each_ask_of_a_batch_gets_its_own_answer() -> None:
    body = b'{"answers":[{"ask":"m-1_x-0-2","index":1},{"ask":"m-1_x-0-1","index":99},{"ask":"never-1-1","index":0}]}'
    answers = read_answers(splito, body)
    assert read_one(ask(seat=2), answers) == Answer(legal_moves(MATCH, 2)[1])
    for seat, code in ((1, "illegal-move"), (3, "wrong-ask")):
        with pytest.raises(Fault) as caught:
            read_one(ask(seat=seat), answers)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"answers":[{"index":1}]}', "wrong-schema"),
        (b'{"answers":[{"ask":"a","index":1}],"more":[]}', "wrong-schema"),
        (b'[{"ask":"a","index":1}]', "wrong-schema"),
        (b'{"answers":[%b]}' % b",".join(65 * [b'{"ask":"a","index":1}']), "wrong-schema"),
        (b'{"answers":[', "bad-json"),
    ],
)
def test_a_batch_that_cannot_be_read_is_one_fault(body: bytes, code: str) -> None:
    with pytest.raises(Fault) as caught:
        read_answers(splito, body)
    assert caught.value.code == code


# What is asked


@pytest.mark.parametrize("game", games().values(), ids=games())
def test_an_ask_is_what_the_contract_says(game: AnyGame) -> None:
    match = start(game, game.INFO.max_players, "7")
    for _ in range(3):
        for seat in match.actors:
            body = ask(match, seat).encoded()
            found = msgspec.json.decode(body, type=messages_of(game).Ask)
            assert (found.seat, found.moves, found.view) == (
                seat,
                legal_moves(match, seat),
                game.view(match.state, seat),
            )
            assert (json.loads(body)["game"], found.turn, len(found.history)) == (game.INFO.id, *2 * [len(match.turns)])
        match = play(match, {seat: legal_moves(match, seat)[-1] for seat in match.actors})


def test_the_deadline_is_counted_from_when_it_is_sent() -> None:
    sent = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert json.loads(ask().encoded(sent))["deadline"] == "2030-01-01T12:00:01.500000Z"


def test_an_ask_without_a_time_is_not_sent() -> None:
    with pytest.raises(ValueError, match="deadline"):
        question(MATCH, 1, "m", History()).encoded()


def test_a_repeated_ask_differs_only_in_its_time_and_the_rejection() -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    first = json.loads(ask().encoded(now))
    again = json.loads(ask().again(Fault("bad-json", "oops"), 0.7509).encoded(now))
    assert {name for name in first if first[name] != again[name]} == {"time", "deadline", "rejected"}
    assert again["time"] == {"allowed_ms": 750, "turn_ms": 1000, "bank_ms": 500}
    assert again["rejected"] == {"code": "bad-json", "detail": "the body is not JSON: oops"}


def test_the_history_is_written_from_the_first_turn_on() -> None:
    match, history, seen = MATCH, History(), list[Any]()
    for _ in range(3):
        moves = {seat: legal_moves(match, seat)[0] for seat in match.actors}
        seen.append(
            {
                "turn": len(match.turns),
                "moves": [
                    {"seat": seat, "move": msgspec.to_builtins(move)} | ({"nudge": "play:left"} if seat == 3 else {})
                    for seat, move in moves.items()
                ],
            }
        )
        match = play(match, moves, {3: "play:left"})
        for seat in match.actors:
            found = question(match, seat, "m", history, time=TIME)
            assert json.loads(found.encoded())["history"] == seen


def test_an_earlier_turn_can_be_written_after_a_later_one() -> None:
    later, history = play(MATCH, {seat: legal_moves(MATCH, seat)[0] for seat in MATCH.actors}), History()
    written = [json.loads(question(match, 0, "m", history, time=TIME).encoded()) for match in (later, MATCH)]
    assert [len(ask["history"]) for ask in written] == [len(later.turns), len(MATCH.turns)]
