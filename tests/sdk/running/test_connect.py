"""A bot that asks for its asks: against a small service over HTTP, which fails when it is told to."""

import asyncio
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

import splito_bot.running.connect
from splito_arena.match.question import judge, read_answer
from splito_bot import AnyAsk, AnyMove, Bot, BotInfo, Refused, Rejection
from splito_bot.errors import PASSING
from splito_bot.running.connect import FINAL, WAIT, Place, pull
from tests.sdk.asks import question_of
from tests.sdk.desk import LIMIT, Desk, Poll, Reply, open_desk

GAMES = ("splito", "splitit", "splitter")
INFO = BotInfo(name="Owl", author="Ada", version="1", games=[*GAMES])


def first(ask: AnyAsk) -> AnyMove:
    return ask.moves[0]


@pytest.fixture(autouse=True)
def _in_no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splito_bot.running.connect, "PAUSES", (0.0,))


@pytest.fixture
def desk() -> Iterator[Desk]:
    with open_desk() as desk:
        yield desk


@contextmanager
def connected(desk: Desk, bot: Bot) -> Generator[None]:
    """In the background. At the end it is told to stop, and must."""
    ready = threading.Event()
    told: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def run() -> None:
        stop = asyncio.Event()
        told.append((asyncio.get_running_loop(), stop))
        ready.set()
        await pull(bot, Place(desk.url, "bot-1", "key-1"), stop)

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(asyncio.run, run())
        ready.wait()
        try:
            yield
        finally:
            loop, stop = told[0]
            loop.call_soon_threadsafe(stop.set)
            running.result(LIMIT)


def problem(code: str, **fields: Any) -> dict[str, Any]:
    return {"type": "about:blank", "title": "No", "status": 409, "detail": f"it is {code}", "code": code, **fields}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_answers_to_fetched_asks_are_accepted_by_the_arena(desk: Desk, concurrency: int) -> None:
    questions = [question_of(game, turn, f"{game}{turn}") for game in GAMES for turn in range(4)]
    desk.put(*(question.encoded() for question in questions))
    with connected(desk, Bot(first, msgspec.structs.replace(INFO, concurrency=concurrency))):
        handed = dict(desk.next_answer() for _ in questions)
    for question in questions:
        answer = read_answer(question, handed[f"/v1/bot/{question.ask.game}/asks/{question.id}"])
        judge(question, answer)
    assert {poll.limit for poll in desk.polls} <= {*range(1, concurrency + 1)}
    assert desk.polls[0] == Poll("bot-1", WAIT, concurrency, "Bearer key-1")


def test_a_pull_bot_thinks_about_as_many_asks_at_once_as_its_concurrency(desk: Desk) -> None:
    together = threading.Barrier(4)

    def sociable(ask: AnyAsk) -> AnyMove:
        together.wait(LIMIT)  # it passes only if all four are here
        return ask.moves[0]

    with connected(desk, Bot(sociable, msgspec.structs.replace(INFO, concurrency=4))):
        for number in range(4):
            desk.put(question_of("splito", match_id=f"m{number}").encoded())
        assert len({desk.next_answer().path for _ in range(4)}) == 4


def test_a_poll_requests_no_more_asks_than_the_service_allows(desk: Desk) -> None:
    with connected(desk, Bot(first, msgspec.structs.replace(INFO, concurrency=256))):
        desk.wait_for_polls(2)
    assert {poll.limit for poll in desk.polls} == {64}


def test_threads_that_become_free_during_a_poll_start_another_poll(desk: Desk) -> None:
    """Two asks at once, while two others are being thought about and a poll for one more is open."""
    thinking, go_on = threading.Barrier(3), threading.Event()

    def slow(ask: AnyAsk) -> AnyMove:
        if ask.match.startswith("slow"):
            thinking.wait(LIMIT)
            go_on.wait(LIMIT)
        return ask.moves[0]

    with connected(desk, Bot(slow, msgspec.structs.replace(INFO, concurrency=3))):
        desk.put(question_of("splito", match_id="slow1").encoded(), question_of("splito", match_id="slow2").encoded())
        thinking.wait(LIMIT)
        desk.wait_for_polls(2)
        go_on.set()
        desk.wait_for_polls(3)
        assert len({desk.next_answer().path for _ in range(2)}) == 2
    assert [poll.limit for poll in desk.polls[:2]] == [3, 1]


