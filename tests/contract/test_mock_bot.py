"""A mock server that Prism makes from `openapi/bot.yaml` is a legal bot, and finds every request of the arena valid.

Prism answers with the first example of the document, and refuses requests that do not match their schema.
"""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.match.referee import Played, referee
from splito_arena.match.seat import Clock
from splito_arena.match.terms import PlayTerms, Terms
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key, new_secret
from splito_engine.registry import find_game
from splito_service.http.contract.document import HOUSE
from tests.contract.tools import BOT, LIMIT, NODE, needs_packages, package

PATIENT = Clock(turn_ms=round(1000 * LIMIT), bank_ms=0)
LISTENS = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")

pytestmark = [pytest.mark.anyio, needs_packages]


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a mock server for `openapi/bot.yaml`."""
    folder = tmp_path_factory.mktemp("prism")
    command = [NODE, package("prism"), "mock", "--host", "127.0.0.1", "--port", "0", BOT]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield _address(process, folder / "log")
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Wait until the mock server listens and return its address."""
    deadline = time.monotonic() + LIMIT
    while not (found := LISTENS.search(log.read_text("utf-8"))):
        assert process.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < deadline, log.read_text("utf-8")
        time.sleep(0.05)
    return found[1]


@pytest.mark.parametrize("game", HOUSE)
async def test_a_mock_server_plays_a_whole_match_without_a_fault(mock: str, game: str) -> None:
    async with Caller() as caller:
        played = await _play(BotClient(caller, mock, None, allow_private=True), game)
    assert played.seats[0].name == "Marvin"
    assert [(seat.faults, seat.replaced) for seat in played.seats] == [((), False)] * 3
    assert len(played.seats[0].elapsed_ms) > 10, "the mock server was asked in every turn of its seat"


async def test_a_mock_server_takes_signed_requests_too(mock: str) -> None:
    async with Caller() as caller:
        client = BotClient(caller, mock, Key(new_secret(), recipient="marvin"), allow_private=True)
        played = await _play(client, "splitter")
    assert played.seats[0].faults == ()


def test_a_mock_server_refuses_an_ask_that_is_not_as_the_document_says(mock: str) -> None:
    """Otherwise a match against it would not show that the document describes the real asks."""
    assert httpx.post(f"{mock}/ask", json={"game": "splito", "moves": []}, timeout=LIMIT).is_client_error


async def _play(client: BotClient, game: str) -> Played:
    """Play a match of three: the mock server, and two built-in bots."""
    found, info = find_game(game), await client.info()
    assert game in info.games
    players = [Push(client, info), Plugin("greedy", find_bot("greedy")), Plugin("random", find_bot("random"))]
    terms = Terms(game=found, match="mock", seed="7", salt="00" * 16, play=PlayTerms(clock=PATIENT))
    return await referee(terms, players, lambda _: players[-1])
