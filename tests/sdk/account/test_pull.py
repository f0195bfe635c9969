"""A pull bot on a real service: `connect` finds or registers it, tells its info once, and plays until it is stopped."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from splito_bot.account.access import Access
from splito_bot.account.profiles import Profile, Profiles
from splito_bot.account.pull import ready_pull_bot
from splito_bot.account.session import Session
from splito_bot.account.trouble import Trouble
from splito_bot.contract import BotInfo
from splito_bot.owner import Owner
from tests.sdk.test_program import ending, line, program
from tests.service.process import Process

INFO = BotInfo(name="kite", author="Ada", version="1", games=["splitter"])


@pytest.fixture
def ada(service: Process, tmp_path: Path) -> Iterator[Session]:
    """The session of an owner, with a profile of her own."""
    with Owner.create(service.url, "Ada") as owner:
        profiles = Profiles(tmp_path / "splito")
        with Session(Access(service.url, owner.key, "default"), profiles) as session:
            profiles.put("default", Profile(service.url, session.account().id, "Ada", owner.key))
            yield session


def test_a_new_pull_bot_is_registered_described_and_remembered(ada: Session) -> None:
    bot = ready_pull_bot(ada, INFO, None)
    assert (bot.name, bot.kind, bot.state, bot.version) == ("kite", "pull", "ready", "1")
    assert [saved.id for saved in ada.profiles.bots("default")] == [bot.id]
    assert ready_pull_bot(ada, INFO, None).id == bot.id
    assert [one.id for one in ada.bots()] == [bot.id]


def test_a_new_version_is_told_and_the_same_info_is_not(ada: Session, capsys: pytest.CaptureFixture[str]) -> None:
    bot = ready_pull_bot(ada, INFO, None)
    capsys.readouterr()
    assert ready_pull_bot(ada, INFO, bot.id).version == "1"
    assert capsys.readouterr().err == ""
    assert ready_pull_bot(ada, msgspec.structs.replace(INFO, version="2"), "kite").version == "2"
    assert "the arena knows kite as version 2 (before: 1); its ratings begin anew" in capsys.readouterr().err


def test_a_bot_of_the_owner_is_found_without_a_profile(ada: Session, tmp_path: Path) -> None:
    bot = ready_pull_bot(ada, INFO, None)
    with Session(Access(ada.url, ada.key, None), Profiles(tmp_path / "other")) as session:
        assert ready_pull_bot(session, INFO, "kite").id == bot.id


def test_a_bot_that_was_retired_is_registered_again(ada: Session) -> None:
    bot = ready_pull_bot(ada, INFO, None)
    ada.delete(f"/v1/bots/{bot.id}")
    assert ready_pull_bot(ada, INFO, None).id != bot.id


def test_a_push_bot_and_a_bot_of_another_owner_are_refused(ada: Session, service: Process) -> None:
    with Owner.create(service.url, "Bob") as bob:
        theirs = bob.register("theirs").bot.id
        push = bob.register("pushed", "http://localhost:8001").bot.id
    for bot, cause in ((theirs, "wrong-owner"), (push, "is a push bot")):
        with pytest.raises(Trouble, match=cause):
            ready_pull_bot(ada, INFO, bot)


def test_a_key_without_the_scope_plays_on_with_the_version_that_the_arena_knows(
    ada: Session, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bot = ready_pull_bot(ada, INFO, None)
    key: dict[str, Any] = ada.send("POST", "/v1/keys", dict[str, Any], {"scopes": ["play"]})
    with Session(Access(ada.url, key["key"], None), Profiles(tmp_path / "other")) as session:
        assert ready_pull_bot(session, INFO, bot.id).version == "1"
        assert ready_pull_bot(session, msgspec.structs.replace(INFO, version="2"), bot.id).version == "1"
        assert "goes on with version 1 of kite, because this key has no scope `bots`" in capsys.readouterr().err
        with pytest.raises(Trouble, match="wrong-scope"):
            ready_pull_bot(session, INFO, "another")


BOT = """
from splito_bot import BotInfo

INFO = BotInfo(name="kite", author="Ada", version="1", games=["splitter"])


def choose(ask):
    return ask.moves[0]
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_connect_plays_until_a_signal_and_ends_with_its_counts(ada: Session, tmp_path: Path, number: int) -> None:
    (tmp_path / "my_bot.py").write_text(BOT, "utf-8")
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    with program(tmp_path, "connect", "my_bot:choose", "--no-check", **environ) as running:
        assert "registered kite as a pull bot" in line(running)
        assert "knows kite as version 1" in line(running)
        assert "fetches its asks from" in line(running)
        bot = ada.bots()[0].id
        turns = _play(ada, bot)
        code, said = ending(running, number)
    assert code == 0
    assert f"stopped: {turns} asks, {turns} answered, 0 faults\n" in said
    assert "\x1b" not in said
    assert ada.key not in said


def _play(ada: Session, bot: str) -> int:
    """Let the bot play a match alone, and return the number of its turns."""
    with httpx.Client(base_url=ada.url, timeout=120) as api:
        seats, key = [{"kind": "bot", "bot": bot}], {"Authorization": f"Bearer {ada.key}"}
        match = api.post("/v1/splitter/matches", json={"seats": seats}, headers=key).json()["match"]
        path = f"/v1/splitter/matches/{match['id']}"
        while match["status"] != "over":
            match = api.get(path, params={"after": match["turn"], "wait": 25}).json()
        return len(api.get(f"{path}/turns").json()["turns"])
