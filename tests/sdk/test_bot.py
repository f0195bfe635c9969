"""A bot is one function; what it returns becomes an answer, and the same ask gets the same answer."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

import splito_bot.bot
import splito_engine.player
from splito_arena.bots.in_process import Plugin
from splito_arena.match.question import judge, read_answer
from splito_bot import Answer, AnyAsk, AnyMove, Bot, BotInfo, Rejection, load_bot, read_ask
from splito_bot.bot import BadBot, Crashed
from splito_bot.games.splito import SplitoMove
from tests.sdk.asks import ask_of, question_of

GAMES = ("splito", "splitit", "splitter")


def last(ask: AnyAsk) -> AnyMove:
    return ask.moves[-1]


def talkative(ask: AnyAsk) -> Answer[Any]:
    """Uses all that an ask has, on the wire and in the process of the arena."""
    move = Random(ask.seed).choice(ask.moves)
    played = [revealed.move for turn in ask.history for revealed in turn.moves if revealed.seat == ask.seat]
    note = (
        f"{ask.game} {ask.match} {ask.turn} {ask.view.players == ask.players} {len(played)} {ask.last} {ask.rejected}"
    )
    return Answer(move=move, nudge=None, debug=note if ask.time else None)


def answered(bot: Bot, ask: AnyAsk) -> Any:
    return msgspec.json.decode(bot.answer(ask))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("turn", [0, 4])
def test_the_arena_accepts_the_answers_of_a_bot(game: str, turn: int) -> None:
    asked = question_of(game, turn)
    answer = read_answer(asked, Bot(last).answer(read_ask(asked.encoded())))
    judge(asked, answer)
    assert answer.move == asked.ask.moves[-1]


@pytest.mark.parametrize("game", GAMES)
def test_the_same_function_plays_inside_the_arena(game: str) -> None:
    asked = question_of(game, 3)
    heard: list[Any] = []
    Plugin("talkative", talkative).ask(asked, heard.append)  # pyright: ignore[reportArgumentType] (it looks the same)
    over_http = read_answer(asked, Bot(talkative).answer(read_ask(asked.encoded())))
    assert heard[0].answer == over_http
    assert over_http.debug == f"{game} m1 3 True {sum(0 in turn.moves for turn in asked.ask.turns)} None None"


SENT: list[tuple[Any, dict[str, Any]]] = [
    (Answer(index=3), {"index": 3}),
    (Answer(move=SplitoMove("r2", "left"), nudge="play:left"), {"nudge": "play:left"}),
    (splito_engine.player.Answer(SplitoMove("r2", "left"), debug="sure"), {"debug": "sure"}),
    (Answer(index=0, debug="é" * 600), {"debug": "é" * 512}),
]


@pytest.mark.parametrize(("said", "sent"), SENT)
def test_a_function_may_return_a_move_or_an_answer(said: Any, sent: dict[str, Any]) -> None:
    found = answered(Bot(lambda _: said), ask_of("splito"))
    assert found["ask"] == "m1-0-0"
    assert sent.items() <= found.items()


ILLEGAL: list[tuple[Any, str]] = [
    (SplitoMove("z9", "left"), 'is not one of the 24 legal moves: {"card":"r2","side":"left"}'),
    (None, "None is not one of the 24 legal moves"),
    (Answer(index=24), "ask.moves goes from 0 to 23"),
    (Answer(index=-1), "ask.moves goes from 0 to 23"),
    (Answer(debug="no move"), "an Answer has either a move or an index"),
    (Answer(index=0, nudge="hello"), "'hello' cannot be said now; allowed: nothing"),
]


@pytest.mark.parametrize(("said", "told"), ILLEGAL)
def test_an_illegal_answer_is_sent_and_the_reason_printed(
    said: Any, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(Bot(lambda _: said), ask_of("splito"))
    assert told in capsys.readouterr().err


def test_a_legal_answer_prints_no_message(capsys: pytest.CaptureFixture[str]) -> None:
    answered(Bot(last), ask_of("splito"))
    assert capsys.readouterr().err == ""


def failing(error: BaseException) -> Any:
    def choose(_: AnyAsk) -> AnyMove:
        raise error

    return choose


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), SystemExit(3), KeyboardInterrupt()])
def test_the_traceback_of_a_function_that_raises_is_printed(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Crashed, match=type(error).__name__):
        Bot(failing(error)).answer(ask_of("splito"))
    shown = capsys.readouterr().err
    assert "the answer to m1-0-0 of splito: the function raised an error" in shown
    assert "in choose" in shown


def test_a_return_value_that_cannot_be_sent_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Crashed):
        Bot(lambda _: object()).answer(ask_of("splito"))
    assert "cannot be sent" in capsys.readouterr().err


class Counting:
    """Another move each time."""

    def __init__(self) -> None:
        self.asked: list[AnyAsk] = []

    def __call__(self, ask: AnyAsk) -> AnyMove:
        self.asked.append(ask)
        return ask.moves[len(self.asked)]


def test_an_ask_that_comes_again_gets_the_same_answer() -> None:
    counting = Counting()
    bot, ask = Bot(counting), ask_of("splito")
    assert bot.answer(ask) == bot.answer(ask_of("splito"))
    assert len(counting.asked) == 1


def test_an_ask_with_a_rejected_answer_is_thought_about_again() -> None:
    counting = Counting()
    bot, ask = Bot(counting), ask_of("splito")
    first = bot.answer(ask)
    corrected = bot.answer(msgspec.structs.replace(ask, rejected=Rejection("illegal-move", "it is none")))
    assert corrected != first
    assert counting.asked[1].rejected == Rejection("illegal-move", "it is none")
    assert bot.answer(ask) == corrected


def test_a_different_ask_with_the_same_id_gets_its_own_answer() -> None:
    """A local player may give every match the same id."""
    bot, ask = Bot(last), ask_of("splito")
    bot.answer(ask)
    other = msgspec.structs.replace(ask, moves=ask.moves[:3])
    assert answered(bot, other)["move"] == msgspec.to_builtins(ask.moves[2])


def test_an_ask_whose_answer_failed_calls_the_function_again() -> None:
    asked: list[AnyAsk] = []

    def moody(ask: AnyAsk) -> AnyMove:
        asked.append(ask)
        return ask.moves[0] if len(asked) > 1 else 1 / 0

    bot = Bot(moody)
    with pytest.raises(Crashed):
        bot.answer(ask_of("splito"))
    assert answered(bot, ask_of("splito"))["move"]


def test_a_repeated_ask_waits_for_the_answer_that_is_being_computed() -> None:
    begun, go_on = threading.Event(), threading.Event()
    asked: list[str] = []

    def slow(ask: AnyAsk) -> AnyMove:
        asked.append(ask.id)
        begun.set()
        go_on.wait()
        return ask.moves[0]

    bot = Bot(slow)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(bot.answer, ask_of("splito"))
        begun.wait()
        second = threads.submit(bot.answer, ask_of("splito"))
        go_on.set()
        assert first.result() == second.result()
    assert asked == ["m1-0-0"]


def test_only_a_limited_number_of_answers_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splito_bot.bot, "REMEMBERED", 2)
    counting = Counting()
    bot = Bot(counting)
    for match in ("a", "b", "c", "c", "b", "a"):
        bot.answer(ask_of("splito", match_id=match))
    assert [ask.match for ask in counting.asked] == ["a", "b", "c", "a"]


def test_an_ask_of_an_unknown_game_has_dictionaries_and_lists() -> None:
    body = question_of("splito").encoded().replace(b'"game":"splito"', b'"game":"else"', 1)
    ask = read_ask(body)
    assert ask.moves[0] == {"card": "r2", "side": "left"}
    assert answered(Bot(last), ask)["move"] == ask.moves[-1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, "utf-8")


def test_a_bot_is_loaded_from_the_working_folder(folder: Path) -> None:
    write(folder, "plain_bot", "def choose(ask):\n    return ask.moves[0]\n")
    info = BotInfo(name="plain_bot", author="anonymous", version="1", games=[*GAMES])
    assert load_bot("plain_bot:choose").info == load_bot("plain_bot").info == info
    assert load_bot("plain_bot", name="Owl", concurrency=4).info == msgspec.structs.replace(
        info, name="Owl", concurrency=4
    )


def test_a_module_may_have_its_info_and_functions_for_notices(folder: Path) -> None:
    text = """
