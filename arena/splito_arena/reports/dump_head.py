"""The first and the last line of a dump: what tournament it is of, and the signature of the arena.

The signature is Ed25519 over the id of the tournament, the number of blocks, the time, and the SHA-256 of all bytes
before the last line. So nothing can be changed, added or cut, and a dump can be written and read as a stream.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Meta

from splito_arena.errors import BadDump
from splito_arena.formats import Experiment

FORMAT = 3
PUBLIC = "whpk_"
"""Before the base64 of a public key, as Standard Webhooks writes it."""
LATEST = 253_402_300_799
"""Seconds since 1970 to the end of the year 9999."""
HOW = (
    "A block is one observation: the order of its bots by their mean places over its games, equal means being ties. "
    "Online ratings: openskill's PlackettLuce with its own numbers, block by block in the order of their ids as texts. "
    "Published ratings: the most likely strengths of a Plackett-Luce model over all blocks, docs/ratings.md."
)

Sign: TypeAlias = Callable[[bytes], tuple[str, bytes]]
"""Return the public key of the arena, and its signature of a content."""


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a dump."""

    tournament: str
    name: str
    kind: Literal["tournament", "experiment"] = "tournament"
    game: str
    version: str
    """Of the rules."""
    players: int
    options: dict[str, Any]
    """Those of the game, all of them, as every record has them."""
    strikes: Annotated[int, Meta(ge=1)]
    """Faults in a game after which a bot of the house played on."""
    entrants: dict[str, str]
    """The names of the bots by the ids of their versions: all that took part, in a ladder also earlier ones."""
    format: int = FORMAT
    """Of this file."""
    commitment: str
    """Published before the first deal: SHA-256 over the id and the secret."""
    secret: str | None = None
    """From which all deals follow; nobody is told before the end."""
    how: str = HOW
    """How the ratings are computed."""
    blocks: int | None = None
    """How many follow, where that is known."""
    question: Experiment | msgspec.UnsetType = msgspec.UNSET
    """What an experiment asks, where that is told."""


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last line of a dump."""

    signature: str
    """Ed25519 in base64, over `signed_content`."""
    key: str
    """The public key of the arena."""
    sha256: str
    """Of all bytes before this line, in hexadecimal digits."""
    blocks: int
    """How many lines of blocks there are."""
    signed: Annotated[int, Meta(ge=0, le=LATEST)]
    """When, in seconds since 1970."""


def signed_content(tournament: str, blocks: int, signed: int, sha256: str) -> bytes:
    """Return the bytes that the arena signs."""
    return f"splito/dump/1/{tournament}/{blocks}/{signed}/{sha256}".encode()


def signature_line(sign: Sign, tournament: str, blocks: int, signed: int, sha256: str) -> bytes:
    """Return the last line of a dump whose other bytes have that SHA-256."""
    key, signature = sign(signed_content(tournament, blocks, signed, sha256))
    encoded = base64.b64encode(signature).decode()
    last = Signature(signature=encoded, key=key, sha256=sha256, blocks=blocks, signed=signed)
    return msgspec.json.encode(last) + b"\n"


def check_signature(head: Head, last: Signature, blocks: int, sha256: str) -> None:
    """Raise `BadDump` if the signature is not of these bytes, or not by the key that stands beside it."""
    if (last.sha256, last.blocks) != (sha256, blocks):
        raise BadDump("it was changed after the arena signed it", field="sha256")
    content = signed_content(head.tournament, blocks, last.signed, sha256)
    try:
        public_key(last.key).verify(base64.b64decode(last.signature, validate=True), content)
    except (InvalidSignature, binascii.Error, ValueError):
        raise BadDump("its signature is not by the key that stands beside it", field="signature") from None


def public_key(text: str) -> Ed25519PublicKey:
    """Return the key of its text form, `whpk_` and base64. Raise `BadDump` for any other text."""
    try:
        if text.startswith(PUBLIC):
            return Ed25519PublicKey.from_public_bytes(base64.b64decode(text.removeprefix(PUBLIC), validate=True))
    except (binascii.Error, ValueError):
        pass
    raise BadDump(f"no public key of an arena, which is {PUBLIC} and 32 bytes in base64", field="key")


def key_id(public: str) -> str:
    """Return the short name of a public key: 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public.encode()).hexdigest()[:16]
