"""Admission of requests: it finds the client, checks its limits, and adds the headers of every answer.

Health checks are always admitted, so that they are answered while everything else is refused.
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import time
from typing import Any

from litestar import Litestar
from litestar.types import ASGIApp, Receive, Scope, Send

from splito_engine.errors import GameError
from splito_service.errors import Busy, TooManyConnections
from splito_service.http.answers.responses import Answer, packed
from splito_service.http.common import encode
from splito_service.http.cors import CORS
from splito_service.http.limits.client_limits import LIMITS, ClientLimits
from splito_service.http.limits.clients import CLIENT, client_name
from splito_service.http.limits.connections import Capacity, Peer, peer_of
from splito_service.http.limits.rates import SPENT, Quota, spend_permit
from splito_service.problems import HEADERS, MEDIA_TYPE, Problem, problem_fields
from splito_service.settings import Settings

HEALTH = "/health/"
POLLS = "/v1/bot/"
"""Path prefix of polling bots.

They have a quota of their own, because the arena decides how often they poll and answer.
"""

NOSNIFF = (b"x-content-type-options", b"nosniff")
PAGE_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
"""Headers of every page that does not say otherwise itself."""
FOR_PAGES = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", ", ".join(sorted(CORS.expose_headers)).encode()),
]
"""Headers of a refusal that a page of another site may read, as those that the framework adds."""


class Admission:
    """The application behind the limits of a process."""

    def __init__(
        self, app: Litestar, inner: ASGIApp, settings: Settings, capacity: Capacity, drop: Callable[[Peer], None]
    ) -> None:
        """`inner` answers admitted requests on behalf of `app`; `drop` closes the connection of a peer."""
        self._app, self._inner, self._drop = app, inner, drop
        self._proxies, self._stall = settings.behind_proxy, settings.stall_seconds
        self._capacity = capacity
        self._open: dict[str, int] = {}
        """Open requests by client."""
        self._total = 0
        self.busy: set[Peer] = set()
        """Peers whose requests are being answered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked: Any = scope
        if asked["type"] != "http":
            await self._inner(scope, receive, send)
            return
        peer = peer_of(asked["client"])
        outgoing = Outgoing(asked, send, self._stall)
        is_counted = not asked["path"].startswith(HEALTH)
        if is_counted and (refusal := self._enter(asked, peer)):
            await _refuse(asked, receive, outgoing, refusal)
            return
        try:
            if is_counted and not self._spend_held(asked) and (refusal := await self._spend(asked)):
                await _refuse(asked, receive, outgoing, refusal)
            else:
                await self._inner(scope, receive, outgoing)
        except Exception:
            if not outgoing.stalled:
                raise
            self._drop(peer)
        finally:
            if is_counted:
                self._leave(asked[CLIENT], peer)

    def _enter(self, scope: Any, peer: Peer) -> GameError | None:
        """Count an open request of its client; return the refusal if there are too many."""
        client = scope[CLIENT] = client_name(scope, self._proxies) if self._proxies else peer[0]
        opened = self._open.get(client, 0)
        if refusal := self._too_many(opened):
            return refusal
        self._open[client] = opened + 1
        self._total += 1
        self.busy.add(peer)
        return None

    def _leave(self, client: str, peer: Peer) -> None:
        self.busy.discard(peer)
        self._total -= 1
        left = self._open[client] - 1
        if left:
            self._open[client] = left
        else:
            del self._open[client]

    def _spend_held(self, scope: Any) -> bool:
        """Take a permit that this process holds, without waiting for Redis; False if it holds none."""
        limits: ClientLimits = self._app.state.services.limits
        scope[LIMITS] = limits
        quota = _quota(limits, scope)
        if not quota.permits:
            return True
        spent = limits.permits.spend_held(quota, scope[CLIENT], time())
        if spent is not None:
            scope[SPENT] = spent.headers
        return spent is not None

    async def _spend(self, scope: Any) -> GameError | None:
        """Take a permit from Redis; return the refusal if there is none, or if Redis does not answer."""
        limits: ClientLimits = self._app.state.services.limits
        try:
            await spend_permit(scope, limits.permits, _quota(limits, scope), scope[CLIENT])
        except GameError as error:
            return error
        return None

    def _too_many(self, opened: int) -> GameError | None:
        most = self._capacity.per_client
        if opened >= most:
            return TooManyConnections(f"a client has at most {most} requests open at a time", field="connections")
        if self._total >= self._capacity.crowded:
            return Busy("too many requests are open here; try again")
        return None


class Outgoing:
    """Sends the messages of one answer, with the headers that every answer has."""

    __slots__ = ("_scope", "_seconds", "_send", "stalled")

    def __init__(self, scope: Any, send: Send, seconds: int) -> None:
        self._scope, self._send, self._seconds = scope, send, seconds
        self.stalled = False
        """True if the client did not take a piece of the answer in time."""

    def __call__(self, message: Any) -> Awaitable[None]:
        """Send a message. Raise `TimeoutError` if the client does not take a piece of the answer in time.

        The server's own awaitable is returned, because a coroutine around it would take longer than this function.
        """
        if message["type"] == "http.response.start":
            message["headers"] = self._complete(message.get("headers", ()))
        elif message.get("more_body"):
            return self._send_piece(message)
        return self._send(message)

    async def _send_piece(self, message: Any) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._send(message)
        except TimeoutError:
            self.stalled = True
            raise

    def _complete(self, given: Any) -> list[Any]:
        headers = [*given, *self._scope.get(SPENT, ()), NOSNIFF]
        for name, value in given:
            if name == b"content-type" and value.startswith(b"text/html"):
                present = {name for name, _ in given}
                headers += [one for one in PAGE_HEADERS if one[0] not in present]
        return headers


def _quota(limits: ClientLimits, scope: Any) -> Quota:
    return limits.asking if scope["path"].startswith(POLLS) else limits.requests


async def _refuse(scope: Any, receive: Receive, send: Send, error: GameError) -> None:
    problem = Problem(**problem_fields(error))
    headers = [*packed(HEADERS.get(error.code, {}))]
    if any(name == b"origin" for name, _ in scope["headers"]):
        headers += FOR_PAGES
    await Answer(encode(problem), problem.status, headers, MEDIA_TYPE)(scope, receive, send)
