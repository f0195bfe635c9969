"""Endpoints of the results of a tournament: standings, crosstable, neighbours, blocks, dump, exports and report."""

from collections.abc import AsyncGenerator
from functools import partial
from time import time

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.blocks.ledger import block_place, parts, slim
from splito_arena.formats import Ladder
from splito_arena.reports.dump import Writing
from splito_arena.reports.html import content_policy, plotly_script
from splito_arena.reports.tables import FORMS, PLACED
from splito_service.errors import NotFound
from splito_service.http.access import everybody
from splito_service.http.answers.responses import Answer, packed
from splito_service.http.answers.streamed import Streamed
from splito_service.http.common import AnyRequest, json, while_connected
from splito_service.http.endpoint import STREAM, Endpoints, Link, Text, text_of
from splito_service.http.examples import tournament_results as examples
from splito_service.http.limits.client_limits import client_of, limits_of
from splito_service.http.queries import BlocksQuery, read_query
from splito_service.http.routes.tournaments.lookup import TOURNAMENT, find, owners_of
from splito_service.http.routes.tournaments.standings import names_by_bot, placing_of, standings_of, suspected
from splito_service.http.services.tournaments import TournamentServices
from splito_service.http.table_schemas import rows_schema
from splito_service.results import compute
from splito_service.results.schemas import (
    FILES,
    Block,
    BlockPage,
    Crosstable,
    Neighbours,
    Standings,
    block_of,
    block_summary,
    dump_head,
    names_of,
)
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.schemas.to_schema import about_of, secret_of

ENDPOINTS = Endpoints("Tournaments")

_BLOCK = {"tournament": "$request.path.tournament", "block": "$response.body#/blocks/0/block"}

NDJSON = "application/x-ndjson"
HTML = "text/html"
CSV, PARQUET = (FORMS[form].media_type.partition(";")[0] for form in ("csv", "parquet"))
NO_FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The part of a page's policy that only a header can state, or that the page need not state itself."""


class Dump(Text):
    """Lines of JSON: one about the tournament, and one for each block that is over, with its records."""


class ReportPage(Text):
    """A self-contained HTML page."""


