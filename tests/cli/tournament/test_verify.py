"""`splito tournament verify`: what was played gives the same table to anybody, and what was not is refused in words."""

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id
from splito_arena.blocks.play import BlockTerms, commitment_of, play_block
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import difference, duels
from splito_arena.experiments.sequential_test import after, reading
from splito_arena.formats import Experiment, design_of
from splito_arena.reports.dump import MAX_LINE
from splito_arena.reports.dump_head import Head, key_id
from splito_arena.stats.tournament_table import standings
from splito_cli.extras import EXTRAS
from splito_cli.tournament.verify import ASIDE, NO_COUNT, NO_RATINGS, NO_SECRET, missing
from splito_cli.tournament.watch import INTERRUPTED
from splito_engine.games import splitter
from tests.arena.net.servers import Serve, read_request
from tests.arena.reports.dumps import ARENA, MALLORY, dumped, head_of, public_text
from tests.arena.tournaments import ledger
from tests.cli.conftest import Run, Splito
from tests.cli.serving import served

SECRET = "study"  # noqa: S105
"""With which `ledger` is played."""
LEDGER = ledger()
HEAD = head_of(LEDGER, SECRET)
STEERING = "\x1b[2J\x9b\u202e[bold]\nowl"
QUESTION = Experiment(new="new", old="old", field=("field",), least=2, cap=4, high=0.5)

Verify = Callable[..., Run]


@pytest.fixture
def verify(splito: Splito, tmp_path: Path) -> Verify:
    """`verify(head, ledger, "--json")`, or with the bytes of a file."""

    def run(content: Head | bytes, entries: Sequence[Entry] = LEDGER, *words: str) -> Run:
        file = tmp_path / "cup.ndjson"
        file.write_bytes(content if isinstance(content, bytes) else dumped(content, entries))
        return splito("tournament", "verify", str(file), *words)

    return run


def head(**changes: Any) -> Head:
    return msgspec.structs.replace(HEAD, **changes)


@pytest.fixture(scope="module")
def duelled() -> tuple[Entry, ...]:
    """NEW plays better than OLD; the field sits on both other seats."""
    bots = {"new@1": "greedy", "old@1": "random", "field@1": "random"}
    players = [Plugin(name, find_bot(bot)) for name, bot in bots.items()]

    async def block(number: int) -> Entry:
        terms = BlockTerms(
            game=splitter, block=block_id(BlockPlace(0, number, 0)), secret=SECRET, seatings=duels(3, 1), paired=True
        )
        return (await play_block(terms, [*bots], players, lambda _: players[0], at_once=1)).entry

    return tuple(asyncio.run(block(number)) for number in range(4))


def experiment(**changes: Any) -> Head:
    return head(kind="experiment", entrants={"new@1": "Ada", "old@1": "Bob", "field@1": "Eve"}, blocks=4, **changes)


def test_the_table_is_the_one_that_follows_from_the_ledger(verify: Verify) -> None:
    run = verify(HEAD, LEDGER, "--json")
    found, table = json.loads(run.out), standings(LEDGER)
    assert (run.code, run.err) == (0, "")
    assert [line["name"] for line in found["lines"]] == [HEAD.entrants[line.bot] for line in table]
    bare = [{name: value for name, value in line.items() if name not in {"rank", "name"}} for line in found["lines"]]
    assert bare == [*msgspec.to_builtins(table)]
    assert (found["blocks"], found["games"], found["skipped"], found["missing"]) == (4, 24, 0, 0)
    assert found["commitment"] == commitment_of("t1", SECRET)
    assert found["unchecked"] == [ASIDE]


