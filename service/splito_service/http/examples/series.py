"""Examples of series: the cup of every Friday."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec

from splito_arena.formats import Swiss
from splito_arena.recurrence import Weekly
from splito_engine.game import AnyGame
from splito_service.http.examples.example import EXAMPLE_ID, Examples, Json, one
from splito_service.http.examples.owners import ADA
from splito_service.http.examples.tournaments import players_of
from splito_service.ids import created
from splito_service.series.model import MINUTE, StoredSeries
from splito_service.series.schemas import SeriesPage, new_series, series_of
from splito_service.tournaments.schemas.tournaments import wanted_type

RULE = Weekly(days=("fri",), time="18:00", zone="Europe/Berlin")


def create_series(games: Sequence[AnyGame]) -> Examples:
    return Examples(body=one("friday", "Every Friday", _settings(games[0])), answer=_series(games[0]))


def list_series(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("none", "No series", SeriesPage([], None)))


def get_series(games: Sequence[AnyGame]) -> Examples:
    return Examples(_series(games[0]))


def _settings(game: AnyGame) -> Any:
    cup = wanted_type(game)(name="Friday cup", players=players_of(game), format=Swiss(), bots=["greedy"])
    return new_series((game.INFO.id,))(tournament=cup, rule=RULE, sign_up_minutes=120)


def _series(game: AnyGame) -> Json:
    return one("active", "The series goes on", series_of(_kept(game), {ADA.id: ADA}))


def _kept(game: AnyGame) -> StoredSeries:
    starts = created(EXAMPLE_ID).replace(hour=17, minute=0, second=0, microsecond=0) + timedelta(days=4)
    return StoredSeries(
        id=EXAMPLE_ID,
        owner=ADA.id,
        name="Friday cup",
        game=game.INFO.id,
        settings=msgspec.Raw(msgspec.json.encode(_settings(game))),
        rule=RULE,
        sign_up_ms=120 * MINUTE,
        count=52,
        next_ms=int(1000 * starts.timestamp()),
    )
