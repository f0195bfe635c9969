"""The record of a finished match: everything needed to replay it and to prove that it was not changed.

A record file is one line of JSON in one canonical form. The commitment, a hash of seed and salt, is published before
the first turn; the record shows both, so every reader can check that the deal was fixed before the first move. The
digest covers the whole record: a changed byte is found even if the changed match would still be legal.
"""

import hashlib
import secrets
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from splito_engine.errors import BadRecord, BrokenCommitment, GameError, UnknownVersion
from splito_engine.files import no_files
from splito_engine.game import AnyGame, Scores, Seat
from splito_engine.match import Match, play, start
from splito_engine.registry import find_game

FORMAT = 1
MAX_BYTES = 1_000_000

Hex32: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Hex64: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]


class Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A nudge said with a turn: `[turn, seat, nudge]`."""

    turn: int
    seat: Seat
    nudge: str


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished match as it is written to a file."""

    format: int
    game: str
    version: str
    players: int
    names: tuple[Name, ...]
    seed: str
    salt: Hex32
    commitment: Hex64
    options: dict[str, Any]
    turns: tuple[tuple[str, ...], ...]
    """Per turn the moves of the actors, in the order of their seats, in the short form of the game."""
    talk: tuple[Remark, ...]
    scores: Scores
    digest: str = ""


class _Header(msgspec.Struct):
    """The fields that decide whether this program can read the rest."""

    format: int
    game: str
    version: str


def new_salt() -> str:
    """Return a random salt."""
    return secrets.token_hex(16)


def commitment(seed: str, salt: str) -> str:
    """Return the hash of seed and salt that is published before the first turn.

    The salt is there because a short seed alone could be guessed from its hash.
    """
    return hashlib.sha256(f"splito/1/{salt}/{seed}".encode()).hexdigest()


def record_of(match: Match, names: tuple[str, ...], salt: str) -> Record:
    """Return the record of a match. Raise `BadRecord` if the match is not over or a name cannot be printed."""
    if not match.over:
        raise BadRecord("the match is not over: its record would give the hidden cards away", field="turns")
    check_names(names, match.players)
    bare = Record(
        format=FORMAT,
        game=match.game.INFO.id,
        version=match.game.INFO.version,
        players=match.players,
        names=names,
        seed=match.seed,
        salt=salt,
        commitment=commitment(match.seed, salt),
        options=msgspec.to_builtins(match.options),
        turns=tuple(tuple(map(match.game.move_text, turn.moves.values())) for turn in match.turns),
        talk=tuple(Remark(n, seat, nudge) for n, turn in enumerate(match.turns) for seat, nudge in turn.talk.items()),
        scores=match.scores,
    )
    return msgspec.structs.replace(bare, digest=_digest(bare))


def check_version(game: str, version: str) -> None:
    """Raise `UnknownVersion` if this program has other rules, because the turns may then mean something else."""
    known = find_game(game).INFO.version
    if version != known:
        raise UnknownVersion(f"{game} rules {version!r}; this program has {known!r}", field="version")


def check_names(names: tuple[str, ...], players: int) -> None:
    """Raise `BadRecord` unless there is one printable name per seat."""
    if len(names) != players or not all(0 < len(name) <= 64 and name.isprintable() for name in names):
        raise BadRecord("there must be one printable name of 1 to 64 characters per seat", field="names")


def encode(record: Record) -> bytes:
    """Return the record as a file."""
    return msgspec.json.encode(record) + b"\n"


def decode(raw: bytes) -> Record:
    """Return the record of a file.

    Raise `UnknownVersion` for another format or other rules, `BadRecord` if the file is no record or was changed.
    """
    if len(raw) > MAX_BYTES:
        raise BadRecord(f"a record has at most {MAX_BYTES:,} bytes")
    header = _decode(raw, _Header)
    if header.format != FORMAT:
        raise UnknownVersion(f"record format {header.format}; this program reads {FORMAT}", field="format")
    check_version(header.game, header.version)
    record = _decode(raw, Record)
    if record.digest != _digest(record):
        raise BadRecord("the digest does not match: the record was changed after it was written", field="digest")
    if encode(record) != raw:
        raise BadRecord("not in canonical form: the file was reformatted after it was written")
    return record


def replay(record: Record, game: AnyGame) -> Match:
    """Return the match, played again from the seed. Raise `BadRecord` if a turn cannot be played."""
    match = start(game, record.players, record.seed, record.options)
    talk: dict[int, dict[Seat, str]] = {}
    for remark in record.talk:
        talk.setdefault(remark.turn, {})[remark.seat] = remark.nudge
    for number, texts in enumerate(record.turns):
        match = _replay_turn(match, number, texts, talk.get(number, {}))
    return match


def verify(raw: bytes) -> tuple[Record, Match]:
    """Return the record and its match after all checks: form, digest, commitment, every move, the end and the scores.

    Raise `BadRecord` or a subclass of it. No file that the record names is opened (`splito_engine.files`).
    """
    record = decode(raw)
    if record.commitment != commitment(record.seed, record.salt):
        raise BrokenCommitment("seed and salt do not give the published commitment", field="commitment")
    with no_files():
        match = replay(record, find_game(record.game))
    if record_of(match, record.names, record.salt) != record:
        raise BadRecord("the turns replay, but to other scores than the record claims", field="scores")
    return record, match


def _replay_turn(match: Match, number: int, texts: tuple[str, ...], talk: dict[Seat, str]) -> Match:
    if len(texts) != len(match.actors):
        raise BadRecord(f"turn {number} has {len(texts)} moves where {len(match.actors)} seats act", field="turns")
    try:
        return play(match, dict(zip(match.actors, map(match.game.parse_move, texts), strict=True)), talk)
    except GameError as error:
        raise BadRecord(f"turn {number}: {error.message}", seat=error.seat, field="turns") from error


def _digest(record: Record) -> str:
    bare = msgspec.structs.replace(record, digest="")
    return hashlib.sha256(msgspec.json.encode(bare)).hexdigest()


T = TypeVar("T")


def _decode(raw: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRecord(f"not a record: {error}") from None
