"""Encoding of a match as the fields of its Redis hash, and back. The scripts say what each field is for."""

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import msgspec

from splito_engine.game import Seat
from splito_engine.match import Match, play, start
from splito_engine.record import check_version
from splito_engine.registry import find_game
from splito_service.ids import Milliseconds
from splito_service.matches.model import (
    NOT_BEGUN,
    OPEN,
    Account,
    BankClock,
    Deal,
    Decision,
    NoClock,
    Sitter,
    StoredMatch,
)


class Done(NamedTuple):
    """The answer of the script to a sealed decision."""

    change: int
    time: Milliseconds
    bank: Milliseconds
    entry: bytes | None = None
    """The turn if this decision revealed it, else None."""


def after(kept: StoredMatch, decision: Decision, done: Done) -> StoredMatch:
    """Return the match after exactly this decision has been sealed."""
    seat, account = decision.seat, decision.account
    banks = kept.banks and (*kept.banks[:seat], done.bank, *kept.banks[seat + 1 :])
    if account is not None:
        kept = msgspec.structs.replace(kept, accounts={**kept.accounts, seat: account})
    if done.entry is None:
        sealed = kept.sealed | {seat}
        return msgspec.structs.replace(kept, change=done.change, begun=True, sealed=sealed, banks=banks)
    return msgspec.structs.replace(
        kept,
        change=done.change,
        begun=True,
        match=_played(kept.match, [done.entry]),
        sealed=frozenset[Seat](),
        began=done.time,
        banks=banks,
    )


def to_fields(kept: StoredMatch) -> list[Any]:
    """Return a new match as the fields of its hash. The scripts say what each is for."""
    clock = kept.deal.clock
    fields: dict[str, Any] = {
        "deal": msgspec.json.encode(kept.deal),
        "players": kept.deal.players,
        "open": kept.sitters.count(OPEN),
        "bots": sum(sitter.kind == "bot" for sitter in kept.sitters),
        "sittings": max(0, *kept.sittings),
        "clock": msgspec.to_builtins(clock)["kind"],
        "client": kept.client,
        "limit": 0 if isinstance(clock, NoClock) else 1000 * clock.seconds,
    }
    for seat, sitter in enumerate(kept.sitters):
        fields[f"who:{seat}"] = msgspec.json.encode(sitter)
        fields[f"sitting:{seat}"] = kept.sittings[seat]
    fields |= {f"bank:{seat}": bank for seat, bank in enumerate(full_banks(kept.deal))}
    return [word for pair in fields.items() for word in pair]


def first_sittings(sitters: Sequence[Sitter]) -> tuple[int, ...]:
    numbers = count(1)
    return tuple(next(numbers) if sitter.kind == "person" else -1 if sitter == OPEN else 0 for sitter in sitters)


def full_banks(deal: Deal) -> tuple[Milliseconds, ...]:
    return (1000 * deal.clock.seconds,) * deal.players if isinstance(deal.clock, BankClock) else ()


def from_fields(match_id: str, known: StoredMatch | None, flat: list[bytes], turns: list[bytes]) -> StoredMatch:
    """Return the match from its hash and the turns that this process did not know yet."""
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    deal = known.deal if known else msgspec.json.decode(fields[b"deal"], type=Deal)
    check_version(deal.game, deal.version)
    match = known.match if known else start(find_game(deal.game), deal.players, deal.seed, deal.options)
    seats = range(deal.players)
    return StoredMatch(
        id=match_id,
        deal=deal,
        match=_played(match, turns),
        sitters=tuple(msgspec.json.decode(fields[b"who:%d" % seat], type=Sitter) for seat in seats),
        sittings=tuple(int(fields[b"sitting:%d" % seat]) for seat in seats),
        change=int(fields[b"change"]),
        begun=int(fields[b"turn"]) != NOT_BEGUN,
        sealed=frozenset(seat for seat in seats if b"seat:%d" % seat in fields),
        began=int(fields.get(b"began", 0)),
        banks=tuple(int(fields[b"bank:%d" % seat]) for seat in seats) if b"bank:0" in fields else (),
        client=fields.get(b"client", b"").decode(),
        accounts={seat: _decode_account(fields[b"bot:%d" % seat]) for seat in seats if b"bot:%d" % seat in fields},
    )


def to_entry(match: Match, decision: Decision) -> str:
    """Return a decision as it is sealed and as it stands in a revealed turn: the move, a blank, and the table talk."""
    text = match.game.move_text(decision.move)
    return f"{text} {decision.nudge}" if decision.nudge else text


def to_account(decision: Decision) -> bytes:
    """Return the account as it is stored beside the seat; empty if there is none."""
    return b"" if decision.account is None else msgspec.json.encode(decision.account)


def _played(match: Match, turns: list[bytes]) -> Match:
    """Return the match after these turns, which are the next ones."""
    for raw in turns:
        moves: dict[Seat, Any] = {}
        talk: dict[Seat, str] = {}
        for seat, text in _decode_entry(raw).items():
            move, _, nudge = text.partition(" ")
            moves[seat] = match.game.parse_move(move)
            if nudge:
                talk[seat] = nudge
        match = play(match, moves, talk)
    return match


_decode_entry = msgspec.json.Decoder(dict[int, str]).decode
_decode_account = msgspec.json.Decoder(Account).decode
