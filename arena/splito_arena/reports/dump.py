"""Dump of a tournament: all finished blocks as text, from which everything can be replayed and rated again.

A dump is lines of JSON. The first is the head: the tournament, its rules, and how the ratings are computed; when the
tournament is over it has the secret too, from which all deals were drawn. Then there is one line per block, in the
order of play, with the records of its games. The last line is the signature of the arena.

Reading a dump checks it: every record is replayed, and games that do not belong to their block are refused. The size is
limited, because a dump may come from any source. A dump without a signature, or with a signature that does not match
its bytes, is refused; the reader decides whether the key is that of the arena.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import BinaryIO, TypeVar

import msgspec

from splito_arena.blocks.ledger import BLOCK_PATTERN, Entry, encode
from splito_arena.blocks.play import commitment_of, secret_of_seed
from splito_arena.errors import BadDump
from splito_arena.reports.dump_check import check_block
from splito_arena.reports.dump_head import FORMAT, Head, Sign, Signature, check_signature, signature_line
from splito_engine.game import check_players
from splito_engine.record import MAX_BYTES, check_version
from splito_engine.registry import find_game

T = TypeVar("T")

BLOCK = re.compile(BLOCK_PATTERN)
MAX_LINE = 16 * MAX_BYTES
"""Bytes of the line of a block at most."""
MAX_SIZE = 8 * 10**9
"""Bytes of a dump at most."""
LAST = b'{"signature":'
"""Beginning of the last line."""


class Dump(msgspec.Struct, frozen=True):
    """A dump that was read and checked."""

    head: Head
    ledger: tuple[Entry, ...]
    signature: Signature


class Writing:
    """A writer of the lines of a dump, one after the other. It keeps only their hash."""

    def __init__(self, head: Head) -> None:
        self._tournament, self._hash, self._blocks = head.tournament, hashlib.sha256(), 0
        self.first = msgspec.json.encode(head) + b"\n"
        self._hash.update(self.first)

    def line(self, entry: Entry) -> bytes:
        """Return the line of the next block."""
        line = encode(entry)
        self._hash.update(line)
        self._blocks += 1
        return line

    def last(self, sign: Sign, signed: int) -> bytes:
        """Return the last line; `signed` is the time, in seconds since 1970."""
        return signature_line(sign, self._tournament, self._blocks, signed, self._hash.hexdigest())


def lines(head: Head, ledger: Iterable[Entry], sign: Sign, signed: int) -> Iterator[bytes]:
    """Yield the dump line by line; the entries must come in the order of play."""
    writing = Writing(head)
    yield writing.first
    yield from map(writing.line, ledger)
    yield writing.last(sign, signed)


def read_dump(file: BinaryIO) -> Dump:
    """Read and check a whole dump. Raise `BadDump` if it is wrong, or its rules are not installed."""
    reading = Reading(file)
    return Dump(reading.head, tuple(reading), reading.signature)


class Reading:
    """A reader of a dump, block by block; each block is checked and then forgotten.

    `BadDump` is raised at the first wrong line, so nothing is proved before the last block.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._hash, self._found = file, hashlib.sha256(), None
        self.head = head = _decoded(self._line(1), Head, 1)
        if head.format != FORMAT:
            raise BadDump(f"a dump of format {head.format}; this program reads {FORMAT}", field="format")
        check_version(head.game, head.version)
        check_players(find_game(head.game).INFO, head.players)
        if head.secret is not None and commitment_of(head.tournament, head.secret) != head.commitment:
            raise BadDump("the secret is not the one that the arena was committed to", field="commitment")
        if head.seed is not msgspec.UNSET and head.secret != secret_of_seed(head.seed):
            raise BadDump("the secret does not follow from the seed", field="seed")

    @property
    def signature(self) -> Signature:
        """Return the last line, after all blocks have been read."""
        if self._found is None:
            raise ValueError("the dump has not been read to its end")
        return self._found

    def __iter__(self) -> Iterator[Entry]:
        number = 0
        for entry in self._entries():
            number += 1
            yield entry
        if self.head.blocks not in (None, number):
            raise BadDump(f"{number} blocks where the head says {self.head.blocks}: the file was cut", field="blocks")

    def _entries(self) -> Iterator[Entry]:
        before, size, deals = "", 0, set[str]()
        for number in count(2):
            sha256 = self._hash.hexdigest()
            line = self._line(number)
            if line.startswith(LAST):
                self._end(line, number, sha256)
                return
            size += len(line)
            if size > MAX_SIZE:
                raise BadDump(f"a dump has at most {MAX_SIZE:,} bytes")
            entry = _decoded(line, Entry, number)
            if not BLOCK.fullmatch(entry.block):
                raise BadDump(f"line {number}: a block id must look like `00000002-0001-00013`", field="block")
            if entry.block <= before:
                raise BadDump(f"line {number}: block {entry.block} is not after {before}", field="block")
            check_block(self.head, entry, deals)
            yield entry
            before = entry.block

    def _end(self, line: bytes, number: int, sha256: str) -> None:
        last = _decoded(line, Signature, number)
        check_signature(self.head, last, number - 2, sha256)
        if self._file.read(1):
            raise BadDump(f"line {number}: something follows the signature", field="signature")
        self._found = last

    def _line(self, number: int) -> bytes:
        line = self._file.readline(MAX_LINE + 1)
        if len(line) > MAX_LINE:
            raise BadDump(f"line {number} is longer than {MAX_LINE:,} bytes")
        if not line and number > 1:
            raise BadDump("it has no signature at its end: it was cut, or no arena wrote it", field="signature")
        self._hash.update(line)
        return line


def _decoded(line: bytes, kind: type[T], number: int) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadDump(f"line {number}: not {kind.__name__.lower()} of a dump: {error}") from None
