"""A match as a list shows it: read from Redis without playing its turns again."""

import zlib
from typing import Any

import msgspec

from splito_engine.game import Scores
from splito_engine.record import check_version
from splito_service.matches.model import NOT_BEGUN, Clock, Deal, Sitter, Status, StoredMatch


class Listed(msgspec.Struct, frozen=True):
    """The summary of a match."""

    id: str
    game: str
    players: int
    clock: Clock
    sitters: tuple[Sitter, ...]
    status: Status
    turn: int
    """Number of the current turn."""
    scores: Scores | None
    """None unless the match is over."""


class _Summary(msgspec.Struct, frozen=True):
    """The fields of a record that a list needs."""

    game: str
    version: str
    players: int
    turns: list[msgspec.Raw]
    scores: Scores


class _Archived(msgspec.Struct, frozen=True):
    record: _Summary
    sitters: tuple[Sitter, ...]
    clock: Clock


def from_kept(kept: StoredMatch) -> Listed:
    """Return the summary of a match that this process has in memory."""
    return Listed(
        id=kept.id,
        game=kept.deal.game,
        players=kept.deal.players,
        clock=kept.deal.clock,
        sitters=kept.sitters,
        status=kept.status,
        turn=kept.turn,
        scores=kept.match.scores if kept.over else None,
    )


def from_archive(match_id: str, packed: bytes) -> Listed:
    """Return the summary of a match that is over. Raise `UnknownVersion` if its rules are no longer here."""
    archived = msgspec.json.decode(zlib.decompress(packed), type=_Archived)
    record = archived.record
    check_version(record.game, record.version)
    return Listed(
        id=match_id,
        game=record.game,
        players=record.players,
        clock=archived.clock,
        sitters=archived.sitters,
        status="over",
        turn=len(record.turns),
        scores=record.scores,
    )


def from_hash(match_id: str, flat: list[Any]) -> Listed:
    """Return the summary of an open or running match. Raise `UnknownVersion` if its rules are no longer here."""
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    deal = msgspec.json.decode(fields[b"deal"], type=Deal)
    check_version(deal.game, deal.version)
    turn = int(fields[b"turn"])
    return Listed(
        id=match_id,
        game=deal.game,
        players=deal.players,
        clock=deal.clock,
        sitters=tuple(msgspec.json.decode(fields[b"who:%d" % seat], type=Sitter) for seat in range(deal.players)),
        status="open" if turn == NOT_BEGUN else "running",
        turn=turn,
        scores=None,
    )
