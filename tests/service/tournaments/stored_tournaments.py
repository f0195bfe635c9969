"""Stored tournaments with planned rounds, claimed blocks and ledger entries, for tests of the store."""

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id, block_place, version_id
from splito_arena.blocks.seatings import seatings
from splito_arena.formats import Format, Round, RoundRobin
from splito_engine.games import splitter
from splito_engine.match import legal_moves, play, start
from splito_engine.record import Record, record_of
from splito_service.ids import new_id
from splito_service.storage.connect import Client
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.store import Tournaments

LEASE = 10_000


class Cast:
    """Bots that no other test has, since a bot's leases are counted over all tournaments."""

    def __init__(self, names: str = "abcd") -> None:
        self.bots = tuple(f"{name}-{new_id()}" for name in names)

    def seated(self, *tables: str, blocks: int = 1) -> Round:
        """The tables, each bot by its letter."""
        by_letter = {bot[0]: bot for bot in self.bots}
        return Round(tuple(tuple(by_letter[letter] for letter in table) for table in tables), blocks)

    def slots(self, **slots: int) -> dict[str, int]:
        return {bot: slots.get(bot[0], 1) for bot in self.bots}


def tournament(bots: Sequence[str] = (), format: Format = RoundRobin(), **changes: Any) -> StoredTournament:  # noqa: A002, B008 (as in the Struct; immutable)
    kept = StoredTournament(
        id=new_id(),
        owner=new_id(),
        name="Cup",
        game="splitter",
        players=2,
        format=format,
        entrants=tuple(StoredEntrant(bot=bot, name=bot, version="1") for bot in bots),
        secret="secret",  # noqa: S106 (of nothing)
    )
    return replace(kept, **changes)


def played() -> Record:
    match = start(splitter, 2, "a seed")
    while not match.over:
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return record_of(match, ("a", "b"), "0" * 32)


RECORD = played()


def entry_of(block: str, bots: Sequence[str], chance: Random | None = None, faults: int = 0) -> Entry:
    """Return the entry of a block that these bot versions played, with random scores."""
    scores = (chance or Random(block)).choices(range(10), k=len(bots) * len(bots) * 4)
    games = tuple(
        Game(
            match=f"{block}-{number}",
            seating=seating,
            record=replace(RECORD, scores=tuple((scores.pop(),) for _ in bots)),
            faults=tuple(("time-out",) * faults if bot == 0 and number == 0 else () for bot in seating),
            replaced=(False,) * len(bots),
        )
        for number, seating in enumerate(seatings(len(bots)))
    )
    return Entry(block=block, bots=tuple(bots), games=games)


def entry_at(planned: Round, block: str) -> Entry:
    return entry_of(block, [version_id(bot, "1") for bot in planned.tables[block_place(block).table]])


def block(round_number: int, table: int, number: int = 0) -> str:
    return block_id(BlockPlace(round_number, number, table))


async def begun(tournaments: Tournaments, planned: Round, **changes: Any) -> StoredTournament:
    kept = tournament([bot for table in planned.tables for bot in table], **changes)
    await tournaments.create(kept)
    assert await tournaments.plan_round(kept.id, 0, planned)
    return await tournaments.get(kept.id)


async def lapse(redis: Client, kept: StoredTournament, cast: Cast) -> None:
    """Move all leases so far into the past that they are over."""
    for key in (f"tournament:{kept.id}:open", *(f"leases:{bot}" for bot in cast.bots)):
        for member, score in await redis.zrange(key, 0, -1, withscores=True):
            if score:
                await redis.zadd(key, {member: score - LEASE - 1})


async def leases(redis: Client, cast: Cast) -> dict[str, int]:
    """By letter, those that there are."""
    counts = {bot[0]: await redis.zcard(f"leases:{bot}") for bot in cast.bots}
    return {letter: count for letter, count in counts.items() if count}
