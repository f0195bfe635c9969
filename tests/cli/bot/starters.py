"""Bots of `splito bot new` as processes, and what every bot must refuse or answer over HTTP."""

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.checks import CHECKS, Address, Report, Scope, at_address, check
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import asked
from splito_arena.match.question import Question, judge
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import ID, SIGNATURE, Key, new_secret, sign
from splito_cli.bot.new import FOLDER
from splito_engine.player import Answer
from tests.sdk.asks import JSON, question_of
from tests.sdk.signatures import PRIVATE

GAMES = ("splito", "splitit", "splitter")
LIMIT = 240.0
"""Seconds for a compiler or a bot's own tests on a busy machine."""
OLD, NEW = new_secret(), new_secret()
KEY = Key(OLD).rotated(NEW)
"""The secrets of a served bot, of which one replaces the other."""


class Served(NamedTuple):
    """A bot in a process of its own, with both secrets."""

    url: str
    popen: "subprocess.Popen[str]"


def run(folder: Path, *command: str, **environ: str) -> str:
    """Return the output of a command. Fail if it fails."""
    done = subprocess.run(
        command, cwd=folder, env=environment(environ), capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def served(folder: Path, *command: str, **environ: str) -> Generator[Served]:
    """Serve a bot on a free port until the end. What it writes goes to a file, so that it never waits for a reader."""
    settings = {"PORT": "0", "SPLITO_BOT_SECRET": ",".join(KEY.secrets), **environ}
    log = folder / "log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(command, cwd=folder, env=environment(settings), stderr=stderr, text=True) as popen,
    ):
        try:
            yield Served(_address(popen, log), popen)
        finally:
            popen.terminate()
            popen.wait(LIMIT)


def _address(popen: "subprocess.Popen[str]", log: Path) -> str:
    until = time.monotonic() + LIMIT
    while not (found := re.search(r"at (http://\S+?:\d+)\b", log.read_text("utf-8"))):
        assert popen.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < until, "the bot did not begin to listen"
        time.sleep(0.02)
    return found[1]


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **changes}


def report(url: str) -> Report:
    """Return the report of the checks of an arena, as `splito bot check URL --secret ... --quick` makes it."""

    async def checked() -> Report:
        async with at_address(Address(url, KEY, allow_private=True)) as subject:
            return await check(subject, Scope(quick=True, limit=LIMIT), lambda _: None)

    return asyncio.run(checked())


def failures(found: Report) -> list[Any]:
    """Return the checks that a bot has not passed. No starter wants notices; a busy machine may make any bot slow."""
    assert {row.check for row in found.rows} == CHECKS.keys()
    return [
        row for row in found.rows if row.outcome != "passed" and (row.check, row.outcome) not in {*NOT_ASKED, *SLOW}
    ]


NOT_ASKED = [("notices", "not-checked")]
SLOW = [("latency", "warned")]


def ask_all(url: str, games: Sequence[str] = GAMES, turns: int = 8) -> tuple[BotInfo, dict[str, tuple[Question, Any]]]:
    """Return the info of a bot, which proves its secret, and its answers to asks of the first turns of all games."""

    async def ask() -> tuple[BotInfo, dict[str, tuple[Question, Any]]]:
        async with Caller() as caller:
            client = BotClient(caller, url, KEY, allow_private=True)
            info = await client.info()
            await client.prove()
            questions = [question_of(game, turn, f"{game}{turn}") for game in games for turn in range(turns)]
            heard = await asyncio.gather(*(asked(Push(client, info), question) for question in questions))
            return info, {q.id: (q, one.answer) for q, one in zip(questions, heard, strict=True)}

    return asyncio.run(ask())


def check_answers(found: Mapping[str, tuple[Question, Any]]) -> None:
    for question, answer in found.values():
        assert isinstance(answer, Answer), answer
        judge(question, answer)


BODY = question_of("splitter").encoded()


class Post(NamedTuple):
    """A request to `/ask`, and the code with which a bot refuses it; none if it answers."""

    headers: Mapping[str, str]
    code: str = ""
    body: bytes = BODY


def signed(name: str, key: Key = KEY, when: float = 0, body: bytes = BODY) -> dict[str, str]:
    """Return the headers of a request that was signed some seconds ago or, with fewer than 0, will be."""
    return {**sign(key, name, int(time.time() - when), body), **JSON}


