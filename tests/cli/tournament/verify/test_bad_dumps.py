"""`splito tournament verify` reports a wrong or hostile dump in one line, and can be interrupted."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from splito_arena.blocks.ledger import Entry
from splito_arena.reports.dump import MAX_LINE
from splito_cli.tournament.watch import INTERRUPTED
from tests.arena.reports.dumps import dumped
from tests.cli.conftest import Splito
from tests.cli.tournament.verify.dumped_cups import (
    HEAD,
    LEDGER,
    QUESTION,
    Verify,
    assert_refused,
    experiment,
    head,
)

STEERING = "\x1b[2J\x9b\u202e[bold]\nowl"


TEXT = dumped(HEAD, LEDGER)


ROWS = TEXT.splitlines(keepends=True)


def flipped() -> bytes:
    """A bit of the first digest."""
    place = TEXT.index(b'"digest":"') + len(b'"digest":"')
    return TEXT[:place] + (b"0" if TEXT[place : place + 1] != b"0" else b"1") + TEXT[place + 1 :]


def other_seats() -> bytes:
    row = json.loads(ROWS[1])
    row["games"][0]["seating"].reverse()
    return b"".join([ROWS[0], json.dumps(row).encode() + b"\n", *ROWS[2:]])


WRONG: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "a flipped byte": (flipped, "bad-dump", "block 00000000-0000-00000: the digest"),
    "a block taken out": (
        lambda: b"".join(ROWS[:2] + ROWS[3:]),
        "bad-dump",
        "it was changed after the arena signed it",
    ),
    "a file that was cut": (lambda: TEXT[: len(TEXT) // 2], "bad-dump", "line"),
    "blocks in another order": (lambda: ROWS[0] + ROWS[2] + ROWS[1], "bad-dump", "is not after"),
    "other seats": (other_seats, "bad-dump", "not seated as the design and the secret have it"),
    "another secret": (lambda: TEXT.replace(b'"study"', b'"other"', 1), "bad-dump", "committed to"),
    "a file of something else": (lambda: b"<!DOCTYPE html>\n", "bad-dump", "line 1: not head of a dump"),
    "an empty file": (lambda: b"", "bad-dump", "line 1"),
    "a huge line": (lambda: b" " * (MAX_LINE + 1), "bad-dump", "line 1 is longer than"),
    "a block of a huge name": (
        lambda: ROWS[0] + ROWS[1].replace(b"00000000-0000-00000", b"0" * 10**6),
        "bad-dump",
        "line 2: a block id must look like",
    ),
    "a block of a short name": (
        lambda: ROWS[0] + ROWS[1].replace(b"00000000-0000-00000", b"0000"),
        "bad-dump",
        "line 2: a block id must look like `00000002-0001-00013`",
    ),
    "rules to come": (lambda: TEXT.replace(b'"version":"1.0"', b'"version":"9.0"', 1), "unknown-version", "9.0"),
    "a game of others": (lambda: TEXT.replace(b'"splitter"', b'"chess"', 1), "unknown-game", "chess"),
}


@pytest.mark.parametrize(("content", "code", "why"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_dump_is_reported_in_one_line(
    content: Callable[[], bytes], code: str, why: str, verify: Verify
) -> None:
    assert_refused(verify(content()), code, why)


def test_a_file_that_cannot_be_read_is_reported(splito: Splito, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.ndjson", tmp_path):
        assert_refused(splito("tournament", "verify", str(path)), "bad-option", "cannot be read")


def test_names_in_a_dump_do_not_control_the_terminal(verify: Verify, duelled: Sequence[Entry]) -> None:
    named = dict.fromkeys(HEAD.entrants, STEERING)
    runs = [verify(head(name=STEERING, tournament=STEERING, secret=None, entrants=named))]
    asked = experiment(question=QUESTION, name=STEERING)
    called = msgspec.structs.replace(asked, entrants=dict.fromkeys(asked.entrants, STEERING))
    runs += [verify(called, duelled), verify(msgspec.structs.replace(called, question=msgspec.UNSET), duelled)]
    for run in runs:
        assert run.code == 0
        assert "[bold] owl" in run.out
        assert not {*"\x1b\x9b\u202e"} & {*run.out}


def test_error_messages_do_not_control_the_terminal(verify: Verify) -> None:
    row = json.loads(ROWS[1])
    row["games"][0]["record"]["game"] = STEERING + "x" * 10**5
    run = verify(b"".join([ROWS[0], json.dumps(row).encode() + b"\n", *ROWS[2:]]))
    assert_refused(run, "bad-dump", "block 00000000-0000-00000: a game is of ")
    assert not {*"\x1b\x9b\u202e"} & {*run.err}
    assert len(run.err) < 2000


def test_a_terminal_shows_a_progress_bar(tmp_path: Path) -> None:
    file = tmp_path / "cup.ndjson"
    file.write_bytes(TEXT)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "splito_cli", "tournament", "verify", str(file), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = drained(ours)
        told = json.loads(process.stdout.read() if process.stdout else b"")
    assert process.returncode == 0
    assert told["games"] == 24
    assert b"4/4" in shown


def test_ctrl_c_ends_the_check_without_a_traceback(tmp_path: Path) -> None:
    """In the middle of a dump that goes on for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "splito_cli", "tournament", "verify", str(pipe)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with process, pipe.open("wb"):
        process.send_signal(signal.SIGINT)
        assert process.communicate() == (b"", None)
    assert process.returncode == INTERRUPTED


def drained(terminal: int) -> bytes:
    """Return everything written to a terminal until its last process closes it."""
    found = b""
    try:
        while some := os.read(terminal, 4096):
            found += some
    except OSError:
        pass  # how Linux says that the other side is closed
    os.close(terminal)
    return found