class Export(Text):
    """A table."""


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/standings",
    id="getStandings",
    summary="Read the standings",
    description="Returns the official placing by the rules of the format (`official`), and the standings over all"
    " finished blocks: ratings with intervals, places, points, wins and faults. Before the end the placing is"
    " provisional.",
    parameters=("tournament",),
    answer=Standings,
    errors=TOURNAMENT,
    access=everybody(),
    example=examples.get_standings,
)
async def get_standings(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    kept = await find(services, tournament, "tournament")
    return json(await while_connected(request, standings_of(services, kept, client_of(request.scope))))


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/crosstable",
    id="getCrosstable",
    summary="Read the crosstable",
    description="Returns the results of each two bots that met, over the blocks that both played.",
    parameters=("tournament",),
    answer=Crosstable,
    errors=TOURNAMENT,
    access=everybody(),
    example=examples.get_crosstable,
)
async def get_crosstable(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    kept = await find(services, tournament, "tournament")
    make = partial(compute.crosstable_of, kept.id)
    made = services.results.made(kept, "crosstable", make, slim, client_of(request.scope))
    return json(await while_connected(request, made))


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/neighbours",
    id="getNeighbours",
    summary="Read the neighbours",
    description="Returns how bots do next to each other, and if one bot raises another more than it raises the others."
    " This is a flag for people who judge collusion, with a known rate of false alarms.",
    parameters=("tournament",),
    answer=Neighbours,
    errors=TOURNAMENT,
    access=everybody(),
    example=examples.get_neighbours,
)
async def get_neighbours(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    kept = await find(services, tournament, "tournament")
    return json(await while_connected(request, _neighbours(services, kept, client_of(request.scope))))


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/blocks",
    id="listBlocks",
    summary="List the blocks",
    description="Returns the finished blocks in the order of play, in pages. It also works with the id of an"
    " experiment.",
    parameters=("tournament", "after_block", "limit"),
    answer=BlockPage,
    links=(
        Link("getBlock", _BLOCK),
        Link("listBlocks", {"tournament": "$request.path.tournament", "after_block": "$response.body#/next"}),
    ),
    errors=("bad-request", *TOURNAMENT),
    access=everybody("Only blocks that are over."),
    example=examples.list_blocks,
)
async def list_blocks(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    query = read_query(request, BlocksQuery)
    await find(services, tournament)
    entries = await services.ledger.entries(tournament, query.after_block or None, query.limit)
    following = entries[-1].block if len(entries) == query.limit else None
    return json(BlockPage([block_summary(entry) for entry in entries], following))


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/blocks/{block}",
    id="getBlock",
    summary="Read a block",
    description="Returns all games of a finished block with their records. A block is shown only when its last game is"
    " over.",
    parameters=("tournament", "block"),
    answer=Block,
    errors=(*TOURNAMENT, "unknown-block"),
    access=everybody("Only blocks that are over."),
    example=examples.get_block,
)
async def get_block(
    services: NamedDependency[TournamentServices], tournament: FromPath[str], block: FromPath[str]
) -> ASGIApp:
    await find(services, tournament)
    return json(block_of(await services.ledger.entry(tournament, block)))


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/dump",
    id="getDump",
    summary="Download the dump",
    description="Returns all that is needed to recompute the standings: a line about the tournament, and a line for"
    " each finished block. When the tournament is over, the first line contains the secret from which all deals"
    " follow. It also works with the id of an experiment.",
    parameters=("tournament",),
    answer=Dump,
    media=NDJSON,
    errors=(*TOURNAMENT, *STREAM),
    access=everybody("Only blocks that are over."),
    example=examples.get_dump,
)
async def get_dump(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    kept = await find(services, tournament)
    headers = packed({"Content-Disposition": f'attachment; filename="{kept.id}.ndjson"'})
    return Streamed(
        _dump(services, kept), NDJSON, headers, limits_of(request.scope).streams.take(client_of(request.scope))
    )


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/exports/{file}",
    id="getExport",
    summary="Download a table",
    description="Returns placing, standings, crosstable, games or ratings as JSON, CSV or Parquet, for example"
    " `standings.csv`.",
    parameters=("tournament", "file"),
    answer=Export,
    media=CSV,
    others={"application/json": rows_schema(), PARQUET: text_of(PARQUET)},
    errors=(*TOURNAMENT, "not-found"),
    access=everybody(),
    example=examples.get_export,
)
async def get_export(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str], file: FromPath[str]
) -> ASGIApp:
    kept = await find(services, tournament, "tournament")
    if file not in FILES:
        raise NotFound(f"there is no table {file!r}; there are: {', '.join(FILES)}", field="file")
    _, form = FILES[file]
    (body,) = await while_connected(request, _export(services, kept, file, client_of(request.scope)))
    return _file(body, file, FORMS[form].media_type)


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/report",
    id="getReport",
    summary="Download the report",
    description="Returns one self-contained HTML page with all tables and interactive plots.",
    parameters=("tournament",),
    answer=ReportPage,
    media=HTML,
    errors=TOURNAMENT,
    access=everybody(),
    example=examples.get_report,
)
async def get_report(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    kept = await find(services, tournament, "tournament")
    parts_of_page = await while_connected(request, _report(services, kept, client_of(request.scope)))
    page = plotly_script().encode().join(parts_of_page)
    return Answer(
        page,
        headers=packed({"Content-Security-Policy": f"{content_policy()}; {NO_FRAMES}"}),
        kind=f"{HTML}; charset=utf-8",
    )


async def _neighbours(services: TournamentServices, kept: StoredTournament, client: str) -> Neighbours:
    make = partial(compute.neighbours_of, kept.id, await suspected(services, kept, client))
    return await services.results.made(kept, "neighbours", make, slim, client)


async def _export(services: TournamentServices, kept: StoredTournament, file: str, client: str) -> tuple[bytes]:
    table, form = FILES[file]
    if table not in PLACED:
        make = partial(compute.export_of, table, form, names_by_bot(kept), None)
        return await services.results.made(kept, file, make, slim, client)
    make = partial(compute.export_of, table, form, names_by_bot(kept), await placing_of(services, kept, client))
    return await services.results.made(kept, f"{file} {_moment_of(kept)}", make, slim, client)


async def _report(services: TournamentServices, kept: StoredTournament, client: str) -> tuple[bytes, ...]:
    times, suspicions = await services.ledger.times(kept.id), await suspected(services, kept, client)
    owners, playing = await owners_of(services, kept), (await services.ledger.counts(kept.id)).claimed
    about, placing = about_of(kept, owners, playing), await placing_of(services, kept, client)
    make = partial(compute.report_of, about, names_by_bot(kept), times, suspicions, placing)
    shown = "secret" if about.secret else "no secret"
    return await services.results.made(kept, f"report {_moment_of(kept)} {shown}", make, slim, client)


def _moment_of(kept: StoredTournament) -> str:
    """Return a text that changes with the facts beside the ledger on which a placing depends."""
    return f"{kept.state} {kept.round} {sum(one.gone is not None for one in kept.entrants)}"


async def _dump(services: TournamentServices, kept: StoredTournament) -> AsyncGenerator[bytes]:
    """Yield the dump as fast as the client reads it, up to the round that was current at the start, whose bots the
    head lists.
    """
    counts = await services.ledger.counts(kept.id)
    secret, blocks = secret_of(kept, counts.claimed), counts.done if kept.state == "finished" else None
    entrants = await _entrants(services, kept)
    writing = Writing(dump_head(kept, entrants, secret, blocks))
    yield writing.first
    async for entries in services.results.entries(kept.id):
        yield b"".join(
            writing.line(entry)
            for entry in entries
            if block_place(entry.block).round < kept.round and entrants.keys() >= {*entry.bots}
        )
    yield writing.last(await services.signer.signer(), int(time()))


async def _entrants(services: TournamentServices, kept: StoredTournament) -> dict[str, str]:
    """Return the names of the bots by their versions.

    A ladder has also versions that have been followed by others and bots that have been deleted: its ledger is read for
    them, because nothing else tells who was to play the blocks that were skipped.
    """
    if not isinstance(kept.format, Ladder):
        return names_of(kept)
    called, found = names_by_bot(kept), set[str]()
    async for entries in services.results.entries(kept.id):
        found.update(version for entry in entries for version in entry.bots)
    return {version: called.get(parts(version)[0], parts(version)[0]) for version in sorted(found)} | names_of(kept)


def _file(body: bytes, name: str, media: str) -> Answer:
    return Answer(body, headers=packed({"Content-Disposition": f'attachment; filename="{name}"'}), kind=media)