def posts() -> dict[str, Post]:
    """Return good and bad requests, to be sent in this order."""
    right = signed("shape")
    return {
        "signed with both secrets": Post(signed("both")),
        "signed with the old one": Post(signed("old", Key(OLD))),
        "signed with the new one": Post(signed("new", Key(NEW))),
        "one right among others": Post(
            {**right, ID: "many", SIGNATURE: f"v9,x v1,AAAA {signed('many')[SIGNATURE]} v1a,AAAA"}
        ),
        "five minutes old, almost": Post(signed("almost", when=270)),
        "ahead of the clock, a little": Post(signed("ahead", when=-270)),
        "unsigned": Post(JSON, "missing-header"),
        "without an id": Post({name: value for name, value in right.items() if name != ID}, "missing-header"),
        "a full stop in the id": Post({**right, ID: "a.b"}, "missing-header"),
        "a letter in the time": Post({**right, "webhook-timestamp": "12e4"}, "missing-header"),
        "too many signatures": Post({**right, SIGNATURE: " ".join([right[SIGNATURE]] * 9)}, "missing-header"),
        "by another secret": Post(signed("other", Key(new_secret())), "wrong-signature"),
        "of another body": Post(right, "wrong-signature", BODY + b" "),
        "of another id": Post({**right, ID: "shape2"}, "wrong-signature"),
        "of another kind": Post({**right, SIGNATURE: right[SIGNATURE].replace("v1,", "v1a,")}, "wrong-signature"),
        "without padding": Post({**right, SIGNATURE: right[SIGNATURE].replace("=", "")}, "wrong-signature"),
        "too old": Post(signed("past", when=302), "stale-message"),
        "too new": Post(signed("future", when=-330), "stale-message"),
        "once": Post(signed("once")),
        "twice": Post(signed("once"), "replayed"),
        "twice, signed anew": Post(signed("once", when=5), "replayed"),
        "no JSON": Post(signed("text", body=b"hello"), "bad-request", b"hello"),
        "no ask": Post(signed("empty", body=b"{}"), "bad-request", b"{}"),
        "another message": Post(signed("list", body=b"[]"), "bad-request", b"[]"),
        "deep brackets": Post(signed("deep", body=b"[" * 100_000), "bad-request", b"[" * 100_000),
    }


def verdicts(url: str, requests: Mapping[str, Post]) -> dict[str, str]:
    """Return the code with which a bot refuses each request."""
    with httpx.Client(base_url=url, timeout=LIMIT) as client:
        return {
            name: _verdict(client.post("/ask", content=post.body, headers=post.headers))
            for name, post in requests.items()
        }


def _verdict(response: httpx.Response) -> str:
    if response.status_code == 200:
        return "" if {"move", "index"} & response.json().keys() else "no answer"
    problem = json.loads(response.content)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert problem["status"] == response.status_code
    return problem["code"]


def expected(requests: Mapping[str, Post]) -> dict[str, str]:
    return {name: post.code for name, post in requests.items()}


ED25519 = Key(OLD, ed25519=(PRIVATE.sign,), recipient="owl")
"""The secret of the bot `owl`, with the key that signs for all bots of the arena."""


def posts_by_ed25519() -> dict[str, Post]:
    """Return requests to the bot `owl`, which checks signatures by the public key of the arena."""
    fox = msgspec.structs.replace(ED25519, recipient="fox")
    other = msgspec.structs.replace(ED25519, ed25519=(Ed25519PrivateKey.generate().sign,))
    return {
        "signed with both kinds": Post(signed("one", ED25519)),
        "twice": Post(signed("one", ED25519), "replayed"),
        "to another bot": Post(signed("two", fox), "wrong-recipient"),
        "by another key": Post(signed("three", other), "wrong-signature"),
        "by the secret alone": Post(signed("four", Key(OLD, recipient="owl")), "wrong-signature"),
        "of another body": Post(signed("five", ED25519), "wrong-signature", BODY + b" "),
        "too old": Post(signed("six", ED25519, when=302), "stale-message"),
    }


def statuses(url: str) -> dict[str, int]:
    """Return the statuses of answers to requests that no bot knows."""
    with httpx.Client(base_url=url, timeout=LIMIT) as client:
        return {f"{method} {path}": client.request(method, path).status_code for method, path in UNKNOWN}


UNKNOWN = [("POST", "/moves"), ("GET", "/nothing")]


def splito_moves(found: Mapping[str, tuple[Question, Any]]) -> dict[str, Any]:
    return {name: answer.move for name, (_, answer) in found.items() if name.startswith("splito")}


def greedy_moves(found: Mapping[str, tuple[Question, Any]]) -> dict[str, Any]:
    """Return the moves of Splito that the Python starter plays where another bot was asked."""
    spec = spec_from_file_location("greedy_starter", FOLDER / "python" / "greedy" / "my_bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: module.choose(question.ask) for name, (question, _) in found.items() if name.startswith("splito")}
