"""When the service says no."""

from typing import Any

import httpx
import msgspec

from splito_bot.messages import MoveProblem

PASSING = (429, 503)
"""What is refused only for the time being."""
LONGEST_PAUSE = 60.0
"""Seconds. Who is told to come back later than that is told so, and not kept waiting."""


class Refused(Exception):
    """The service has understood the request and refused it; nothing has been changed by it.

    That it could not be reached is another matter: those errors are `httpx.TransportError`.
    """

    def __init__(self, problem: MoveProblem[Any], retry_after: float | None = None) -> None:
        super().__init__(problem, retry_after)
        self.status = problem.status
        self.code = problem.code
        """Stable, for programs: `Client.problems` lists them. `unreadable` if it was not the service that answered."""
        self.detail = problem.detail
        self.seat = problem.seat
        self.card = problem.card
        self.field = problem.field
        self.legal_moves: list[Any] = problem.legal_moves or []
        """The moves that would not have been refused, when this one was."""
        self.retry_after = retry_after
        """Seconds after which to try again, if the service said so."""

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"

    @property
    def passing(self) -> bool:
        """Whether the same request is worth another try, and soon."""
        return self.status in PASSING and self.retry_after is not None and self.retry_after <= LONGEST_PAUSE


def refusal(response: httpx.Response, problem: Any = MoveProblem[Any]) -> Refused:
    """The answer, which is a problem of that type unless somebody on the way made it."""
    try:
        said = msgspec.json.decode(response.content, type=problem)
    except msgspec.DecodeError:
        said = _unreadable(response)
    said = msgspec.structs.replace(said, status=response.status_code)  # the body's is for readers
    return Refused(said, _seconds(response.headers.get("retry-after")))


def _unreadable(response: httpx.Response) -> MoveProblem[Any]:
    status = response.status_code
    detail = f"{response.url} answered {status} {response.reason_phrase}, which is not how the service says no"
    return MoveProblem(type="about:blank", title="Unreadable", status=status, detail=detail, code="unreadable")


def _seconds(text: str | None) -> float | None:
    """The header may have a date instead, but no service of ours sends one."""
    return float(text) if text is not None and text.isdecimal() else None