def test_without_the_packages_of_extras_everything_but_the_table_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "cup.ndjson"
    file.write_bytes(dumped(HEAD, LEDGER))
    hidden = [package for packages in EXTRAS.values() for package in packages]
    script = f"""
import sys
sys.modules |= dict.fromkeys({hidden!r})
from splito_cli.main import main
assert main(["tournament", "verify", {str(file)!r}]) == 0
sys.exit(main(["tournament", "verify", {str(file)!r}, "--json"]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    page, _, found = done.stdout.rpartition("\n{")
    assert "There is no table" in page
    assert "splito-arena[report]" in page
    found = json.loads("{" + found)
    assert (found["games"], found["lines"], found["unchecked"]) == (24, [], [ASIDE, NO_RATINGS])


def test_a_page_tells_what_was_verified_and_how_it_stands(verify: Verify) -> None:
    run = verify(HEAD)
    page = [line.rstrip() for line in run.out.splitlines()]
    assert (run.code, run.err) == (0, "")
    assert page[0] == "House  ·  Splitter  ·  rules 1.0  ·  3 players  ·  tournament t1"
    assert run.out.count("✓ verified") == 9
    assert f"– unchecked  {ASIDE}" in page
    assert commitment_of("t1", SECRET) in run.out.split()
    best, *_ = standings(LEDGER)
    (first,) = [line for line in page if line.startswith("★")]
    assert first.split("±")[0].split() == ["★", *HEAD.entrants[best.bot].split(), f"{best.rating.mean:.0f}"]


def test_facts_that_cannot_be_checked_yet_are_listed(verify: Verify) -> None:
    run = verify(head(secret=None, blocks=None))
    assert run.code == 0
    assert all(f"– unchecked  {why}" in run.out for why in (NO_COUNT, NO_SECRET, ASIDE))
    assert run.out.count("✓ verified") == 6
    assert "commitment" not in run.out


def test_blocks_that_are_not_there_are_noticed_even_if_the_head_was_changed_too(
    verify: Verify, duelled: Sequence[Entry]
) -> None:
    asked = experiment(question=QUESTION)
    gap, whole = [duelled[0], *duelled[2:]], duelled[:2]
    run = verify(msgspec.structs.replace(asked, blocks=len(gap)), gap)
    assert run.code == 0
    assert "– missing    1 block between others" in run.out
    assert "– missing" not in verify(msgspec.structs.replace(asked, blocks=len(whole)), whole).out


@pytest.mark.parametrize(
    ("blocks", "count"),
    [("", 0), ("0-0-0 0-1-0 0-0-1", 0), ("0-1-0", 1), ("0-0-0 0-3-0 0-2-1", 4), ("0-00000001-0 0-01-0 0-1-0", 1)],
)
def test_missing_blocks_are_counted_table_by_table(blocks: str, count: int) -> None:
    assert missing(Entry(block=block, bots=(), skipped="") for block in blocks.split()) == count


def test_skipped_blocks_are_counted_and_not_rated(verify: Verify) -> None:
    skipped = Entry(block="00000000-0004-00000", bots=LEDGER[0].bots, skipped="a bot is gone")
    only = json.loads(verify(head(blocks=5), [*LEDGER, skipped], "--json").out)
    assert (only["blocks"], only["skipped"], only["games"]) == (5, 1, 24)
    run = verify(head(blocks=1), [skipped])
    assert (run.code, run.out.splitlines()[-1]) == (0, "Nothing was played.")


def test_games_of_one_player_are_not_rated(verify: Verify) -> None:
    alone = ledger("greedy", 2)
    run = verify(head(players=1, entrants={alone[0].bots[0]: "solo"}, blocks=2), alone)
    assert (run.code, run.err) == (0, "")
    assert "bots that play alone cannot be compared" in run.out


def test_an_experiment_is_read_as_it_was_asked(verify: Verify, duelled: Sequence[Entry]) -> None:
    expected = reading(after(design_of(QUESTION), [difference(entry) for entry in duelled]))
    run = verify(experiment(question=QUESTION), duelled, "--json")
    found = json.loads(run.out)["experiment"]
    assert found["reading"] == msgspec.to_builtins(expected)
    assert found["names"] == ["Ada", "Bob", "Eve"]
    run = verify(experiment(question=QUESTION), duelled)
    assert run.code == 0
    assert f"log-likelihood ratio {expected.llr:+.2f}" in run.out
    assert {"better": "Ada is better than Bob", "cap": "Not decided: Ada against Bob"}[expected.verdict] in run.out


def test_without_its_question_an_experiment_has_an_estimate_and_no_verdict(
    verify: Verify, duelled: Sequence[Entry]
) -> None:
    found = json.loads(verify(experiment(), duelled, "--json").out)["experiment"]
    mean = sum(map(difference, duelled)) / len(duelled)
    assert found["estimate"]["mean"] == pytest.approx(mean)
    page = verify(experiment(), duelled).out
    assert f"Ada against Bob: {mean:+.2f} places" in page
    assert page.splitlines()[-1] == "There is no verdict, because the dump lacks the question."


def test_blocks_of_an_experiment_after_a_gap_are_not_counted(verify: Verify, duelled: Sequence[Entry]) -> None:
    gap = msgspec.structs.replace(experiment(question=QUESTION), blocks=3)
    found = json.loads(verify(gap, [duelled[0], *duelled[2:]], "--json").out)
    assert (found["missing"], found["experiment"]["reading"]["blocks"]) == (1, 1)


def test_a_question_is_about_the_bots_that_played(verify: Verify, duelled: Sequence[Entry]) -> None:
    run = verify(experiment(question=Experiment(new="old", old="new", field=("field",))), duelled)
    assert_refused(run, "bad-dump", "block 00000000-0000-00000: its bots are not those of the experiment")


OURS, THEIRS = public_text(ARENA), public_text(MALLORY)


def test_without_a_key_to_compare_with_it_says_whose_signature_it_is_and_what_to_do(verify: Verify) -> None:
    found = json.loads(verify(HEAD, LEDGER, "--json").out)
    assert (found["key"], found["key_id"]) == (OURS, key_id(OURS))
    assert found["signed"] == "2026-11-16T12:00:00Z"
    (key, commitment) = found["to_compare"]
    assert key.startswith(f"signed by key {key_id(OURS)}: compare it with GET /v1/signing-key of the arena")
    assert key.endswith(OURS)
    assert commitment.endswith(HEAD.commitment)
    page = " ".join(verify(HEAD).out.split())
    assert f"– compare signed by key {key_id(OURS)}" in page
    assert "✓ verified signature: of all bytes, by the key beside it" in page


def test_a_key_that_is_given_must_be_the_one_of_the_signature(verify: Verify, tmp_path: Path) -> None:
    file = tmp_path / "arena.pub"
    file.write_text(f"{OURS}\n")
    for given in (OURS, str(file)):
        found = json.loads(verify(HEAD, LEDGER, "--json", "--key", given).out)
        assert "signature: by the key that you gave" in found["verified"]
        assert [one.split(":")[0] for one in found["to_compare"]] == [
            "with the commitment published before the first deal"
        ]
    forged = dumped(HEAD, LEDGER, MALLORY)
    why = f"it is signed by key {key_id(THEIRS)}, not by {key_id(OURS)} that you gave"
    assert_refused(verify(forged, (), "--key", OURS), "bad-dump", why)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("whpk_short", "no public key of an arena"),
        ("no-such-file", "No such file"),
        ("/", "or a file with one"),
        ("/dev/zero", "no public key of an arena"),
    ],
)
def test_a_malformed_public_key_is_refused(verify: Verify, key: str, why: str) -> None:
    assert_refused(verify(HEAD, LEDGER, "--key", key), "bad-option", why)


def arena(keys: Sequence[Any], commitment: str | None) -> Serve:
    """A service that publishes these keys, and shows that commitment for every tournament."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _ = await read_request(reader)
        found: Any = {"key": OURS, "keys": keys} if b"signing-key" in head[0] else {"commitment": commitment}
        missing = commitment is None and b"signing-key" not in head[0]
        problem = {"code": "unknown-tournament", "detail": "there is no such tournament"}
        body = json.dumps(problem if missing else found).encode()
        status = b"404 Not Found" if missing else b"200 OK"
        kind = b"application/problem+json" if missing else b"application/json"
        headers = b"Content-Type: %b\r\nContent-Length: %d\r\nConnection: close" % (kind, len(body))
        writer.write(b"HTTP/1.1 %b\r\n%b\r\n\r\n%b" % (status, headers, body))
        await writer.drain()

    return serve


