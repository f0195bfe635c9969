"""What a tournament has come to, for everybody: its table, who beat whom, its blocks, and all of it to take home."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.types import ASGIApp

from arena.collusion import FALSE_ALARMS, Evidence, Suspicion, evidence, judged
from arena.export import FORMS, Form, TableName, export
from arena.formats import Ladder
from arena.latency import Times
from arena.ledger import Entry, block_place, encode, parts, placings, version_id
from arena.neighbours import neighbours
from arena.report import content_policy, report
from arena.results import crosstable, standings
from service.errors import NotFound
from service.hall import Hall, hall_of
from service.outcome import (
    FILES,
    BlockPage,
    Crosstable,
    Neighbours,
    Standings,
    block_of,
    block_summary,
    dump_head,
    lines_of,
    names_of,
)
from service.published import slim
from service.routes.answer import Answer, packed
from service.routes.common import AnyRequest, client_of, json
from service.routes.held import find
from service.routes.queries import BlocksQuery, read_query
from service.routes.streamed import Streamed
from service.showing import secret_of
from service.store.tournaments import KeptTournament

NDJSON = "application/x-ndjson"
HTML = "text/html; charset=utf-8"
NO_FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The part of a page's policy that only a header can state, or that the page need not state itself."""


@get("/tournaments/{tournament:str}/standings")
async def get_standings(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    return json(await standings_of(hall, await find(hall, tournament, "tournament")))


@get("/tournaments/{tournament:str}/crosstable")
async def get_crosstable(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    kept = await find(hall, tournament, "tournament")
    return json(await hall.published.made(kept, "crosstable", partial(_crosstable, kept.id), slim))


@get("/tournaments/{tournament:str}/neighbours")
async def get_neighbours(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    kept = await find(hall, tournament, "tournament")
    make = partial(_neighbours, kept.id, await suspected(hall, kept))
    return json(await hall.published.made(kept, "neighbours", make, slim))


@get("/tournaments/{tournament:str}/blocks")
async def list_blocks(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    hall, query = hall_of(request), read_query(request, BlocksQuery)
    await find(hall, tournament)
    entries = await hall.ledger.entries(tournament, query.after_block or None, query.limit)
    following = entries[-1].block if len(entries) == query.limit else None
    return json(BlockPage([block_summary(entry) for entry in entries], following))


@get("/tournaments/{tournament:str}/blocks/{block:str}")
async def get_block(request: AnyRequest, tournament: FromPath[str], block: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    await find(hall, tournament)
    return json(block_of(await hall.ledger.entry(tournament, block)))


@get("/tournaments/{tournament:str}/dump")
async def get_dump(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    kept = await find(hall, tournament)
    headers = packed({"Content-Disposition": f'attachment; filename="{kept.id}.ndjson"'})
    return Streamed(_dump(hall, kept), NDJSON, headers, hall.streams.take(client_of(request)))


@get("/tournaments/{tournament:str}/exports/{file:str}")
async def get_export(request: AnyRequest, tournament: FromPath[str], file: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    kept = await find(hall, tournament, "tournament")
    if file not in FILES:
        raise NotFound(f"there is no table {file!r}; there are: {', '.join(FILES)}", field="file")
    table, form = FILES[file]
    make = partial(_export, table, form, _called(kept))
    return _file(await hall.published.made(kept, file, make, slim), file, FORMS[form].media_type)


@get("/tournaments/{tournament:str}/report")
async def get_report(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    kept = await find(hall, tournament, "tournament")
    times, suspicions = await hall.ledger.times(kept.id), await suspected(hall, kept)
    make = partial(_report, kept.name, _called(kept), times, suspicions)
    page = await hall.published.made(kept, "report", make, slim)
    return Answer(page, headers=packed({"Content-Security-Policy": f"{content_policy()}; {NO_FRAMES}"}), kind=HTML)


async def standings_of(hall: Hall, kept: KeptTournament) -> Standings:
    found = await hall.published.made(kept, "standings", partial(_standings, kept.id, _called(kept)), slim)
    placing = await hall.organiser.placing(kept)
    return msgspec.structs.replace(found, placing=placing and [list(tied) for tied in placing])


async def suspected(hall: Hall, kept: KeptTournament) -> Sequence[Suspicion]:
    """Who seems to play into whose hands. To find out, all games are replayed: it takes the most time of all."""
    return await hall.published.made(kept, "suspicions", _judged, _evidence)


def _evidence(entry: Entry) -> Evidence | None:
    return evidence(entry) if placings(entry) else None


def _judged(found: Sequence[Evidence | None]) -> Sequence[Suspicion]:
    return judged([one for one in found if one is not None])


def named(names: Mapping[str, str], ledger: Sequence[Entry]) -> dict[str, str]:
    """What the bots are called, by their versions, also by those that they had before."""
    return {bot: names.get(parts(bot)[0], bot) for entry in ledger for bot in entry.bots}


def _called(kept: KeptTournament) -> dict[str, str]:
    return {entrant.bot: entrant.name for entrant in kept.entrants}


async def _dump(hall: Hall, kept: KeptTournament) -> AsyncGenerator[bytes]:
    """As fast as the client takes it, up to the round that was played when it began: of those bots the head tells."""
    counts = await hall.ledger.counts(kept.id)
    secret, blocks = secret_of(kept, counts.claimed), counts.done if kept.state == "finished" else None
    yield msgspec.json.encode(dump_head(kept, await _entrants(hall, kept), secret, blocks)) + b"\n"
    async for entries in hall.published.entries(kept.id):
        yield b"".join(encode(entry) for entry in entries if block_place(entry.block).round < kept.round)


async def _entrants(hall: Hall, kept: KeptTournament) -> dict[str, str]:
    """What the bots are called, by their versions; in a ladder also those from before, and who has been deleted."""
    if not isinstance(kept.format, Ladder):
        return names_of(kept)
    rounds, called = await hall.tournaments.rounds(kept.id), _called(kept)
    played = {version: parts(version)[0] for version in await hall.ledger.times(kept.id)}
    seated = {bot for planned in rounds.values() for table in planned.tables for bot in table}
    never = {version_id(bot, ""): bot for bot in seated - called.keys() - {*played.values()}}
    return {version: called.get(bot, bot) for version, bot in (played | never).items()} | names_of(kept)


def _standings(tournament: str, names: Mapping[str, str], ledger: Sequence[Entry]) -> Standings:
    return Standings(tournament=tournament, blocks=len(ledger), lines=lines_of(standings(ledger), named(names, ledger)))


def _crosstable(tournament: str, ledger: Sequence[Entry]) -> Crosstable:
    return Crosstable(tournament=tournament, blocks=len(ledger), pairs=list(crosstable(ledger)))


def _neighbours(tournament: str, suspicions: Sequence[Suspicion], ledger: Sequence[Entry]) -> Neighbours:
    return Neighbours(
        tournament=tournament,
        blocks=len(ledger),
        beside=list(neighbours(ledger)),
        suspicions=list(suspicions),
        false_alarms=FALSE_ALARMS,
    )


def _export(table: TableName, form: Form, names: Mapping[str, str], ledger: Sequence[Entry]) -> bytes:
    return export(table, form, ledger, named(names, ledger))


def _report(
    title: str,
    names: Mapping[str, str],
    times: Mapping[str, Times],
    suspicions: Sequence[Suspicion],
    ledger: Sequence[Entry],
) -> bytes:
    return report(title, ledger, times, named(names, ledger), suspicions).encode()


def _file(body: bytes, name: str, media: str) -> Answer:
    return Answer(body, headers=packed({"Content-Disposition": f'attachment; filename="{name}"'}), kind=media)
