"""Refusals: the answers of the service to requests that it does not carry out."""

from typing import Any

import httpx
import msgspec

from splito_bot.messages import MoveProblem

PASSING = (429, 503)
"""Statuses of refusals that are temporary."""
LONGEST_PAUSE = 60.0
"""Seconds. A client that is told to wait longer raises the refusal instead of waiting."""
SERVER_ERROR = 500


class Refused(Exception):
    """The service refused a request, and changed nothing.

    A service that cannot be reached raises `httpx.TransportError` instead.
    """

    def __init__(self, problem: MoveProblem[Any], retry_after: float | None = None) -> None:
        super().__init__(problem, retry_after)
        self.status = problem.status
        self.code = problem.code
        """A stable code; `Client.problems` lists all. `unreadable` if something else than the service answered."""
        self.detail = problem.detail
        self.seat = problem.seat
        self.card = problem.card
        self.field = problem.field
        self.legal_moves: list[Any] = problem.legal_moves or []
        """The legal moves, if a move was refused."""
        self.retry_after = retry_after
        """Seconds after which the request may be repeated, if the service names them."""

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"

    @property
    def passing(self) -> bool:
        """True if the service says that the same request may be repeated within a minute."""
        return self.status in PASSING and self.retry_after is not None and self.retry_after <= LONGEST_PAUSE

    @property
    def temporary(self) -> bool:
        """True if a stream is worth another connection: the service is busy or broken, or a proxy does not reach it."""
        late = self.retry_after is not None and self.retry_after > LONGEST_PAUSE
        return (self.status in PASSING or self.status >= SERVER_ERROR) and not late


def refusal(response: httpx.Response, problem: Any = MoveProblem[Any], content: bytes | None = None) -> Refused:
    """Return the refusal in an answer. `content` is its body, if the response itself has not read it.

    An answer that is no problem document, for example by a proxy, has the code `unreadable`.
    """
    try:
        said = msgspec.json.decode(response.content if content is None else content, type=problem)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said = _unreadable(response)
    said = msgspec.structs.replace(said, status=response.status_code)  # the body's is for readers
    return Refused(said, _seconds(response.headers.get("retry-after")))


def _unreadable(response: httpx.Response) -> MoveProblem[Any]:
    status = response.status_code
    detail = f"{response.url} answered {status} {response.reason_phrase}, which is not a refusal of this service"
    return MoveProblem(type="about:blank", title="Unreadable", status=status, detail=detail, code="unreadable")


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a `Retry-After` header; None if it is missing, or a date, which the service never sends."""
    return float(text) if text is not None and text.isdecimal() else None