def key_times(key: str = OURS, since: str | None = None, until: str | None = None) -> dict[str, Any]:
    return {"key": key, "id": key_id(key), "since": since, "until": until}


EARLIER, LATER = "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"
KNOWN = {
    "its only key": [key_times()],
    "a previous key": [key_times(THEIRS, LATER), key_times(until=LATER)],
    "a new key": [key_times(since=EARLIER), key_times(THEIRS, until=LATER)],
}


@pytest.mark.parametrize("keys", KNOWN.values(), ids=KNOWN.keys())
def test_a_service_confirms_the_key_and_the_commitment(verify: Verify, keys: Sequence[Any]) -> None:
    with served(arena(keys, HEAD.commitment)) as url:
        found = json.loads(verify(HEAD, LEDGER, "--json", "--service", url).out)
    assert f"signature: by key {key_id(OURS)} of {url}, as it publishes it now" in found["verified"]
    assert found["to_compare"] == []
    assert any(one.startswith("commitment: the one that the service shows") for one in found["verified"])


def test_a_tournament_that_the_service_has_deleted_leaves_the_commitment_to_compare(verify: Verify) -> None:
    with served(arena([key_times()], None)) as url:
        found = json.loads(verify(HEAD, LEDGER, "--json", "--service", url).out)
    assert any("does not show this tournament" in one for one in found["unchecked"])
    assert [HEAD.commitment in one for one in found["to_compare"]] == [True]


