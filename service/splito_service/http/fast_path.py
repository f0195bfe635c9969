"""Shortcut around Litestar for sealing a move, because no other request is as frequent.

For every request Litestar finds the route, reads the parameters and wraps the answer anew, which takes as long as the
move itself. The shortcut takes only requests without a query and without an `Origin`, because browsers need the CORS
headers that Litestar adds. Both ways end in `routes.seats.seal`, so the answers are the same.
"""

import re
from typing import Any

from litestar import Litestar, Request
from litestar.types import Receive, Scope, Send

from splito_engine.errors import GameError
from splito_service.http.common import AnyRequest
from splito_service.http.routes.matches.seats import seal
from splito_service.http.services.matches import MatchServices
from splito_service.problems import on_exception, on_game_error

FORM = re.compile(r"/v1/([a-z0-9_-]{1,64})/matches/([0-9a-v]{24})/turns/([0-9]{1,7})/seats/([0-9]{1,3})")


class FastPath:
    """The application behind the shortcut."""

    def __init__(self, app: Litestar) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked: Any = scope
        if asked["type"] == "http" and asked["method"] == "PUT" and _is_plain(asked):
            place = FORM.fullmatch(asked["path"])
            if place is not None:
                await _seal(Request(asked, receive, send), self._app.state.services.matches, place)
                return
        await self._app(scope, receive, send)


def _is_plain(scope: Any) -> bool:
    return not scope["query_string"] and all(name != b"origin" for name, _ in scope["headers"])


async def _seal(request: AnyRequest, services: MatchServices, place: re.Match[str]) -> None:
    game, match, turn, seat = place.groups()
    try:
        answer: Any = await seal(request, services, game, match, int(turn), int(seat))
    except GameError as error:
        answer = _refusal(on_game_error(request, error), request)
    except Exception as error:  # noqa: BLE001 (as the framework does)
        answer = _refusal(on_exception(request, error), request)
    await answer(request.scope, request.receive, request.send)


def _refusal(response: Any, request: AnyRequest) -> Any:
    return response.to_asgi_response(None, request)
