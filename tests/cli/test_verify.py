"""`splito verify`: what it says of good records, of changed ones and of files that are none."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Splito


def test_a_good_record(splito: Splito, record: Path) -> None:
    run = splito("verify", str(record))
    assert run.code == 0
    assert run.out.count("✓ verified") == 4
    assert "Splitter  ·  rules 1.0  ·  1 player" in run.out
    assert "★ you" in run.out


CHANGES = [
    ('"seed":"7"', '"seed":"8"', "bad-record", "digest"),
    ('"names":["you"]', '"names":["ann"]', "bad-record", "digest"),
    ('"version":"1.0"', '"version":"0.9"', "unknown-version", "version"),
    ('"format":1', '"format":2', "unknown-version", "format"),
    ('"game":"splitter"', '"game":"chess"', "unknown-game", "game"),
    ('"players":1', '"players":"1"', "bad-record", None),
]


@pytest.mark.parametrize(("old", "new", "code", "field"), CHANGES)
def test_a_changed_record_is_refused(  # noqa: PLR0913, PLR0917 (a row of the table and two fixtures)
    old: str, new: str, code: str, field: str | None, splito: Splito, record: Path
) -> None:
    text = record.read_text()
    assert text.count(old) == 1
    record.write_text(text.replace(old, new))
    run = splito("verify", str(record))
    assert run.code == 1
    assert f"✗ refused  {record}" in run.out.replace("\n", "")
    assert code in run.out
    (verdict,) = json.loads(splito("verify", str(record), "--json").out)
    assert (verdict["verified"], verdict["code"], verdict["field"]) == (False, code, field)


@pytest.mark.parametrize("content", [b"", b"not a record", b"\xff\xfe", b"[]", b"{}"])
def test_a_file_that_is_no_record_is_refused(content: bytes, splito: Splito, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    run = splito("verify", str(tmp_path / "x.json"))
    assert run.code == 1
    assert "bad-record" in run.out


def test_a_missing_file_is_another_matter(splito: Splito, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        run = splito("verify", str(path))
        assert run.code == 2
        assert "✗ unreadable" in run.out


def test_several_files_in_one_table(splito: Splito, record: Path, tmp_path: Path) -> None:
    bad, missing = tmp_path / "bad.json", tmp_path / "missing.json"
    bad.write_text("{}")
    assert splito("verify", str(record), str(record)).code == 0
    assert splito("verify", str(record), str(missing)).code == 2
    run = splito("verify", str(record), str(bad), str(missing))
    assert run.code == 1
    assert [run.out.count(mark) for mark in ("✓ verified", "✗ refused", "✗ unreadable")] == [1, 1, 1]


def test_json_for_machines(splito: Splito, record: Path, tmp_path: Path) -> None:
    run = splito("verify", "--json", str(record), str(tmp_path / "missing.json"))
    good, missing = json.loads(run.out)
    assert run.code == 2
    assert (good["verified"], good["game"], good["names"], good["turns"]) == (True, "splitter", ["you"], 22)
    assert good["winners"] == [0]
    assert (missing["verified"], missing["code"]) == (False, "unreadable")
