"""Benchmark of the memory of a finished block in Redis: its entry with all records, and its share of the rest."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import uvloop
from msgspec import Struct

from benchmarks.serving.memory import size_of, used
from splito_arena.blocks.ledger import BlockPlace, block_id, encode, pack, version_id
from splito_arena.blocks.play import BlockPlayed, BlockTerms, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.formats import Round, RoundRobin
from splito_engine.registry import find_game
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.redis_keys import keys
from splito_service.tournaments.store import Tournaments

GAME = "splito"
NAMES = ("greedy", "random", "greedy", "random")
"""Players, one per seat."""

Bytes: TypeAlias = float


class PerBlock(Struct, frozen=True):
    """The memory of a block in bytes, as Redis counts it."""

    total: Bytes
    """Bytes by which the memory of Redis has grown."""
    ledger: Bytes
    """Bytes of the entries."""
    packed: Bytes
    """Bytes of the entries as `splito_arena.blocks.ledger.pack` packs them."""
    plain: Bytes
    """Bytes of the packed entries before compression."""
    games: int


def bytes_per_block(count: int) -> PerBlock:
    """Return the mean over this many blocks of four players, in a server with no other data."""
    with TemporaryDirectory() as folder, open_server(Path(folder)) as server:
        return uvloop.run(_fill(server.url, count))


async def _fill(url: str, count: int) -> PerBlock:
    bots = tuple(new_id() for _ in NAMES)
    played = [await _play(block_id(BlockPlace(0, number, 0)), bots) for number in range(count)]
    async with Link(url) as link:
        await _keep(link, bots, played[:1])  # so that Redis knows the scripts
        before = await used(link)
        tournament = await _keep(link, bots, played)
        total = await used(link) - before
        ledger = await size_of(link, keys(tournament, "ledger"))
    packed, plain = [sum(len(how(one.entry)) for one in played) for how in (pack, encode)]
    return PerBlock(total / count, ledger / count, packed / count, plain / count, len(played[0].entry.games))


async def _play(block: str, bots: tuple[str, ...]) -> BlockPlayed:
    terms = BlockTerms(game=find_game(GAME), block=block, secret="a seed", seatings=seatings(len(bots)))  # noqa: S106 (of nothing)
    players = [Plugin(name, find_bot(name)) for name in NAMES]
    return await play_block(
        terms, [version_id(bot, "1.0") for bot in bots], players, lambda seat: players[seat], at_once=1
    )


async def _keep(link: Link, bots: tuple[str, ...], played: list[BlockPlayed]) -> str:
    """Store a tournament as a shift would, and return its id."""
    kept = StoredTournament(
        id=new_id(),
        owner=new_id(),
        name="Memory",
        game=GAME,
        players=len(bots),
        format=RoundRobin(),
        entrants=(),
        secret="a seed",  # noqa: S106 (of nothing)
        ranked=False,
    )
    tournaments, ledger = Tournaments(link), Ledger(link)
    await tournaments.create(kept)
    await tournaments.plan_round(kept.id, 0, Round((bots,), len(played)))
    for one in played:
        await ledger.finish(kept, one.entry, one.times)
    return kept.id
