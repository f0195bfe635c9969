"""No result is computed for a client that has left: each route that computes one looks at its client meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
from litestar import Litestar

from splito_arena.formats import Experiment
from splito_service.http.app import create_app
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.store import Tournaments
from tests.service.tournaments.stored_tournaments import Cast, begun, block, entry_at

pytestmark = pytest.mark.anyio
RESULTS = ("standings", "crosstable", "neighbours", "exports/ratings.csv", "report")


class Opened(NamedTuple):
    app: Litestar
    paths: list[str]
    """Addresses of results that no client has asked for before."""

    @property
    def computed(self) -> int:
        return self.app.state.services.tournaments.results.computed

    async def get(self, path: str, *, left: bool) -> int:
        """Return the status of the answer to a client that has left already, or that stays."""
        sent: list[Any] = []
        asked: list[Any] = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Any:
            if asked:
                return asked.pop()
            if not left:
                await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope: Any = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "headers": []}
        scope |= {"query_string": b"", "http_version": "1.1", "scheme": "http", "root_path": "", "client": None}
        scope |= {"server": ("arena", 80), "asgi": {"version": "3.0"}}
        await self.app(scope, receive, send)
        return sent[0]["status"]


@pytest.fixture
async def opened(redis_url: str, link: Link) -> AsyncIterator[Opened]:
    planned = Cast("ab").seated("ab")
    new, old = planned.tables[0]
    cup = await begun(Tournaments(link), planned)
    question = await begun(Tournaments(link), planned, kind="experiment", format=Experiment(new=new, old=old))
    for kept in (cup, question):
        await Ledger(link).finish(kept, entry_at(planned, block(0, 0)), {})
    paths = [f"/v1/tournaments/{cup.id}/{result}" for result in RESULTS] + [f"/v1/experiments/{question.id}"]
    settings = Settings(redis_url=redis_url, health_seconds=0, sweep_seconds=0)
    app = create_app(settings)
    async with app.lifespan():
        yield Opened(app, paths)


async def test_no_route_computes_a_result_for_a_disconnected_client(opened: Opened) -> None:
    for path in opened.paths:
        assert await opened.get(path, left=True) == 503
        assert opened.computed == 0, path
    for path in opened.paths:
        before = opened.computed
        assert await opened.get(path, left=False) == 200
        assert opened.computed > before, path
