"""The file of JSON lines: whole lines survive a crash, other settings and other writers are refused."""

from pathlib import Path

import msgspec
import pytest

from splito_arena.line_file import LineFile
from splito_engine.errors import BadOption


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seed: str


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    number: int


def opened(path: Path) -> "LineFile[Head, Line]":
    return LineFile(path, Head, Line, what="a search", field="save")


def test_lines_are_read_again_and_half_a_line_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    file = opened(path)
    file.begin(Head("s"))
    file.add(Line(1))
    file.add(Line(2))
    file.close()
    with path.open("ab") as half:
        half.write(b'{"number":')
    again = opened(path)
    assert (again.head, again.lines) == (Head("s"), [Line(1), Line(2)])
    again.begin(Head("s"))
    again.add(Line(3))
    again.close()
    assert path.read_bytes() == b'{"seed":"s"}\n{"number":1}\n{"number":2}\n{"number":3}\n'


def test_a_file_of_other_settings_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    file = opened(path)
    file.begin(Head("s"))
    file.close()
    with pytest.raises(BadOption, match="is of a search with seed s, not t"):
        opened(path).begin(Head("t"))
    assert path.read_bytes() == b'{"seed":"s"}\n'


@pytest.mark.parametrize("text", ["", "shopping list", "shopping list\n", '{"seed":"s"}\n{"bread":1}\n'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(text)
    with pytest.raises(BadOption, match="is no file of a search"):
        opened(path)
    assert path.read_text() == text


def test_only_one_run_writes_at_a_time(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "lines"), opened(tmp_path / "lines")
    first.begin(Head("s"))
    late = opened(tmp_path / "lines")
    with pytest.raises(BadOption, match="another run writes to"):
        late.begin(Head("s"))
    first.close()
    late.begin(Head("s"))
    late.close()
    assert second.head is None
