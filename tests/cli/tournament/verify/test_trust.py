"""`splito tournament verify` compares the key and the commitment of a dump with a given key or with a service."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from splito_arena.reports.dump_head import key_id
from tests.arena.net.servers import Serve, read_request
from tests.arena.reports.dumps import ARENA, MALLORY, dumped, public_text
from tests.cli.serving import served
from tests.cli.tournament.verify.dumped_cups import HEAD, LEDGER, Verify, assert_refused

OURS, THEIRS = public_text(ARENA), public_text(MALLORY)


def test_without_a_given_key_the_page_names_the_key_of_the_signature_and_how_to_compare_it(verify: Verify) -> None:
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


def test_a_given_key_must_be_the_key_of_the_signature(verify: Verify, tmp_path: Path) -> None:
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


def test_the_commitment_of_a_deleted_tournament_is_left_to_the_reader_to_compare(verify: Verify) -> None:
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
