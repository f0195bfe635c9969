"""Endpoint of the leaderboard: the ratings of a game, for each number of players."""

import asyncio
from functools import partial

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec import UNSET

from splito_arena.blocks.ledger import parts
from splito_arena.stats.online_rating import leaderboard
from splito_service.bots.model import is_registered
from splito_service.errors import UnknownBot
from splito_service.http.access import everybody
from splito_service.http.common import AnyRequest, json
from splito_service.http.endpoint import Endpoints
from splito_service.http.examples import tournament_results as examples
from splito_service.http.queries import BoardQuery, read_query
from splito_service.http.services.tournaments import LeaderboardServices
from splito_service.results.schemas import Board, BoardLine, Leaderboard

ENDPOINTS = Endpoints("Tournaments")


@ENDPOINTS.declare(
    "GET /v1/{game}/leaderboard",
    id="get{Game}Leaderboard",
    summary="Read the leaderboard",
    description="Returns the ratings of all bot versions that have played ranked blocks, for each number of players,"
    " or only for `players`.",
    parameters=("players",),
    answer=Leaderboard,
    errors=("bad-request",),
    access=everybody(),
    example=examples.get_leaderboard,
)
async def get_leaderboard(
    request: AnyRequest, services: NamedDependency[LeaderboardServices], game: FromPath[str]
) -> ASGIApp:
    query = read_query(request, BoardQuery)
    info = services.games.find(game).INFO
    sizes = range(info.min_players, info.max_players + 1)
    wanted = [size for size in sizes if query.players in (UNSET, size)]
    boards = await asyncio.gather(
        *(services.boards.get(f"{game}:{size}", partial(_board, services, game, size)) for size in wanted)
    )
    return json(Leaderboard(game, [board for board in boards if board.lines or query.players is not UNSET]))


async def _board(services: LeaderboardServices, game: str, players: int) -> Board:
    ratings, faults = await asyncio.gather(
        services.ratings.table(game, players), services.ratings.faults(game, players)
    )
    rows = leaderboard(ratings)
    names = await asyncio.gather(*(_name(services, parts(row.bot)[0]) for row in rows))
    lines = [
        BoardLine(
            rank=rank,
            bot=row.bot,
            name=name,
            rating=row.rating,
            games=row.games,
            blocks=row.blocks,
            faults=faults.get(row.bot, 0),
            trend=row.trend,
        )
        for rank, (row, name) in enumerate(zip(rows, names, strict=True), 1)
    ]
    return Board(players=players, lines=lines)


async def _name(services: LeaderboardServices, bot: str) -> str | None:
    """Return the name of a bot; a house bot's id is its name."""
    if not is_registered(bot):
        return bot
    try:
        return (await services.bots.get(bot)).name
    except UnknownBot:
        return None
