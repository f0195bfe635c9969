"""Trust in the key of a dump: it is compared with a key that the reader gives, or with the keys of a service."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from splito_arena.errors import BadDump
from splito_arena.match.messages import Moment
from splito_arena.reports.dump_head import PUBLIC, Head, Signature, key_id, public_key
from splito_cli.remote import Remote
from splito_cli.terminal.screen import printable
from splito_engine.errors import BadOption, GameError

LONGEST_FILE = 10_000
"""Bytes of a file with a public key."""
PLACES = {"tournament": "/v1/tournaments", "experiment": "/v1/experiments"}


class Trusted(NamedTuple):
    """The outcome: what holds of the key and the commitment, and what is left for the reader to compare."""

    verified: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    to_compare: tuple[str, ...] = ()


class KeyTimes(msgspec.Struct, frozen=True):
    """A key of the arena as its service publishes it."""

    key: str
    since: Moment | None
    until: Moment | None


class PublishedKeys(msgspec.Struct, frozen=True):
    keys: list[KeyTimes]


class Committed(msgspec.Struct, frozen=True):
    commitment: str


class Trust(NamedTuple):
    """The options of the reader: a key, a service, both or neither."""

    key: str | None = None
    """A public key, or the name of a file that has it."""
    service: str | None = None
    """The address of the arena's service."""

    def check(self, head: Head, signature: Signature) -> Trusted:
        """Return what the signature proves. Raise `BadDump` if it is by a key that the reader does not trust."""
        if self.key is None and self.service is None:
            return Trusted((), (), (*_compare_key(signature), *_compare_commitment(head)))
        found = Trusted()
        if self.key is not None:
            _check_key(read_key(self.key), signature)
            found = Trusted(("signature: by the key that you gave",), (), tuple(_compare_commitment(head)))
        if self.service is not None:
            with Remote(self.service) as remote:
                at_service = _check_service(remote, head, signature)
            found = Trusted((*found.verified, *at_service.verified), at_service.unchecked, at_service.to_compare)
        return found


def read_key(given: str) -> str:
    """Return the public key that was given as text or as a file. Raise `BadOption` if there is none."""
    text = given
    if not given.startswith(PUBLIC):
        try:
            with Path(given).open("rb") as file:
                text = file.read(LONGEST_FILE).decode("utf-8").strip()
        except (OSError, UnicodeDecodeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not text"
            raise BadOption(f"--key is a public key, {PUBLIC}..., or a file with one: {reason}", field="key") from None
    try:
        public_key(text)
    except BadDump as error:
        raise BadOption(f"--key: {error.message}", field="key") from None
    return text


def _check_key(key: str, signature: Signature) -> None:
    if signature.key != key:
        raise BadDump(f"it is signed by key {key_id(signature.key)}, not by {key_id(key)} that you gave", field="key")


def _check_service(remote: Remote, head: Head, signature: Signature) -> Trusted:
    published = remote.get("/v1/signing-key", PublishedKeys).keys
    known = next((one for one in published if one.key == signature.key), None)
    if known is None:
        wrong = f"it is signed by key {key_id(signature.key)}, which {remote.url} does not publish"
        raise BadDump(wrong, field="key")
    signed = datetime.fromtimestamp(signature.signed, UTC)
    if (known.since and signed < known.since) or (known.until and signed > known.until):
        raise BadDump(f"it was signed when key {key_id(signature.key)} did not count", field="key")
    verified = f"signature: by key {key_id(signature.key)} of {remote.url}, as it publishes it now"
    return _with_commitment(remote, head, verified)


def _with_commitment(remote: Remote, head: Head, verified: str) -> Trusted:
    try:
        shown = remote.get(f"{PLACES[head.kind]}/{quote(head.tournament, safe='')}", Committed).commitment
    except GameError as error:
        why = f"the commitment: {remote.url} does not show this {head.kind} ({printable(error.message)})"
        return Trusted((verified,), (why,), tuple(_compare_commitment(head)))
    if shown != head.commitment:
        raise BadDump(f"{remote.url} shows another commitment for this {head.kind}", field="commitment")
    return Trusted(
        (verified, "commitment: the one that the service shows; you must know that it did so from the start")
    )


def _compare_key(signature: Signature) -> list[str]:
    where = "GET /v1/signing-key of the arena, or give --key or --service"
    return [f"signed by key {key_id(signature.key)}: compare it with {where}\n{printable(signature.key)}"]


def _compare_commitment(head: Head) -> list[str]:
    if head.secret is None:
        return []
    return [f"with the commitment published before the first deal:\n{printable(head.commitment)}"]
