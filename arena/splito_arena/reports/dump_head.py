"""Head and signature of a dump: its first line describes the tournament, its last line is signed by the arena.

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
"""Prefix of the base64 of a public key, as in Standard Webhooks."""
LATEST = 253_402_300_799
"""Greatest time of a signature, in seconds since 1970: the end of the year 9999."""
HOW = (
    "A game is one observation: the order of its bots by their places. "
    "Online ratings: one update for each game, blocks in the order of their ids as texts, docs/ratings.md. "
    "Published ratings: the most likely strengths of a Plackett-Luce model over all games, docs/ratings.md."
)

Sign: TypeAlias = Callable[[bytes], tuple[str, bytes]]
"""Function that signs a content: it returns the public key of the arena and the signature."""


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a dump."""

    tournament: str
    name: str
    kind: Literal["tournament", "experiment"] = "tournament"
    game: str
    version: str
    """Version of the rules."""
    players: int
    options: dict[str, Any]
    """All options of the game, as in every record."""
    strikes: Annotated[int, Meta(ge=1)]
    """Number of faults in a game after which a house bot played on."""
    entrants: dict[str, str]
    """Names of the bots by the ids of their versions: all that took part, in a ladder earlier ones too."""
    format: int = FORMAT
    """Version of the dump format."""
    commitment: str
    """Commitment published before the first deal: SHA-256 over the id and the secret."""
    secret: str | None = None
    """Secret from which all deals follow; null before the end of the tournament."""
    seed: str | msgspec.UnsetType = msgspec.UNSET
    """Seed that the holder gave, shown with the secret that follows from it; left out if the arena drew the secret."""
    how: str = HOW
    """Description of how the ratings are computed."""
    blocks: int | None = None
    """Number of blocks that follow; null if it is not known."""
    question: Experiment | msgspec.UnsetType = msgspec.UNSET
    """Settings of an experiment; left out for other tournaments and in older dumps."""


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last line of a dump."""

    signature: str
    """Ed25519 signature in base64, over `signed_content`."""
    key: str
    """Public key of the arena."""
    sha256: str
    """SHA-256 of all bytes before this line, in hexadecimal digits."""
    blocks: int
    """Number of lines with blocks."""
    signed: Annotated[int, Meta(ge=0, le=LATEST)]
    """Time of the signature, in seconds since 1970."""


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
    """Raise `BadDump` if the signature is not of these bytes, or not by the key beside it."""
    if (last.sha256, last.blocks) != (sha256, blocks):
        raise BadDump("it was changed after the arena signed it", field="sha256")
    content = signed_content(head.tournament, blocks, last.signed, sha256)
    try:
        public_key(last.key).verify(base64.b64decode(last.signature, validate=True), content)
    except (InvalidSignature, binascii.Error, ValueError):
        raise BadDump("its signature is not by the key that stands beside it", field="signature") from None


def public_key(text: str) -> Ed25519PublicKey:
    """Return the key from its text form, `whpk_` and base64. Raise `BadDump` for any other text."""
    try:
        if text.startswith(PUBLIC):
            return Ed25519PublicKey.from_public_bytes(base64.b64decode(text.removeprefix(PUBLIC), validate=True))
    except (binascii.Error, ValueError):
        pass
    raise BadDump(f"no public key of an arena, which is {PUBLIC} and 32 bytes in base64", field="key")


def key_id(public: str) -> str:
    """Return the short name of a public key: 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public.encode()).hexdigest()[:16]
