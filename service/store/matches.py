"""Matches in Redis. The turns are the truth; states are derived, and kept in the process only to save work.

A match that goes on is a hash (what never changes, the number of the turn, and what seats have sealed for it), a list
of revealed turns and a stream of events; one that is over is its record, compressed. Their keys share a hash tag.

Sealing is one script call: it checks the turn, keeps the decision, and reveals the turn with the last one. So a
decision that was acknowledged is never lost or changed, and a turn is revealed exactly once, whichever of many
processes answers, and whenever one of them is killed. Whether a move is legal is decided before that call, by the
rules, from the turns before: they can no longer change.
"""

import secrets
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec

from engine.chance import new_seed
from engine.errors import AlreadySealed, UnknownMatch, WrongTurn
from engine.game import Seat
from engine.match import Match, check_move, check_nudge, play, start
from engine.record import Record, check_names, check_version, commitment, decode, encode, new_salt, record_of, replay
from engine.registry import find_game
from service.store.connection import Client

KEPT = 10_000
"""How many matches a process remembers."""
EVENTS_STAY = 3600
"""For how many seconds the events of a match that is over can still be read."""


class Deal(msgspec.Struct, frozen=True):
    """What never changes about a match."""

    game: str
    version: str
    players: int
    names: tuple[str, ...]
    seed: str
    salt: str
    options: dict[str, Any]

    @property
    def commitment(self) -> str:
        return commitment(self.seed, self.salt)


class Kept(msgspec.Struct, frozen=True):
    """A match as this process last saw it."""

    deal: Deal
    match: Match
    sealed: frozenset[Seat] = frozenset()
    """Who has decided in the turn that goes on; what, nobody is told."""


