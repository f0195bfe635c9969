"""Error codes are part of the API."""

import pickle
import re
from pathlib import Path

import service.errors  # noqa: F401 (the service's errors are in the same tree)
from engine.errors import GameError, IllegalMove

DOCS = Path(__file__).parents[2] / "docs" / "errors.md"


def tree(kind: type[GameError]) -> list[type[GameError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in tree(child))]


def test_every_code_is_used_once() -> None:
    codes = [kind.code for kind in tree(GameError)]
    assert len({*codes}) == len(codes)


def test_the_docs_list_exactly_the_codes_there_are() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert dict(listed) == {kind.code: kind.__name__ for kind in tree(GameError)}
    assert len(listed) == len(tree(GameError))


def test_an_error_survives_the_way_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(IllegalMove("no", seat=2, card="r4", field="card")))  # noqa: S301 (our own)
    assert (error.message, error.seat, error.card, error.field, error.code) == ("no", 2, "r4", "card", "illegal-move")


def test_a_message_cannot_steer_a_terminal() -> None:
    assert GameError("no \x1b[31mred\x07 card\u202e").message == "no  [31mred  card "
