"""Every answer forbids browsers to guess what it is; every page says what it may load and that no site may frame it."""

import json
import re
from collections.abc import Iterator

import httpx
import pytest

from splito_service.http.app import create_app
from splito_service.settings import Settings
from tests.service.holding import Organiser
from tests.service.matches.test_api import Table, persons

HTML = "text/html"
SCRIPTS = re.compile(r"script-src ('self'|('sha256-[\w+/=]+' ?)+)(;|$)")


def directives(answer: httpx.Response) -> dict[str, str]:
    parts = [part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";")]
    return {name: values for name, _, values in parts}


@pytest.fixture(scope="module")
def answers(service: str) -> Iterator[dict[str, httpx.Response]]:
    """The answer to every path that there is and to some that are not, for every method."""
    with httpx.Client(base_url=service, timeout=60) as api:
        tournament = Organiser(api).hold(ranked=False).rpartition("/")[2]
        match = Table(api, "splito", persons(2)).path.rpartition("/")[2]
        known = {
            "game": "splito",
            "match": match,
            "tournament": tournament,
            "turn": "0",
            "seat": "0",
            "name": "start.js",
        }
        routes = create_app(Settings(redis_url="unix:///nowhere")).routes
        paths = {re.sub(r"{(\w+)(:\w+)?}", lambda found: known.get(found[1], "x"), route.path) for route in routes}
        paths |= {"/", "/nowhere", "/docs/nothing", "/v1", "/v1/splito/matches?limit=x", "/v1/%00", "/health"}
        yield {
            f"{method} {path}": _asked(api, method, path)
            for path in sorted(paths)
            for method in ("GET", "PUT", "OPTIONS")
            if method == "GET" or "/secret" not in path
        }


def _asked(api: httpx.Client, method: str, path: str) -> httpx.Response:
    """The head alone of what would go on for long."""
    query = "?seconds=1" if path.endswith("/events") else ""
    return api.request(method, path + query, content=b"{}" if method == "PUT" else None)


def test_every_answer_has_nosniff_and_a_content_type(answers: dict[str, httpx.Response]) -> None:
    assert len(answers) > 100
    assert {
        call for call, answer in answers.items() if answer.headers.get("x-content-type-options") != "nosniff"
    } == set()
    unnamed = {call for call, answer in answers.items() if answer.content and "content-type" not in answer.headers}
    assert unnamed == set()


def test_every_html_page_has_a_strict_content_security_policy(answers: dict[str, httpx.Response]) -> None:
    pages = {
        call: answer for call, answer in answers.items() if answer.headers.get("content-type", "").startswith(HTML)
    }
    assert {call.rpartition("/")[2] for call in pages} == {"docs", "report"}
    for answer in pages.values():
        found = directives(answer)
        assert (found["default-src"], found["frame-ancestors"]) == ("'none'", "'none'")
        assert (found["base-uri"], found["form-action"]) == ("'none'", "'none'")
        assert SCRIPTS.search(answer.headers["content-security-policy"])
        assert "unsafe-eval" not in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_every_refusal_is_a_json_problem(answers: dict[str, httpx.Response]) -> None:
    refused = [answer for answer in answers.values() if answer.status_code >= 400]
    assert len(refused) > 10
    for answer in refused:
        assert answer.headers["content-type"] == "application/problem+json"
        assert json.loads(answer.content)["code"]
