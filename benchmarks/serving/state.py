"""Memory of everything that the service keeps, by kind, and how long Redis is busy with a large tournament.

Each kind is stored many times in a server with no other data; the figure is the growth of Redis's memory for each.
`docs/retention.md` lists how long each kind is kept.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from benchmarks.playing.ledger import bytes_per_block
from benchmarks.report import Report, Row, plain
from benchmarks.serving.memory import used
from benchmarks.serving.tables import GAME, NAMES, play_turn
from splito_arena.formats import Round, RoundRobin
from splito_arena.match.seat import Exchange
from splito_service.bots.ask_log import Log
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.matches.model import Sitter
from splito_service.matches.store import Matches
from splito_service.owners.keys import Keys
from splito_service.owners.store import Owners
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import Hooks, Outbox

TURNS = 6  # of a match that goes on
BOTS = 10  # in a tournament
ASK = Random(1).randbytes(1300).hex().encode()  # as long as an ask in the middle of a match
SHAPES = ((1, 10_000), (100, 100), (10_000, 1))
"""Tables and blocks per table of the large tournaments."""


class Scale(Struct, frozen=True):
    """Size of a run."""

    stored: int = 200
    finished: int = 300
    blocks: int = 20


class Told(Struct, frozen=True):
    """Body of an event."""

    match: str


Make = Callable[[Link], Awaitable[object]]


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    """Return the table of all kinds."""
    with TemporaryDirectory() as folder, open_server(Path(folder)) as server:
        rows = uvloop.run(_rows(server.url, scale))
    block = bytes_per_block(scale.blocks)
    rows.append(_bytes(f"block that is over, with {block.games} games of {len(NAMES)} players", block.total))
    return Report(rows, _note(scale))


async def _rows(url: str, scale: Scale) -> list[Row]:
    rows = list[Row]()
    for what, make in KINDS.items():
        count = scale.finished if make is _finished else scale.stored
        rows.append(_bytes(what, await _growth(url, make, count)))
    async with Link(url) as link:
        opened, planned = [await _blocks(link, number) for number in (2000, 10_000)]
        rows.append(_bytes("block that is open", opened / 2000))
        rows.append(_bytes("block that is planned and not open", max(0.0, planned - opened) / 8000))
        for tables, blocks in SHAPES:
            longest = await _longest(link, tables, blocks)
            steps = " / ".join(f"{1000 * seconds:.1f}" for seconds in longest)
            rows.append(
                plain(f"longest script call, {tables:,} x {blocks:,} blocks: {' / '.join(STEPS)}", f"{steps} ms")
            )
    return rows


async def _growth(url: str, make: Make, count: int) -> float:
    """Return the bytes by which Redis's memory grows for each."""
    async with Link(url) as link:
        await link.call("FLUSHALL", "SYNC")
        await make(link)  # so that Redis knows the scripts
        before = await used(link)
        for _ in range(count):
            await make(link)
        return (await used(link) - before) / count


async def _live(link: Link) -> None:
    matches = Matches(link)
    kept = await matches.create(GAME, [Sitter("person", name) for name in NAMES])
    for _ in range(TURNS):
        kept = await play_turn(matches, kept)


async def _finished(link: Link) -> None:
    matches = Matches(link)
    kept = await matches.create(GAME, [Sitter("person", name) for name in NAMES])
    while not kept.over:
        kept = await play_turn(matches, kept)


async def _tournament(link: Link) -> StoredTournament:
    entrants = tuple(StoredEntrant(bot=new_id(), name="Marvin", version="1.0.0", owner=new_id()) for _ in range(BOTS))
    kept = StoredTournament(
        id=new_id(),
        owner=new_id(),
        name="Memory",
        game=GAME,
        players=len(NAMES),
        format=RoundRobin(),
        entrants=entrants,
        secret="0" * 64,
    )
    await Tournaments(link).create(kept)
    return kept


async def _owner(link: Link) -> str:
    owners = Owners(link)
    owner = await owners.create("Ada Lovelace")
    await Keys(owners).issue(owner.id, ["bots", "play", "logs", "keys"])
    return owner.id