class Matches:
    """The matches of one Redis. Any number of these, in any number of processes, may share it."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis
        self._seal = redis.register_script(_script("seal"))
        self._load = redis.register_script(_script("load"))
        self._archive = redis.register_script(_script("archive"))
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    async def create(
        self, game: str, names: tuple[str, ...], options: Mapping[str, object] | None = None, seed: str | None = None
    ) -> tuple[str, Deal]:
        """A new match, dealt and committed to. Whatever is wrong with it is refused before anything is stored."""
        rules = find_game(game)
        check_names(names, len(names))
        match = start(rules, len(names), seed or new_seed(), options)
        chosen = msgspec.to_builtins(match.options)
        deal = Deal(game, rules.INFO.version, len(names), names, match.seed, new_salt(), chosen)
        match_id = secrets.token_urlsafe(12)
        await self._redis.hset(_keys(match_id, "")[0], mapping={"deal": msgspec.json.encode(deal), "turn": 0})
        self._keep(match_id, Kept(deal, match))
        return match_id, deal

    async def get(self, match_id: str) -> Kept:
        """The match as it is now."""
        known = self._kept.get(match_id)
        if known is not None and known.match.over:
            return known
        found = await self._load(keys=_keys(match_id, "", "turns", "record"), args=[_turns(known)])
        if found is None:
            raise UnknownMatch(f"there is no match {match_id!r}", field="match")
        if isinstance(found, bytes):
            return self._keep(match_id, _from_record(decode(zlib.decompress(found))))
        return await self._kept_or_archived(match_id, _from_turns(known, _paired(found[0]), found[1]))

    async def seal(self, match_id: str, turn: int, seat: Seat, move: Any, nudge: str | None = None) -> Match:
        """One seat decides for a turn, for good. Saying the same again, even later, is no fault.

        Returns the match after it. Raises what the rules raise for the move; `AlreadySealed` if the seat has decided
        otherwise; `WrongTurn` if the turn has been revealed with something else, or has not begun.
        """
        kept = await self._at(match_id, turn)
        match = kept.match
        if len(match.turns) > turn or match.over:
            return _settled(match, turn, seat, move, nudge)
        if len(match.turns) == turn:
            check_move(match.game, match.state, seat, move)
            if nudge is not None:
                check_nudge(match.game, match.state, seat, nudge)
        text = match.game.move_text(move) + (f" {nudge}" if nudge else "")
        arguments = [match_id, turn, seat, text, *match.actors]
        word, now, *entry = await self._seal(keys=_keys(match_id, "", "turns", "events"), args=arguments)
        if word == b"unknown":  # it ended, and its record is in its place
            return _settled((await self.get(match_id)).match, turn, seat, move, nudge)
        _refuse(word, turn, now, seat)
        if entry:
            kept = await self._kept_or_archived(match_id, Kept(kept.deal, _played(match, [entry[0]])))
        return kept.match

    async def record(self, match_id: str) -> Record:
        """The record, once the match is over."""
        kept = await self.get(match_id)
        return record_of(kept.match, kept.deal.names, kept.deal.salt)

    async def _kept_or_archived(self, match_id: str, kept: Kept) -> Kept:
        """Whoever sees that a match is over puts its record in its place."""
        if kept.match.over:
            raw = zlib.compress(encode(record_of(kept.match, kept.deal.names, kept.deal.salt)), 9)
            keys = _keys(match_id, "", "turns", "record", "events")
            await self._archive(keys=keys, args=[match_id, len(kept.match.turns), raw, EVENTS_STAY])
        return self._keep(match_id, kept)

    async def _at(self, match_id: str, turn: int) -> Kept:
        """The match as it is remembered if that is enough for the turn, otherwise as it is now."""
        kept = self._kept.get(match_id)
        return kept if kept and len(kept.match.turns) >= turn else await self.get(match_id)

    def _keep(self, match_id: str, kept: Kept) -> Kept:
        """Remember it, unless another task of this process has seen more meanwhile."""
        before = self._kept.get(match_id)
        if before is not None and len(before.match.turns) > len(kept.match.turns):
            return before
        self._kept[match_id] = kept
        self._kept.move_to_end(match_id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return kept


def _refuse(word: bytes, turn: int, now: int, seat: Seat) -> None:
    match word:
        case b"early":
            raise WrongTurn(f"turn {turn} has not begun; turn {now} goes on", seat=seat, field="turn")
        case b"late":
            raise WrongTurn(f"turn {turn} has been revealed; turn {now} goes on", seat=seat, field="turn")
        case b"taken":
            raise AlreadySealed(f"seat {seat} has already sealed another move", seat=seat, field="move")
        case _:
            return


def _settled(match: Match, turn: int, seat: Seat, move: Any, nudge: str | None) -> Match:
    """A turn that has been revealed is what it is: only the same decision again is no fault."""
    if 0 <= turn < len(match.turns):
        revealed = match.turns[turn]
        if seat in revealed.moves and (revealed.moves[seat], revealed.talk.get(seat)) == (move, nudge):
            return match
    what = "the match is over" if match.over else f"turn {len(match.turns)} goes on"
    raise WrongTurn(f"turn {turn} cannot be played; {what}", seat=seat, field="turn")


def _from_turns(known: Kept | None, fields: dict[bytes, bytes], turns: list[bytes]) -> Kept:
    if known is None:
        deal = msgspec.json.decode(fields[b"deal"], type=Deal)
        check_version(deal.game, deal.version)
        known = Kept(deal, start(find_game(deal.game), deal.players, deal.seed, deal.options))
    sealed = frozenset(int(field[5:]) for field in fields if field.startswith(b"seat:"))
    return Kept(known.deal, _played(known.match, turns), sealed)


def _from_record(record: Record) -> Kept:
    deal = Deal(record.game, record.version, record.players, record.names, record.seed, record.salt, record.options)
    return Kept(deal, replay(record, find_game(record.game)))


def _played(match: Match, turns: list[bytes]) -> Match:
    """The match after those turns, which are the next ones."""
    for raw in turns:
        entry = msgspec.json.decode(raw, type=dict[str, str])
        said = {int(seat): text.partition(" ") for seat, text in entry.items()}
        moves = {seat: match.game.parse_move(move) for seat, (move, _, _) in said.items()}
        match = play(match, moves, {seat: nudge for seat, (_, _, nudge) in said.items() if nudge})
    return match


def _paired(flat: list[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _turns(kept: Kept | None) -> int:
    return len(kept.match.turns) if kept else 0


def _keys(match_id: str, *parts: str) -> list[str]:
    """The braces make one hash slot of all keys of a match."""
    return [f"match:{{{match_id}}}:{part}".rstrip(":") for part in parts]


def _script(name: str) -> str:
    return files("service.store").joinpath(f"{name}.lua").read_text("utf-8")