UNKNOWN: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "another key": ([key_times(THEIRS)], HEAD.commitment, "does not publish"),
    "no key": ([], HEAD.commitment, "does not publish"),
    "a key that came later": ([key_times(since=LATER)], HEAD.commitment, "did not count"),
    "a key that had ended": ([key_times(until=EARLIER)], HEAD.commitment, "did not count"),
    "another commitment": ([key_times()], "0" * 64, "shows another commitment"),
}


@pytest.mark.parametrize(("keys", "commitment", "why"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_dump_that_the_service_does_not_confirm_is_refused(
    verify: Verify, keys: Sequence[Any], commitment: str, why: str
) -> None:
    with served(arena(keys, commitment)) as url:
        assert_refused(verify(HEAD, LEDGER, "--service", url), "bad-dump", why)


def assert_refused(run: Run, code: str, why: str) -> None:
    """In one line, that says what to do next."""
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"splito: {code}: ")
    assert why in run.err
    assert run.err.count("\n") == 1
    assert ". Next: " in run.err


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


def test_a_file_that_cannot_be_read_is_said_so(splito: Splito, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.ndjson", tmp_path):
        assert_refused(splito("tournament", "verify", str(path)), "bad-option", "cannot be read")


def test_names_do_not_steer_the_terminal(verify: Verify, duelled: Sequence[Entry]) -> None:
    named = dict.fromkeys(HEAD.entrants, STEERING)
    runs = [verify(head(name=STEERING, tournament=STEERING, secret=None, entrants=named))]
    asked = experiment(question=QUESTION, name=STEERING)
    called = msgspec.structs.replace(asked, entrants=dict.fromkeys(asked.entrants, STEERING))
    runs += [verify(called, duelled), verify(msgspec.structs.replace(called, question=msgspec.UNSET), duelled)]
    for run in runs:
        assert run.code == 0
        assert "[bold] owl" in run.out
        assert not {*"\x1b\x9b\u202e"} & {*run.out}


def test_errors_do_not_control_the_terminal(verify: Verify) -> None:
    row = json.loads(ROWS[1])
    row["games"][0]["record"]["game"] = STEERING + "x" * 10**5
    run = verify(b"".join([ROWS[0], json.dumps(row).encode() + b"\n", *ROWS[2:]]))
    assert_refused(run, "bad-dump", "block 00000000-0000-00000: a game is of ")
    assert not {*"\x1b\x9b\u202e"} & {*run.err}
    assert len(run.err) < 2000


def test_on_a_terminal_a_bar_shows_how_far_it_is(tmp_path: Path) -> None:
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
    """All that was written to it, until nobody has it open any more."""
    found = b""
    try:
        while some := os.read(terminal, 4096):
            found += some
    except OSError:
        pass  # how Linux says that the other side is closed
    os.close(terminal)
    return found
