"""Store of tournaments in Redis: the settings, the progress and the rounds. The results are in the ledger.

A tournament is one document, changed by compare-and-set, so two changes at the same time are both kept. A round is
planned once: its tables are written first, and its blocks are opened in the same script call that changes the document.
Experiments are tournaments with a format of their own.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from splito_arena.blocks.ledger import round_id
from splito_arena.formats import Ladder, Round
from splito_service.errors import NoRoom, NotOver, UnknownTournament
from splito_service.ids import new_id
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.model import ID, MOST_HELD, OVER, Kind, StoredEntrant, StoredTournament, due_of
from splito_service.tournaments.redis_keys import (
    ENDED,
    PARTS,
    RUNNING,
    SCHEDULED,
    UNFINISHED,
    held_by,
    keys,
    shelf,
    table_id,
)

OPENED = 2000
"""Number of blocks that are opened with a round. Claims open further blocks while fewer than that are free."""
STAGED = 1000
"""Number of tables that are written in one call when a round is planned."""
LOOKED_AT = 1000
"""Maximum number of tournaments that are searched for one page."""
AT_ONCE = 100
"""Number of tournaments that are read in one call."""
OVERTAKEN, CHANGED = -1, -2
"""Answers of the scripts that plan: another plan has begun; the tournament has changed."""


class Page(NamedTuple):
    tournaments: list[StoredTournament]
    next: str | None
    """Cursor of the next page. It may be there though this page is not full."""


class Tournaments:
    """The store of tournaments in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        names = ("change", "delete", "plan", "open", "stage", "unstage")
        scripts = (link.script(source(f"tournaments/tournament_{name}", "tournament_blocks")) for name in names)
        self._change, self._delete, self._plan, self._open, self._stage, self._unstage = scripts
        self._create = link.script(source("tournaments/tournament_create", "tournament_store"))

    async def create(self, kept: StoredTournament) -> None:
        """Store a tournament under its id: see `new_id`.

        An existing id changes nothing. Raise `NoRoom` if the owner has too many.
        """
        if not await self._create(*creation(kept)):
            raise NoRoom(
                f"an owner has at most {MOST_HELD} tournaments and experiments that are not over", field=f"{kept.kind}s"
            )

    async def get(self, tournament_id: str) -> StoredTournament:
        """Return a tournament. Raise `UnknownTournament` if there is none."""
        return _decode(await self._load(tournament_id))

    async def change(self, tournament_id: str, how: Callable[[StoredTournament], StoredTournament]) -> StoredTournament:
        """Change a tournament with the function `how` and return it.

        `how` may be called several times and may raise.
        """
        while True:
            raw = await self._load(tournament_id)
            before = _decode(raw)
            after = how(before)
            open_, tally, *rest = keys(tournament_id, *UNFINISHED)
            places = [*keys(tournament_id, ""), RUNNING, held_by(before.owner), open_, tally, ENDED, SCHEDULED, *rest]
            arguments = [tournament_id, raw, _encode(after), _runs(after), int(after.state in OVER), _due(after)]
            if after == before or await self._change(places, arguments):
                return after

    async def delete(self, tournament_id: str) -> None:
        """Delete a tournament with all its results; its effect on ratings stays. Raise `NotOver` if it is not over."""
        while True:
            raw = await self._load(tournament_id)
            kept = _decode(raw)
            if kept.state not in OVER:
                raise NotOver(f"{kept.kind} {kept.id} is {kept.state}: cancel it first", field=kept.kind)
            places = [*keys(kept.id, ""), shelf(kept.kind), ENDED, SCHEDULED, *keys(kept.id, *PARTS)]
            if await self._delete(places, [kept.id, raw]):
                return

    async def page(
        self, kind: Kind, cursor: str | None, limit: int, only: Callable[[StoredTournament], bool] | None = None
    ) -> Page:
        """Return a page of tournaments, newest first, from before the cursor; with `only`, those for which it
        returns True.
        """
        found = list[StoredTournament]()
        for _ in range(LOOKED_AT // AT_ONCE):
            ids = await self._ids(kind, cursor, AT_ONCE)
            for kept in await self._find(ids):
                cursor = kept.id
                if only is None or only(kept):
                    found.append(kept)
                if len(found) == limit:
                    return Page(found, cursor)
            if len(ids) < AT_ONCE:
                return Page(found, None)
        return Page(found, cursor)

    async def running(self) -> list[str]:
        """Return the ids of the running tournaments, oldest first."""
        return sorted(tournament_id.decode() for tournament_id in await self._link.call("SMEMBERS", RUNNING))

    async def plan_round(
        self, tournament_id: str, number: int, planned: Round, entrants: tuple[StoredEntrant, ...] = ()
    ) -> bool:
        """Store the next round and open its first blocks.

        Return False if another plan was first, the round is not the next one, the tournament does not run, or a bot
        entered late that is not among the `entrants` for whom the round was planned. The
        tables are written in small steps and count from the last step on, so that no call keeps Redis busy for long,
        and a planner that is killed in between leaves nothing that the next plan does not replace.
        """
        token = new_id()
        while True:
            raw = await self._load(tournament_id)
            kept = _decode(raw)
            if kept.round != number or kept.state != "running" or (kept.late and kept.entrants != entrants):
                return False
            done = await self.stage(tournament_id, raw, token, number, planned)
            done = await self.commit(kept, raw, token, planned) if done > 0 else done
            if done != CHANGED:
                return done > 0

    async def stage(self, tournament_id: str, raw: bytes, token: str, number: int, planned: Round) -> int:
        """Write the tables of a plan. Return 1, or `OVERTAKEN` or `CHANGED` if the plan cannot be kept."""
        places, count, most = keys(tournament_id, "", "tables", "plan"), len(planned.tables), 0
        for begin in range(0, max(count, 1), STAGED):
            seated = enumerate(planned.tables[begin : begin + STAGED], begin)
            tables = [word for table, bots in seated for word in (table_id(number, table), _encode(bots))]
            most = await self._stage(places, [raw, token, count, round_id(number), int(begin == 0), *tables])
            if most < 0:
                return most
        for begin in reversed(range(count, most, STAGED)):
            left = [table_id(number, table) for table in range(begin, min(begin + STAGED, most))]
            if not await self._unstage(places[1:], [token, begin, *left]):
                return OVERTAKEN
        return 1

    async def commit(self, kept: StoredTournament, raw: bytes, token: str, planned: Round) -> int:
        """Make the tables of a plan the next round. Return 1, or `OVERTAKEN` or `CHANGED`."""
        parts = keys(kept.id, "", "rounds", "tables", "open", "waves", "done", "tally", "plan")
        changed, forgets = _encode(replace(kept, round=kept.round + 1)), int(isinstance(kept.format, Ladder))
        words = [kept.id, raw, changed, round_id(kept.round), planned.blocks, forgets, OPENED, token]
        return await self._plan(parts, [*words, len(planned.tables)])

    async def open_blocks(self, tournament_id: str, number: int, total: int) -> bool:
        """Add blocks to all tables of a planned round, up to `total` per table. Return True if there are new ones."""
        while True:
            planned = (await self.rounds(tournament_id)).get(number)
            if planned is None or planned.blocks >= total:
                return False
            words = [tournament_id, round_id(number), planned.blocks, total, len(planned.tables), OPENED]
            if await self._open(keys(tournament_id, "rounds", "open", "waves", "tally"), words):
                return True

    async def rounds(self, tournament_id: str) -> dict[int, Round]:
        """Return the rounds by number, from 0 and in order. A ladder drops rounds of which no block is kept."""
        rounds, tables = [await self._link.scanned_fields(key) for key in keys(tournament_id, "rounds", "tables")]
        seated = defaultdict[bytes, list[tuple[str, ...]]](list)
        for table in sorted(tables):
            seated[table.partition(b"-")[0]].append(_decode_table(tables[table]))
        blocks = {number: int(rounds[number].split()[0]) for number in sorted(rounds)}
        return {int(number): Round(tuple(seated[number]), blocks[number]) for number in blocks}

    async def _ids(self, kind: Kind, cursor: str | None, limit: int) -> list[bytes]:
        latest = f"({cursor}" if cursor else "+"
        return await self._link.call("ZRANGE", shelf(kind), latest, "-", "BYLEX", "REV", "LIMIT", 0, limit)

    async def _find(self, ids: list[bytes]) -> list[StoredTournament]:
        wanted = [keys(tournament_id.decode(), "")[0] for tournament_id in ids]
        found: list[bytes | None] = await self._link.call("MGET", *wanted) if wanted else []
        return [_decode(raw) for raw in found if raw is not None]

    async def _load(self, tournament_id: str) -> bytes:
        raw = await self._link.call("GET", *keys(tournament_id, "")) if ID.fullmatch(tournament_id) else None
        if raw is None:
            raise UnknownTournament(f"there is no tournament {tournament_id!r}", field="tournament")
        return raw


def creation(kept: StoredTournament) -> tuple[list[str], list[bytes | str | int]]:
    """Return the keys and arguments of the function `store_tournament` of the scripts that create a tournament."""
    most = MOST_HELD if kept.owner else 0
    places = [*keys(kept.id, ""), shelf(kept.kind), RUNNING, held_by(kept.owner), SCHEDULED]
    return places, [kept.id, _encode(kept), _runs(kept), most, _due(kept)]


def _runs(kept: StoredTournament) -> int:
    return int(kept.state == "running")


def _due(kept: StoredTournament) -> int | str:
    due = due_of(kept)
    return "" if due is None else due


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(StoredTournament).decode
_decode_table = msgspec.json.Decoder(tuple[str, ...]).decode
