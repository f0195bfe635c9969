"""Error codes are part of the API."""

import pickle
import re
from pathlib import Path

from splito_arena import errors as of_the_arena
from splito_engine.errors import GameError, IllegalMove
from splito_service import errors as of_the_service

DOCS = Path(__file__).parents[2] / "docs" / "errors.md"


OURS = (GameError.__module__, of_the_arena.__name__, of_the_service.__name__)


def tree(kind: type[GameError]) -> list[type[GameError]]:
    found = [kind, *(below for child in kind.__subclasses__() for below in tree(child))]
    return [one for one in found if one.__module__ in OURS]


def test_every_error_code_is_used_once() -> None:
    codes = [kind.code for kind in tree(GameError)]
    assert len({*codes}) == len(codes)


def test_the_docs_list_exactly_the_codes_there_are() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert dict(listed) == {kind.code: kind.__name__ for kind in tree(GameError)}
    assert len(listed) == len(tree(GameError))


def test_the_docs_explain_every_code_in_the_words_of_its_class() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| `\w+` \| [^|]*\| (.*?) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert dict(rows) == {kind.code: first_paragraph(kind) for kind in tree(GameError)}


def first_paragraph(kind: type[GameError]) -> str:
    """Return the first paragraph of the docstring of a class, in one line."""
    return " ".join((kind.__doc__ or "").partition("\n\n")[0].split())


def test_an_error_can_be_sent_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(IllegalMove("no", seat=2, card="r4", field="card")))  # noqa: S301 (our own)
    assert (error.message, error.seat, error.card, error.field, error.code) == ("no", 2, "r4", "card", "illegal-move")


def test_a_message_holds_no_control_characters() -> None:
    assert GameError("no \x1b[31mred\x07 card\u202e").message == "no  [31mred  card "