async def _key(link: Link) -> None:
    await Keys(Owners(link)).issue(new_id(), ["play"], "for a program")


async def _bot(link: Link) -> None:
    await Bots(link).create(new_id(), "push", "Marvin", "https://marvin.example:8443")


async def _hook(link: Link) -> None:
    await Hooks(link).create(new_id(), "https://ada.example/told", ["match.finished"])


async def _delivery(link: Link) -> None:
    """Deliver every event to the same webhook, which is created with the first."""
    if not await Outbox(link).wanted(OWNER, "match.finished"):
        made = await Hooks(link).create(OWNER, "https://ada.example/told", ["match.finished"])
        await Hooks(link).change(made.id, lambda hook: replace(hook, proved=True))
    await Outbox(link).put(OWNER, "match.finished", new_id(), Told(new_id()))


async def _line(link: Link) -> None:
    exchange = Exchange(
        id=new_id(),
        match=new_id(),
        turn=1,
        seat=0,
        request=ASK,
        response=b'{"move":7}',
        elapsed_ms=1.0,
        fault=None,
        debug=None,
    )
    await Log(link).write(OWNER, GAME, exchange)


OWNER = new_id()
KINDS: dict[str, Make] = {
    f"match that goes on, {len(NAMES)} players after {TURNS} turns": _live,
    f"finished match, {len(NAMES)} players": _finished,
    f"tournament of {BOTS} bots, without its blocks": _tournament,
    "owner with one key": _owner,
    "key": _key,
    "bot": _bot,
    "hook": _hook,
    "delivery that waits": _delivery,
    "line in the log of asks": _line,
}
STEPS = ("plan", "claim", "cancel", "delete")


async def _blocks(link: Link, count: int) -> float:
    """Return the bytes of that many blocks of one table."""
    await link.call("FLUSHALL", "SYNC")
    kept = await _tournament(link)
    before = await used(link)
    await Tournaments(link).plan_round(kept.id, 0, Round((("a", "b"),), count))
    return await used(link) - before


async def _longest(link: Link, tables: int, blocks: int) -> list[float]:
    """Return the seconds of the longest script call of each step of a large tournament."""
    await link.call("FLUSHALL", "SYNC")
    tournaments, ledger, kept = Tournaments(link), Ledger(link), await _tournament(link)
    planned = Round(tuple((f"a{number}", f"b{number}") for number in range(tables)), blocks)
    busy = {bot: 0 for table in planned.tables[:500] for bot in table}
    found = list[float]()
    async with _slowest(link, found):
        await tournaments.plan_round(kept.id, 0, planned)
    async with _slowest(link, found):
        for slots in ({}, busy, busy, busy):
            await ledger.claim(kept.id, "worker", 8, slots, 60_000)
    async with _slowest(link, found):
        await tournaments.change(kept.id, lambda one: replace(one, state="cancelled", ended_ms=1))
    async with _slowest(link, found):
        await tournaments.delete(kept.id)
    return found


@asynccontextmanager
async def _slowest(link: Link, found: list[float]) -> AsyncGenerator[None]:
    """Add the seconds of the longest script call meanwhile, by Redis's own account."""
    await link.call("CONFIG", "SET", "slowlog-log-slower-than", 0)
    await link.call("CONFIG", "SET", "slowlog-max-len", 10_000)
    await link.call("SLOWLOG", "RESET")
    yield
    log = await link.call("SLOWLOG", "GET", -1)
    found.append(max(entry[2] for entry in log if entry[3][0].startswith(b"EVAL")) / 1_000_000)


def _bytes(what: str, figure: float) -> Row:
    return plain(what, f"{figure:,.0f} bytes")


def _note(scale: Scale) -> str:
    return (
        f"Memory: growth of Redis's used_memory for each, over {scale.stored} of them ({scale.finished} finished"
        f" matches, {scale.blocks} blocks). An ask in the log is {len(ASK):,} random hexadecimal digits. Script calls"
        " by SLOWLOG."
    )
