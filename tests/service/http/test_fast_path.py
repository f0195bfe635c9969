"""A move sealed by the shortcut and one sealed through Litestar get the same answer."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.service.matches.test_api import Table, persons

BROWSER = {"Origin": "https://example.org"}
"""Changes of a request that lead it past the shortcut."""
PASSING = ("date", "vary", "access-control-", "connection")
"""Beginnings of headers that may differ: the short way does not wait for a body that it will not read."""
JSON = {"Content-Type": "application/json"}
LARGE = b'{"move":"%b"}' % (b"x" * 20_000)


def told(answer: httpx.Response) -> tuple[int, dict[str, str], Any]:
    headers = {name: value for name, value in answer.headers.items() if not name.startswith(PASSING)}
    return answer.status_code, headers, answer.json()


def put(table: Table, path: str, body: bytes, **headers: str) -> list[httpx.Response]:
    """By both ways, the short one first."""
    sent = JSON | {name.replace("_", "-"): value for name, value in headers.items()}
    return [table.api.put(table.path + path, content=body, headers=sent | more) for more in ({}, BROWSER)]


@pytest.fixture(scope="module")
def table(service: str) -> Iterator[Table]:
    with httpx.Client(base_url=service, timeout=60) as client:
        yield Table(client, "splito", persons(3))


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("/turns/0/seats/0", b'{"move":{"card":"nonsense","side":"left"}}', 409, id="an unknown card"),
        pytest.param("/turns/0/seats/0", b'{"move":{}}', 400, id="not a move"),
        pytest.param("/turns/0/seats/0", b"{", 400, id="not JSON"),
        pytest.param("/turns/0/seats/0", LARGE, 413, id="too large"),
        pytest.param("/turns/0/seats/1", b'{"move":{"card":"r1","side":"left"}}', 403, id="another seat"),
        pytest.param("/turns/5/seats/0", b'{"move":{"card":"r1","side":"left"}}', 409, id="a turn that has not begun"),
        pytest.param("/turns/0/seats/9", b'{"move":{"card":"r1","side":"left"}}', 403, id="no such seat"),
    ],
)
def test_refusals_of_shortcut_and_framework_are_the_same(table: Table, path: str, body: bytes, status: int) -> None:
    short, long = put(table, path, body, Authorization=table.auth(0)["Authorization"])
    assert short.status_code == status, short.text
    assert told(short) == told(long)


def test_a_move_without_a_token_is_refused_alike_by_shortcut_and_framework(table: Table) -> None:
    short, long = put(table, "/turns/0/seats/0", b'{"move":{"card":"r1","side":"left"}}')
    assert short.status_code == 401
    assert told(short) == told(long)


def test_a_wrong_content_type_is_refused_alike_by_shortcut_and_framework(table: Table) -> None:
    short, long = put(
        table, "/turns/0/seats/0", b"{}", Authorization=table.auth(0)["Authorization"], Content_Type="x/y"
    )
    assert short.status_code == 415
    assert told(short) == told(long)


def test_only_the_framework_sends_cors_headers(table: Table) -> None:
    move = table.get(0)["legal_moves"][0]
    first = table.seal(0, 0, move)
    again = table.api.put(f"{table.path}/turns/0/seats/0", json={"move": move}, headers=table.auth(0) | BROWSER)
    assert told(first) == told(again)
    assert "access-control-allow-origin" not in first.headers
    assert again.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("path", ["/turns/0/seats/0?x=1", "/turns/0/seats/-1", "/turns/x/seats/0", "/turns/0/seats/0/"])
def test_an_unusual_path_is_left_to_the_framework(table: Table, path: str) -> None:
    short, long = put(table, path, b"{}", Authorization=table.auth(0)["Authorization"])
    assert told(short) == told(long)
