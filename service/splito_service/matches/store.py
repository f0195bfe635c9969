"""Store of matches in Redis. The turns are stored; states are derived from them and cached in the process.

An open or running match is a hash (the deal, the players at the seats, the number of the turn, and the sealed
decisions of that turn) and a list of revealed turns; a finished match is its compressed record. The keys of a match
share a hash tag. Sorted sets list the open, running and finished matches of each game, and the due matches: see `due`
and `plan`.

Sealing is one script call: it checks the turn, stores the decision, and reveals the turn with the last decision. So an
acknowledged decision is never lost or changed, and a turn is revealed exactly once, whichever process answers and
whenever a process is killed. The legality of a move is checked before that call, from the earlier turns, which cannot
change any more.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import msgspec

from splito_engine.chance import new_seed
from splito_engine.errors import BadBot, UnknownMatch
from splito_engine.game import Seat
from splito_engine.match import check_move, check_nudge, start
from splito_engine.record import check_names, new_salt
from splito_engine.registry import find_game
from splito_service.errors import NoRoom, SeatTaken, TooManyMatches, wrong_token
from splito_service.ids import Milliseconds, new_id
from splito_service.matches.list_store import Listed, from_archive, from_hash
from splito_service.matches.model import (
    OPEN,
    Creator,
    Deal,
    Decision,
    Sitter,
    Status,
    StoredMatch,
    Terms,
    pack,
    record_in,
    unpack,
)
from splito_service.matches.redis_hash import (
    Done,
    after,
    first_sittings,
    from_fields,
    full_banks,
    to_account,
    to_entry,
    to_fields,
)
from splito_service.matches.redis_keys import DUE, ENDED, LIVE, match_keys, shelf
from splito_service.matches.refusals import not_begun, refuse, settled
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

KEPT = 10_000
"""Number of matches that a process caches."""
STATUSES: tuple[Status, ...] = get_args(Status)
DAY = 24 * 3600
SERVER = ""
"""Stands in for the number of a sitting if the server itself decides."""
REFUSED = -1  # answer of the script instead of the time if a client has too many matches
UNSEEN = -1
"""Number of the change for a match that is not fully known."""
NO_TURNS = 1_000_000_000
"""Number of a first turn that no match has, to read a match without its turns."""


class Matches:
    """The store of matches in one Redis, shared by all processes."""

    def __init__(self, link: Link, settings: Settings = Settings()) -> None:  # noqa: B008 (immutable)
        self._link, self._most = link, settings.max_matches
        days = {"IDLE": settings.idle_days, "OPEN_IDLE": settings.open_days, "OVER": settings.match_days}
        limits = {name: DAY * count for name, count in days.items()} | {"MOST": settings.max_matches}
        self._scripts = {name: link.script(source(f"matches/{name}", **limits)) for name in SCRIPTS}
        self._seal = self._scripts["seal"]
        self._kept: OrderedDict[str, StoredMatch] = OrderedDict()
        self.replayed = 0
        """Number of matches that this process replayed from their first turn because they were not cached."""

    async def create(
        self,
        game: str,
        sitters: Sequence[Sitter],
        terms: Terms = Terms(),  # noqa: B008 (immutable)
        creator: Creator = Creator(),  # noqa: B008 (immutable)
    ) -> StoredMatch:
        """Store and return a new match, dealt and committed to. An invalid request is refused before anything is
        stored.

        The persons among the sitters have the sittings 1, 2, ... in the order of their seats. Raise `NoRoom` if the
        service has as many live matches as it allows, and `TooManyMatches` if only bots sit there and the client has as
        many such matches running as it may have.
        """
        kept = _new_match(game, sitters, terms, creator)
        keys = [*match_keys(kept.id, "", "turns"), DUE, shelf(game, kept.status), LIVE]
        most = creator.most_bot_matches if all(sitter.kind == "bot" for sitter in sitters) else 0
        began = await self._run("create", keys, kept.id, int(kept.deal.listed), kept.client, most, *to_fields(kept))
        if began is None:
            raise NoRoom(
                f"{self._most} matches are open or running, which is the limit: try again later", field="matches"
            )
        if began == REFUSED:
            text = f"{most} of your matches among bots alone are running, which is the limit: wait until one is over"
            raise TooManyMatches(text, field="seats")
        return self._keep(msgspec.structs.replace(kept, began=began))

    async def get(self, match_id: str) -> StoredMatch:
        """Return the match as it is now. Raise `UnknownMatch` if there is none."""
        known = self._kept.get(match_id)
        if known is not None and known.over and await self._link.call("EXISTS", *match_keys(match_id, "", "record")):
            return known
        known = None if known is not None and known.over else known  # the match was removed, but is still cached here
        seen = (known.change, len(known.match.turns)) if known else (UNSEEN, 0)
        found = await self._run("load", match_keys(match_id, "", "turns", "record"), *seen)
        if known is not None and found == known.change:
            return self._keep(known, instead_of=known)
        if found is None:
            self._kept.pop(match_id, None)
            raise UnknownMatch(f"there is no match {match_id!r}", field="match")
        if isinstance(found, bytes):
            return self._kept_archive(match_id, found)
        self.replayed += known is None
        return await self._kept_or_archived(from_fields(match_id, known, *found))

    async def listed(self, match_id: str) -> Listed:
        """Return the summary of the match as it is now. Raise `UnknownMatch`, or `UnknownVersion` of its rules."""
        found = await self._run("load", match_keys(match_id, "", "turns", "record"), UNSEEN, NO_TURNS)
        if found is None:
            self._kept.pop(match_id, None)
            raise UnknownMatch(f"there is no match {match_id!r}", field="match")
        if isinstance(found, bytes):
            return from_archive(match_id, found)
        return from_hash(match_id, found[0])

    async def archived_record(self, game: str, match_id: str) -> bytes | None:
        """Return the record of a match of this game as it was archived; None if it is not over, or of another game."""
        packed = await self._link.call("GET", *match_keys(match_id, "record"))
        return None if packed is None else record_in(packed, game)

    async def admit(self, match_id: str, seat: Seat, sitting: int | None, *, again: bool = False) -> StoredMatch:
        """Return the match if that sitting has the seat. Raise `WrongToken` if not.

        What this process remembers of the match is enough to admit a player, but never to refuse one; with `again` it
        is not enough to admit one either, because the player may have left by another process.
        """
        kept = None if again else self.admitted(match_id, seat, sitting)
        if kept is None:
            kept = await self.get(match_id)
            if not kept.admits(seat, sitting):
                raise wrong_token(seat)
        return kept

    def admitted(self, match_id: str, seat: Seat, sitting: int | None) -> StoredMatch | None:
        """Return the match if this process remembers that the sitting has the seat; None if `admit` has to look."""
        kept = self._kept.get(match_id)
        return kept if kept is not None and kept.begun and kept.admits(seat, sitting) else None

    async def seal(self, match_id: str, decision: Decision) -> StoredMatch:
        """Seal the decision of one seat for a turn, and return the match after it. The same again changes nothing.

        Raise `WrongToken` if another player has the seat now, and `NotBegun` while seats are open, before the rules see
        the move; then what the rules raise; `AlreadySealed` if the seat has decided otherwise; `WrongTurn` if the turn
        has been revealed with something else, or has not begun; `OutOfTime`.
        """
        turn, seat = decision.turn, decision.seat
        kept = self.admitted(match_id, seat, decision.sitting) or await self.admit(match_id, seat, decision.sitting)
        if len(kept.match.turns) < turn:
            kept = await self.admit(match_id, seat, decision.sitting, again=True)
        if not kept.begun:
            raise not_begun(seat)
        match, actors = kept.match, kept.match.actors
        if len(match.turns) != turn or not actors:
            return settled(await self.admit(match_id, seat, decision.sitting, again=True), decision)
        check_move(match.game, match.state, seat, decision.move)
        if decision.nudge is not None:
            check_nudge(match.game, match.state, seat, decision.nudge)
        keys = [*match_keys(match_id, "", "turns"), DUE]
        sitting = SERVER if decision.sitting is None else decision.sitting
        arguments = (match_id, turn, seat, sitting, to_entry(match, decision), to_account(decision), *actors)
        word, now, *done = await self._seal(keys, arguments)
        if word == b"unknown":  # the match ended, and its record has replaced it
            return settled(await self.get(match_id), decision)
        refuse(word, turn, now, seat)
        if not done:
            return kept if now == turn else await self.get(match_id)
        return await self._moved_on(kept, decision, Done(*done))

    async def join(self, match_id: str, seat: Seat | None, name: str) -> tuple[StoredMatch, Seat, int]:
        """Seat a person at this open seat, or at any. Return the match, the seat and the number of the sitting."""
        check_names((name,), 1)
        return await self._sit(match_id, seat, Sitter("person", name))

    async def join_bot(self, match_id: str, seat: Seat | None, sitter: Sitter) -> tuple[StoredMatch, Seat]:
        """Seat a bot at this open seat, or at any. Return the match and the seat.

        Raise `BadBot` for the last open seat of a match without a person, because the number of matches among bots
        alone is limited where they are created.
        """
        kept, taken, _ = await self._sit(match_id, seat, sitter)
        return kept, taken

    async def _sit(self, match_id: str, seat: Seat | None, sitter: Sitter) -> tuple[StoredMatch, Seat, int]:
        game = (await self.get(match_id)).deal.game
        keys = [*match_keys(match_id, "", "turns"), DUE, shelf(game, "open"), shelf(game, "running")]
        is_bot = int(sitter.kind == "bot")
        taken = await self._run(
            "join", keys, match_id, -1 if seat is None else seat, msgspec.json.encode(sitter), is_bot
        )
        if taken == REFUSED:
            raise BadBot("the last seat is for a person: a match among bots is created with all of them", field="bot")
        if not taken:
            raise SeatTaken("no seat is open" if seat is None else f"seat {seat} is taken", seat=seat, field="seat")
        return await self.get(match_id), *taken

    async def leave(self, match_id: str, seat: Seat, sitting: int, bot: str) -> StoredMatch:
        """Remove a person from a seat: before the match begins the seat becomes open, afterwards the bot plays on."""
        kept = await self.get(match_id)
        stays = Sitter("bot", kept.sitters[seat].name, bot)
        whos = [msgspec.json.encode(sitter) for sitter in (OPEN, stays)]
        left = await self._run("leave", [*match_keys(match_id, ""), DUE], match_id, seat, sitting, *whos)
        if left == 0:
            raise wrong_token(seat)
        return await self.get(match_id)

    async def delete(self, match_id: str, change: int | None, games: Iterable[str]) -> bool:
        """Remove a match that has not changed since `change`; None for a match that is over or gone.

        Return False if it has changed. `games` are the games in whose lists it may stand.
        """
        lists = [DUE, LIVE, ENDED, *(shelf(game, status) for game in games for status in STATUSES)]
        keys = [*match_keys(match_id, "", "turns", "record"), *lists]
        self._kept.pop(match_id, None)
        return bool(await self._run("delete", keys, match_id, "" if change is None else change))

    async def page(self, game: str, status: Status, before: str | None, limit: int) -> list[str]:
        """Return the ids of listed matches, newest first, from before the id `before`."""
        latest = f"({before}" if before else "+"
        found = await self._link.call("ZRANGE", shelf(game, status), latest, "-", "BYLEX", "REV", "LIMIT", 0, limit)
        return [match_id.decode() for match_id in found]

    async def unlist(self, game: str, status: Status, match_id: str) -> None:
        """Remove a list entry whose match is gone or has moved to another state."""
        await self._link.call("ZREM", shelf(game, status), match_id)

    async def due(self, limit: int) -> tuple[Milliseconds, list[str]]:
        """Return the time and the ids of due matches. Other processes do not get the same matches for a while."""
        now, found = await self._run("claim", [DUE], limit)
        return now, [match_id.decode() for match_id in found]

    async def plan(self, match_id: str, change: int, when: Milliseconds | None) -> bool:
        """Store when the match is due next. Return False if it has changed since `change`."""
        keys = [*match_keys(match_id, ""), DUE]
        return bool(await self._run("plan", keys, match_id, change, "" if when is None else when))

    async def drop_due(self, match_id: str) -> None:
        """Remove the match from the due matches."""
        await self._link.call("ZREM", DUE, match_id)

    async def _moved_on(self, kept: StoredMatch, decision: Decision, done: Done) -> StoredMatch:
        """Return the match after a sealed decision. Further changes by other processes need not be known at once."""
        now = after(kept, decision, done)
        if now.over:
            return await (self._kept_or_archived(now) if done.change == kept.change + 1 else self.get(kept.id))
        if done.change == kept.change + 1:
            return self._keep(now, instead_of=kept)
        return self._keep(msgspec.structs.replace(now, change=UNSEEN))

    async def _kept_or_archived(self, kept: StoredMatch) -> StoredMatch:
        """Return the match; if it is over, replace it by its record in Redis first."""
        if kept.over:
            shelves = [shelf(kept.deal.game, "running"), shelf(kept.deal.game, "over")]
            keys = [*match_keys(kept.id, "", "turns", "record"), DUE, *shelves, LIVE, ENDED]
            await self._run("archive", keys, kept.id, len(kept.match.turns), pack(kept))
        return self._keep(kept)

    def _kept_archive(self, match_id: str, packed: bytes) -> StoredMatch:
        """Return a match that is over; of several concurrent callers only the first replays it."""
        known = self._kept.get(match_id)
        if known is not None and known.over:
            return known
        self.replayed += 1
        return self._keep(unpack(match_id, packed))

    def _keep(self, kept: StoredMatch, instead_of: StoredMatch | None = None) -> StoredMatch:
        """Cache the match, unless another task of this process has read a newer state, and return the cached one."""
        before = self._kept.get(kept.id)
        if before is not None and before is not instead_of and _progress(before) > _progress(kept):
            return before
        self._kept[kept.id] = kept
        self._kept.move_to_end(kept.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return kept

    async def _run(self, script: str, keys: list[str], *arguments: Any) -> Any:
        return await self._scripts[script](keys, arguments)


def _progress(kept: StoredMatch) -> tuple[bool, int, int]:
    return kept.over, kept.turn, kept.change


SCRIPTS = ("create", "load", "seal", "join", "leave", "archive", "claim", "plan", "delete")


def _new_match(game: str, sitters: Sequence[Sitter], terms: Terms, creator: Creator) -> StoredMatch:
    """Return a new match that is dealt and committed to, but not stored."""
    rules = find_game(game)
    check_names(tuple(sitter.name or "open" for sitter in sitters), len(sitters))
    match = start(rules, len(sitters), terms.seed or new_seed(), terms.options)
    deal = Deal(
        game=game,
        version=rules.INFO.version,
        players=len(sitters),
        seed=match.seed,
        salt=new_salt(),
        options=msgspec.to_builtins(match.options),
        clock=terms.clock,
        listed=terms.listed,
    )
    return StoredMatch(
        id=new_id(),
        deal=deal,
        match=match,
        sitters=tuple(sitters),
        sittings=first_sittings(sitters),
        change=0,
        begun=OPEN not in sitters,
        banks=full_banks(deal),
        client=creator.client,
    )
