"""Dumps for tests: signed by an arena, or changed and signed again."""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from splito_arena.blocks.ledger import Entry
from splito_arena.blocks.play import commitment_of
from splito_arena.reports.dump import lines
from splito_arena.reports.dump_head import Head, Sign, signature_line
from splito_engine.games import splitter

ARENA, MALLORY = (Ed25519PrivateKey.from_private_bytes(bytes(range(first, first + 32))) for first in (0, 100))
SIGNED = 1_794_830_400
"""When, in seconds since 1970."""


def public_text(private: Ed25519PrivateKey) -> str:
    return "whpk_" + base64.b64encode(private.public_key().public_bytes_raw()).decode()


def signing(private: Ed25519PrivateKey) -> Sign:
    return lambda content: (public_text(private), private.sign(content))


def head_of(ledger: Sequence[Entry], secret: str) -> Head:
    """Return the head of a tournament of `splitter` that has this ledger and was dealt with this secret."""
    return Head(
        tournament="t1",
        name="House",
        game="splitter",
        version=splitter.INFO.version,
        players=3,
        options=ledger[0].games[0].record.options,
        strikes=3,
        entrants={bot: f"bot {number}" for number, bot in enumerate(ledger[0].bots)},
        commitment=commitment_of("t1", secret),
        secret=secret,
        blocks=len(ledger),
    )


def dumped(head: Head, ledger: Sequence[Entry], private: Ed25519PrivateKey = ARENA) -> bytes:
    """Return the dump as that arena signs it."""
    return b"".join(lines(head, ledger, signing(private), SIGNED))


def resigned(rows: Sequence[Any], private: Ed25519PrivateKey = ARENA) -> bytes:
    """Return a dump of any rows, the head first, with a right signature: as if the arena itself had lied."""
    body = text_of(rows)
    tournament = str(rows[0].get("tournament"))
    last = signature_line(signing(private), tournament, len(rows) - 1, SIGNED, hashlib.sha256(body).hexdigest())
    return body + last


def rows_of(text: bytes) -> list[Any]:
    """Return the lines of a dump without the signature."""
    return [json.loads(row) for row in text.splitlines()[:-1]]


def text_of(rows: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows)