def test_an_answer_that_is_rejected_is_corrected(desk: Desk) -> None:
    seen: list[AnyAsk] = []

    def learning(ask: AnyAsk) -> AnyMove:
        seen.append(ask)
        return ask.moves[1] if ask.rejected else "nonsense"

    question = question_of("splito")
    legal = [msgspec.to_builtins(move) for move in question.ask.moves[:2]]
    desk.replies["PUT"].append(Reply(409, problem("illegal-move", legal_moves=legal, milliseconds_left=900)))
    desk.put(question.encoded())
    with connected(desk, Bot(learning, INFO)):
        answer = read_answer(question, desk.next_answer().body)
    assert answer.move == question.ask.moves[1]
    assert seen[1].rejected == Rejection("illegal-move", "it is illegal-move")
    assert (len(seen[1].moves), seen[1].time.allowed_ms) == (2, 900)


def test_a_rejection_without_legal_moves_keeps_the_moves_of_the_ask(desk: Desk) -> None:
    question = question_of("splito")
    desk.replies["PUT"].append(Reply(409, problem("bad-nudge", milliseconds_left=900)))
    desk.put(question.encoded())
    with connected(desk, Bot(lambda ask: ask.moves[2 if ask.rejected else 0], INFO)):
        assert read_answer(question, desk.next_answer().body).move == question.ask.moves[2]


REFUSED = {
    "who insists": [Reply(409, problem("illegal-move", milliseconds_left=900))],
    "no time is left": [Reply(409, problem("illegal-move", milliseconds_left=0))],
    "nobody says how much": [Reply(409, problem("illegal-move"))],
    "another answer was first": [Reply(409, problem("already-answered", milliseconds_left=900))],
    "the ask is forgotten": [Reply(404, problem("unknown-ask"))],
    "the answer is no answer": [Reply(400, problem("bad-request"))],
    "somebody on the way": [Reply(409, {"no": "problem"})],
}


@pytest.mark.parametrize("replies", REFUSED.values(), ids=REFUSED.keys())
def test_an_ask_without_a_better_answer_is_given_up_with_a_message(
    desk: Desk, replies: list[Reply], capsys: pytest.CaptureFixture[str]
) -> None:
    desk.replies["PUT"] += replies
    desk.put(question_of("splito", match_id="lost").encoded(), question_of("splito", match_id="next").encoded())
    with connected(desk, Bot(first, INFO)):
        assert desk.next_answer().path == "/v1/bot/splito/asks/next-0-0"
    assert "lost-0-0 was" in capsys.readouterr().err


@pytest.mark.parametrize("code", FINAL)
def test_a_final_rejection_is_not_thought_about_again(desk: Desk, code: str) -> None:
    thought: list[str] = []

    def remembering(ask: AnyAsk) -> AnyMove:
        thought.append(ask.match)
        return ask.moves[0]

    desk.replies["PUT"].append(Reply(409, problem(code, milliseconds_left=900)))
    desk.put(question_of("splito", match_id="lost").encoded(), question_of("splito", match_id="next").encoded())
    with connected(desk, Bot(remembering, INFO)):
        desk.next_answer()
    assert thought == ["lost", "next"]


