"""What a tournament has come to, for everybody: its table, who beat whom, its blocks, and all of it to take home."""

from collections.abc import AsyncGenerator, Sequence
from functools import partial
from time import time

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.blocks.ledger import block_place, parts
from splito_arena.formats import Ladder
from splito_arena.reports.dump import Writing
from splito_arena.reports.html import content_policy, plotly_script
from splito_arena.reports.tables import FORMS
from splito_arena.stats.collusion import Suspicion
from splito_service.errors import NotFound
from splito_service.http.common import AnyRequest, client_of, json, while_connected
from splito_service.http.context import Context, context_of
from splito_service.http.queries import BlocksQuery, read_query
from splito_service.http.responses import Answer, packed
from splito_service.http.routes.tournament_lookup import find
from splito_service.http.streamed import Streamed
from splito_service.results import compute
from splito_service.results.compute import slim
from splito_service.results.schemas import (
    FILES,
    BlockPage,
    Neighbours,
    Standings,
    block_of,
    block_summary,
    dump_head,
    names_of,
)
from splito_service.tournaments.store import StoredTournament
from splito_service.tournaments.to_schema import secret_of

NDJSON = "application/x-ndjson"
HTML = "text/html; charset=utf-8"
NO_FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The part of a page's policy that only a header can state, or that the page need not state itself."""


@get("/tournaments/{tournament:str}/standings")
async def get_standings(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, tournament, "tournament")
    return json(await while_connected(request, standings_of(context, kept, client_of(request))))


@get("/tournaments/{tournament:str}/crosstable")
async def get_crosstable(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, tournament, "tournament")
    make = partial(compute.crosstable_of, kept.id)
    made = context.published.made(kept, "crosstable", make, slim, client_of(request))
    return json(await while_connected(request, made))


@get("/tournaments/{tournament:str}/neighbours")
async def get_neighbours(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, tournament, "tournament")
    return json(await while_connected(request, _neighbours(context, kept, client_of(request))))


@get("/tournaments/{tournament:str}/blocks")
async def list_blocks(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, BlocksQuery)
    await find(context, tournament)
    entries = await context.ledger.entries(tournament, query.after_block or None, query.limit)
    following = entries[-1].block if len(entries) == query.limit else None
    return json(BlockPage([block_summary(entry) for entry in entries], following))


@get("/tournaments/{tournament:str}/blocks/{block:str}")
async def get_block(request: AnyRequest, tournament: FromPath[str], block: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    await find(context, tournament)
    return json(block_of(await context.ledger.entry(tournament, block)))


@get("/tournaments/{tournament:str}/dump")
async def get_dump(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, tournament)
    headers = packed({"Content-Disposition": f'attachment; filename="{kept.id}.ndjson"'})
    return Streamed(_dump(context, kept), NDJSON, headers, context.streams.take(client_of(request)))


@get("/tournaments/{tournament:str}/exports/{file:str}")
async def get_export(request: AnyRequest, tournament: FromPath[str], file: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, tournament, "tournament")
    if file not in FILES:
        raise NotFound(f"there is no table {file!r}; there are: {', '.join(FILES)}", field="file")
    table, form = FILES[file]
    make = partial(compute.export_of, table, form, _called(kept))
    made = context.published.made(kept, file, make, slim, client_of(request))
    (body,) = await while_connected(request, made)
    return _file(body, file, FORMS[form].media_type)


@get("/tournaments/{tournament:str}/report")
async def get_report(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, tournament, "tournament")
    parts_of_page = await while_connected(request, _report(context, kept, client_of(request)))
    page = plotly_script().encode().join(parts_of_page)
    return Answer(page, headers=packed({"Content-Security-Policy": f"{content_policy()}; {NO_FRAMES}"}), kind=HTML)


async def _neighbours(context: Context, kept: StoredTournament, client: str) -> Neighbours:
    make = partial(compute.neighbours_of, kept.id, await suspected(context, kept, client))
    return await context.published.made(kept, "neighbours", make, slim, client)


async def _report(context: Context, kept: StoredTournament, client: str) -> tuple[bytes, ...]:
    times, suspicions = await context.ledger.times(kept.id), await suspected(context, kept, client)
    make = partial(compute.report_of, kept.name, _called(kept), times, suspicions)
    return await context.published.made(kept, "report", make, slim, client)


async def standings_of(context: Context, kept: StoredTournament, client: str) -> Standings:
    """Return the table of a tournament, and the placing of its format if that has ended."""
    make = partial(compute.standings_of, kept.id, _called(kept))
    found = await context.published.made(kept, "standings", make, slim, client)
    placing = await context.organiser.placing(kept)
    return msgspec.structs.replace(found, placing=placing and [list(tied) for tied in placing])


async def suspected(context: Context, kept: StoredTournament, client: str) -> Sequence[Suspicion]:
    """Return the pairs of bots that were looked at for collusion. All games are played again for it."""
    return await context.published.made(kept, "suspicions", compute.suspicions_of, compute.evidence_of, client)


def _called(kept: StoredTournament) -> dict[str, str]:
    return {entrant.bot: entrant.name for entrant in kept.entrants}


async def _dump(context: Context, kept: StoredTournament) -> AsyncGenerator[bytes]:
    """As fast as the client takes it, up to the round that was played when it began: of those bots the head tells."""
    counts = await context.ledger.counts(kept.id)
    secret, blocks = secret_of(kept, counts.claimed), counts.done if kept.state == "finished" else None
    entrants = await _entrants(context, kept)
    writing = Writing(dump_head(kept, entrants, secret, blocks))
    yield writing.first
    async for entries in context.published.entries(kept.id):
        yield b"".join(
            writing.line(entry)
            for entry in entries
            if block_place(entry.block).round < kept.round and entrants.keys() >= {*entry.bots}
        )
    yield writing.last(await context.signer.signer(), int(time()))


async def _entrants(context: Context, kept: StoredTournament) -> dict[str, str]:
    """Return the names of the bots by their versions.

    A ladder has also versions that have been followed by others and bots that have been deleted: its ledger is read for
    them, because nothing else tells who was to play the blocks that were skipped.
    """
    if not isinstance(kept.format, Ladder):
        return names_of(kept)
    called, found = _called(kept), set[str]()
    async for entries in context.published.entries(kept.id):
        found.update(version for entry in entries for version in entry.bots)
    return {version: called.get(parts(version)[0], parts(version)[0]) for version in sorted(found)} | names_of(kept)


def _file(body: bytes, name: str, media: str) -> Answer:
    return Answer(body, headers=packed({"Content-Disposition": f'attachment; filename="{name}"'}), kind=media)
