"""Records: replay, commitment, and detection of every change."""

import hashlib
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine import record
from splito_engine.errors import BadRecord, BrokenCommitment, GameError, UnknownGame, UnknownVersion
from splito_engine.games import splito
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.record import Record, commitment, decode, encode, new_salt, record_of, verify
from splito_engine.registry import games

NAMES = {players: tuple(f"Ann {seat}" for seat in range(players)) for players in range(13)}
SALT = "0123456789abcdef" * 2


def finished(game_id: str, players: int, options: dict[str, object] | None = None) -> Match:
    rng, match = Random("record"), start(games()[game_id], players, "record", options)
    while not match.over:
        moves = {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors}
        talk = {seat: rng.choice(said) for seat in match.actors if (said := match.game.nudges(match.state, seat))}
        match = play(match, moves, talk)
    return match


def a_record(game_id: str = "splito", players: int = 3) -> Record:
    return record_of(finished(game_id, players), NAMES[players], SALT)


def forged(original: Record, **changes: Any) -> bytes:
    """Return a changed record with a matching digest."""
    bare = msgspec.structs.replace(original, digest="", **changes)
    digest = hashlib.sha256(msgspec.json.encode(bare)).hexdigest()
    return encode(msgspec.structs.replace(bare, digest=digest))


@pytest.mark.parametrize("game_id", games())
def test_a_record_replays_to_the_same_end(game_id: str) -> None:
    match = finished(game_id, games()[game_id].INFO.min_players)
    written = encode(record_of(match, NAMES[match.players], new_salt()))
    read, replayed = verify(written)
    assert replayed.state == match.state
    assert read.scores == match.scores
    assert encode(read) == written


@pytest.mark.clause("S18", "S20")
def test_a_record_keeps_options_deals_and_talk() -> None:
    match = finished("splito", 4, {"deals": 2, "talk": True})
    read, replayed = verify(encode(record_of(match, NAMES[4], SALT)))
    assert read.options == {"deals": 2, "talk": True, "deck": "standard"}
    assert len(read.turns) == 26
    assert read.talk
    assert replayed.turns == match.turns


def test_the_commitment_is_the_sha256_of_salt_and_seed() -> None:
    assert commitment("my seed", SALT) == hashlib.sha256(f"splito/1/{SALT}/my seed".encode()).hexdigest()
    assert a_record().commitment == commitment("record", SALT)


def test_every_single_changed_byte_is_found() -> None:
    written = encode(a_record("splitit", 2))
    for at in range(len(written)):
        for flip in (0x01, 0x20):
            changed = bytearray(written)
            changed[at] ^= flip
            with pytest.raises(GameError):
                verify(bytes(changed))


@given(st.data())
def test_bytes_that_were_cut_out_or_put_in_are_found(data: st.DataObject) -> None:
    written = WRITTEN
    at = data.draw(st.integers(0, len(written)))
    with pytest.raises(GameError):
        verify(written[:at] + data.draw(st.binary(min_size=1, max_size=3)) + written[at:])
    until = data.draw(st.integers(at, len(written)))
    if until > at:
        with pytest.raises(GameError):
            verify(written[:at] + written[until:])


WRITTEN = encode(a_record())


@given(st.binary(max_size=200))
def test_bytes_that_are_no_record_are_refused(raw: bytes) -> None:
    with pytest.raises(BadRecord):
        verify(raw)


REFUSED: dict[str, tuple[dict[str, Any], type[GameError], str]] = {
    "another format": ({"format": 2}, UnknownVersion, "format"),
    "rules we do not have": ({"version": "0.9"}, UnknownVersion, "version"),
    "a game we do not have": ({"game": "chess"}, UnknownGame, "game"),
    "another seed": ({"seed": "Record"}, BrokenCommitment, "commitment"),
    "another salt": ({"salt": "f" * 32}, BrokenCommitment, "commitment"),
    "a commitment made afterwards": ({"seed": "x", "commitment": commitment("x", SALT)}, BadRecord, "turns"),
    "other scores": ({"scores": ((99, -1),) * 3}, BadRecord, "scores"),
    "a turn too few": ({"turns": a_record().turns[:-1]}, BadRecord, "turns"),
    "an empty turn too many": ({"turns": (*a_record().turns, ())}, BadRecord, "turns"),
    "a turn too many": ({"turns": (*a_record().turns, a_record().turns[0])}, BadRecord, "turns"),
    "a move of nobody's hand": ({"turns": (("r9<",) * 3, *a_record().turns[1:])}, BadRecord, "turns"),
    "a move that does not read": ({"turns": (("r1",) * 3, *a_record().turns[1:])}, BadRecord, "turns"),
    "talk where talk is off": ({"talk": (record.Remark(0, 0, "play:left"),)}, BadRecord, "turns"),
    "talk after the end": ({"talk": (record.Remark(99, 0, "play:left"),)}, BadRecord, "scores"),
    "too few names": ({"names": ("Ann",)}, BadRecord, "names"),
    "a name that plays tricks": ({"names": ("Ann", "Bob", "\x1b[31mEve")}, BadRecord, "names"),
    "nine players": ({"players": 9}, GameError, "players"),
    "an unknown option": ({"options": {"deal": 3}}, GameError, "deal"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_record_with_a_false_claim_is_refused_with_the_reason(case: str) -> None:
    changes, kind, field = REFUSED[case]
    with pytest.raises(kind) as caught:
        verify(forged(a_record(), **changes))
    assert caught.value.field == field
    assert caught.value.message


def test_the_turn_at_fault_is_named_with_its_seat() -> None:
    turns = a_record().turns
    broken = (*turns[:5], (turns[5][0], turns[4][1], turns[5][2]), *turns[6:])
    with pytest.raises(BadRecord, match="turn 5: seat 1 does not hold") as caught:
        verify(forged(a_record(), turns=broken))
    assert caught.value.seat == 1


def test_a_record_that_was_only_reformatted_is_refused_as_such() -> None:
    pretty = msgspec.json.format(WRITTEN.strip(), indent=2)
    with pytest.raises(BadRecord, match="canonical"):
        verify(pretty)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"format":' * 50_000, b" " * 2_000_000, b"\xff\xfe", b""])
def test_a_hostile_file_is_refused_quickly(raw: bytes) -> None:
    with pytest.raises(BadRecord):
        decode(raw)


def test_a_match_that_is_not_over_has_no_record() -> None:
    with pytest.raises(BadRecord):
        record_of(start(splito, 3, "seed"), NAMES[3], SALT)