def test_a_bot_that_always_sends_new_wrong_answers_is_given_up(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    left = iter(range(100))
    desk.replies["PUT"] += [Reply(409, problem("illegal-move", milliseconds_left=900))] * 8
    desk.put(question_of("splito", match_id="lost").encoded(), question_of("splito", match_id="next").encoded())
    with connected(desk, Bot(lambda ask: ask.moves[next(left)], INFO)):
        assert desk.next_answer().path == "/v1/bot/splito/asks/next-0-0"
    assert "no better answer to lost-0-0" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_pull_bot_waits_for_a_service_that_refuses_temporarily(
    desk: Desk, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    away = [*(Reply(status, problem("unavailable"), "0") for status in PASSING), Reply(0), Reply(500), Reply(502)]
    desk.replies[method] += away
    desk.put(question_of("splito").encoded())
    with connected(desk, Bot(first, INFO)):
        assert desk.next_answer().path == "/v1/bot/splito/asks/m1-0-0"
    assert desk.replies[method] == []
    assert capsys.readouterr().err.count("trying again in 0 s") == len(away)


def test_an_answer_is_the_same_when_it_is_sent_again(desk: Desk) -> None:
    moves = iter(range(100))
    desk.replies["PUT"].append(Reply(0))
    desk.put(question_of("splito").encoded())
    with connected(desk, Bot(lambda ask: ask.moves[next(moves)], INFO)):
        desk.next_answer()
    assert next(moves) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_bot_that_the_service_refuses_ends(desk: Desk, status: int) -> None:
    desk.replies["GET"].append(Reply(status, problem("no-key")))
    with pytest.raises(Refused, match="no-key") as refused:
        asyncio.run(pull(Bot(first, INFO), Place(desk.url, "bot-1", "wrong"), asyncio.Event()))
    assert refused.value.status == status


def test_a_service_that_cannot_be_reached_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def run() -> None:
        stop = asyncio.Event()

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 4:
                stop.set()

        monkeypatch.setattr(splito_bot.running.connect, "PAUSES", (1.0, 2.0, 3.0))
        monkeypatch.setattr(splito_bot.running.connect, "pause", pause)
        await pull(Bot(first, INFO), Place("http://127.0.0.1:9", "bot-1", "key-1"), stop)

    asyncio.run(run())
    assert pauses[:4] == [1.0, 2.0, 3.0, 3.0]


def test_a_function_that_raises_loses_only_that_ask(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.put(question_of("splitit").encoded(), question_of("splito").encoded())
    with connected(desk, Bot(lambda ask: ask.moves[0] if ask.game == "splito" else 1 / 0, INFO)):
        assert desk.next_answer().path == "/v1/bot/splito/asks/m1-0-0"
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_ask_that_is_handed_out_again_meanwhile_is_answered_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splito_bot.running.connect, "NOTHING_NEW", 0.0)
    thought: list[str] = []

    def slow(ask: AnyAsk) -> AnyMove:
        thought.append(ask.id)
        desk.wait_for_polls(5)
        return ask.moves[0]

    desk.repeated = True
    desk.put(question_of("splito").encoded())
    with connected(desk, Bot(slow, msgspec.structs.replace(INFO, concurrency=2))):
        desk.next_answer()
    assert thought == ["m1-0-0"]
    assert desk.answers.empty()


def test_an_ask_that_was_fetched_before_its_answer_is_not_answered_again(desk: Desk) -> None:
    """The poll that brings it began before; the thread that is free for a third one was thinking about it."""

    def slow(ask: AnyAsk) -> AnyMove:
        desk.wait_for_polls(2)
        return ask.moves[0]

    desk.repeated, desk.held = True, 2
    desk.put(question_of("splito").encoded())
    with connected(desk, Bot(slow, msgspec.structs.replace(INFO, concurrency=2))):
        desk.wait_for_polls(4)
    assert desk.next_answer().path == "/v1/bot/splito/asks/m1-0-0"
    assert desk.answers.empty()


def test_asks_in_progress_at_the_end_are_still_answered(desk: Desk) -> None:
    async def some_time() -> None:
        for _ in range(100):
            await asyncio.sleep(0)

    async def run() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def slow(ask: AnyAsk) -> AnyMove:
            loop.call_soon_threadsafe(stop.set)
            asyncio.run_coroutine_threadsafe(some_time(), loop).result(LIMIT)
            return ask.moves[0]

        await pull(Bot(slow, INFO), Place(desk.url, "bot-1", "key-1"), stop)

    desk.put(question_of("splito").encoded())
    asyncio.run(run())
    assert desk.next_answer().path == "/v1/bot/splito/asks/m1-0-0"
