"""`splito prune`: shows what is kept no longer, and removes it when told to."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from splito_service.processes.embedded_redis import open_server
from splito_service.settings import TABLE, variable
from tests.cli.conftest import Splito


@pytest.fixture(autouse=True)
def _only_our_own_redis(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # pyright: ignore[reportUnusedFunction]
    for field in TABLE:
        monkeypatch.delenv(variable(field), raising=False)
    monkeypatch.setenv("SPLITO_DATA", str(tmp_path / "data"))


def kinds(out: str) -> dict[str, int]:
    return {kind["kind"]: kind["count"] for kind in json.loads(out)["kinds"] if kind["count"]}


def test_prune_shows_expired_data_and_removes_it_only_with_its_flag(splito: Splito, tmp_path: Path) -> None:
    with open_server(tmp_path / "data", "everysec") as server:
        client: Any = redis.Redis.from_url(server.url)  # pyright: ignore[reportUnknownMemberType]
        client.set("match:{" + "0" * 24 + "}:record", b"x" * 1000)
        client.zadd("matches:ended", {"0" * 24: 1})
        shown = splito("prune", "--json")
        assert (shown.code, kinds(shown.out), json.loads(shown.out)["removed"]) == (0, {"finished matches": 1}, False)
        table = splito("prune")
        assert "finished matches" in table.out
        assert "splito prune --remove" in table.out
        assert client.dbsize() == 2
        removed = splito("prune", "--remove", "--json")
        assert (kinds(removed.out), json.loads(removed.out)["removed"]) == ({"finished matches": 1}, True)
        assert client.keys("match*") == []
        assert kinds(splito("prune", "--remove", "--json").out) == {}
        client.close()


def test_an_unreachable_redis_is_reported_in_one_line(splito: Splito, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLITO_REDIS_URL", "redis://127.0.0.1:1")
    run = splito("prune")
    assert run.code == 2
    assert "unavailable" in run.err
