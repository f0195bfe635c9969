"""Every way to be refused has a code, a status and a line in the docs."""

import re
from pathlib import Path

import msgspec
import pytest
from litestar.exceptions import HTTPException

from splito_engine.errors import BadDeck, GameError, IllegalMove
from splito_service import problems

DOCS = Path(__file__).parents[3] / "docs" / "errors.md"


def test_the_docs_list_every_problem_with_status_and_title() -> None:
    rows = re.findall(r"^\| (\d{3}) \| `([a-z-]+)` \| (.+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted((str(status), code, title) for code, status, title in problems.table())


def test_a_problem_has_only_the_fields_that_apply() -> None:
    answer = problems.refuse(IllegalMove("not that one", seat=2, card="r4", field="card"))
    assert msgspec.json.decode(answer.content) == {
        "type": "/v1/problems#illegal-move",
        "title": "A move of this game, but not one of this seat's now",
        "status": 409,
        "detail": "not that one",
        "code": "illegal-move",
        "seat": 2,
        "card": "r4",
        "field": "card",
    }


@pytest.mark.parametrize("error", [BadDeck("/home/somebody/deck.toml"), GameError("inner works")])
def test_an_internal_error_is_logged_but_not_shown_to_the_client(
    error: GameError, caplog: pytest.LogCaptureFixture
) -> None:
    answer = problems.refuse(error)
    assert answer.status_code == 500
    assert error.message.encode() not in answer.content
    assert error in [record.exc_info[1] for record in caplog.records if record.exc_info]


def test_errors_of_the_framework_become_problems() -> None:
    request = None
    for status, code in ((404, "not-found"), (405, "wrong-method"), (413, "too-large"), (418, "unexpected")):
        answer = problems.on_http_error(request, HTTPException("no", status_code=status))  # pyright: ignore[reportArgumentType]
        assert msgspec.json.decode(answer.content)["code"] == code