from splito_bot import BotInfo
INFO = BotInfo(name="Owl", author="Ada", version="7", games=["splito"], batch=8)
def pick(ask): return ask.moves[0]
def on_end(ended): print(ended)
"""
    write(folder, "owl_bot", text)
    assert load_bot("owl_bot:pick", version="8").info == BotInfo(
        name="Owl", author="Ada", version="8", games=["splito"], batch=8, notices=True
    )


@pytest.mark.parametrize(
    ("path", "changes", "said"),
    [
        ("no_such_bot", {}, "'no_such_bot' cannot be imported: ModuleNotFoundError"),
        ("bad_bots:no_such", {}, "bad_bots has no function 'no_such'"),
        ("bad_bots", {}, "bad_bots has no function 'choose'"),
        ("bad_bots:later", {}, "is async: write a plain function"),
        ("bad_bots:fine", {"concurrency": 0}, r"Expected `int` >= 1 - at `\$.concurrency`"),
        ("bad_bots:fine", {"batch": 65}, r"Expected `int` <= 64 - at `\$.batch`"),
        ("bad_bots:fine", {"games": []}, r"at `\$.games`"),
        ("told_bot:fine", {}, "INFO of told_bot is wrong: write INFO = BotInfo"),
        ("broken_bot", {}, "'broken_bot' cannot be imported: SyntaxError"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_reported(folder: Path, path: str, changes: dict[str, Any], said: str) -> None:
    write(folder, "bad_bots", "async def later(ask): pass\ndef fine(ask): pass\nchoose = 3\n")
    write(folder, "told_bot", "INFO = {'name': 'Owl'}\ndef fine(ask): pass\n")
    write(folder, "broken_bot", "def choose(ask:\n")
    with pytest.raises(BadBot, match=said):
        load_bot(path, **changes)
