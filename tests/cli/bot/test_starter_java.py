"""The Java starter: compiled once, served once, asked and checked over HTTP."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

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
from tests.sdk.signatures import PUBLIC

JAVA, JAVAC = shutil.which("java") or "", shutil.which("javac") or ""
pytestmark = pytest.mark.skipif(not (JAVA and JAVAC), reason="there is no JDK on this machine")
SERVE = (JAVA, "-XX:TieredStopAtLevel=1", "-cp", "out", "Server")
"""With the quick compiler alone, because the tests are too short for the thorough one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("java") / "owl"
    new_bot(made, lang="java")
    sources = sorted(path.name for path in made.glob("*.java"))
    run(made, JAVAC, "-Xlint:all", "-Werror", "-d", "out", *sources)
    return made


@pytest.fixture(scope="module")
def bot(folder: Path) -> Iterator[Served]:
    with served(folder, *SERVE) as it:
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
    with served(folder, *SERVE, **keys) as strict:
        requests = posts_by_ed25519()
        assert verdicts(strict.url, requests) == expected(requests)


def test_it_passes_its_own_tests(folder: Path) -> None:
    assert run(folder, JAVA, "-cp", "out", "BotTest") == "6 asks, all answered with a legal move\n"
