"""Requests that the tests of tournaments over HTTP share."""

from typing import Any

import httpx

NOBODY = "0" * 24  # id of no tournament, bot or owner
LONG: dict[str, Any] = {"format": {"kind": "round-robin", "blocks": 2000}}
"""A tournament that does not end during a test."""


def get(api: httpx.Client, path: str) -> Any:
    answer = api.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()
