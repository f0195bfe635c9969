"""Requests and answers in general: where the service is, who asks, and when to ask again."""

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import httpx
import msgspec

from splito_bot.errors import refusal
from splito_bot.messages import MoveProblem

Query: TypeAlias = Mapping[str, str | int | None]

IDEMPOTENT = ("GET", "PUT", "DELETE")
"""What may be sent twice without being done twice."""
SILENCE = 45.0
"""Seconds. An event stream that is silent for so long is broken: the service sends a word every 15."""


class Transport:
    def __init__(self, url: str, retries: int, timeout: float) -> None:
        self._http = httpx.Client(base_url=url, timeout=timeout)
        self._retries = retries
        self._timeout = timeout

    def close(self) -> None:
        self._http.close()

    def send(  # noqa: PLR0913 (the parts of a request)
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: msgspec.Struct | None = None,
        token: str | None = None,
        wait: float = 0.0,
        problem: Any = MoveProblem[Any],
    ) -> bytes:
        """The body of the answer. Raises `Refused`; `wait` is what the service was asked to wait."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = self._http.build_request(
            method,
            path,
            params={name: value for name, value in (query or {}).items() if value is not None},
            content=None if body is None else msgspec.json.encode(body),
            headers=headers,
            timeout=self._timeout + wait,
        )
        return self._persist(request, problem, self._retries if method in IDEMPOTENT else 0)

    def _persist(self, request: httpx.Request, problem: Any, retries: int) -> bytes:
        response = self._http.send(request)
        if response.is_success:
            return response.content
        refused = refusal(response, problem)
        if not (retries and refused.passing):
            raise refused
        time.sleep(refused.retry_after or 0)
        return self._persist(request, problem, retries - 1)

    @contextmanager
    def stream(self, path: str, last_event_id: str | None) -> Generator[httpx.Response]:
        """An answer whose body may take for ever."""
        headers = {"Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        timeout = httpx.Timeout(self._timeout, read=SILENCE)
        with self._http.stream("GET", path, headers=headers, timeout=timeout) as response:
            if not response.is_success:
                response.read()
                raise refusal(response)
            yield response
