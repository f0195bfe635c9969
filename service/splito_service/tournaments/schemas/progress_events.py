"""Server-sent events of the progress of a tournament or experiment.

An event contains the whole state, so a client that reconnects needs only the newest event; its id names that state.
Events are not stored, they follow from the tournament.
"""

import re
from typing import Any, NamedTuple, get_args

import msgspec

from splito_service.errors import BadRequest
from splito_service.tournaments.model import OVER, State

FORM = re.compile(rf"(\d{{1,12}})-(\d{{1,12}})-({'|'.join(get_args(State))})")


class News(NamedTuple):
    done: int
    """Number of finished blocks."""
    round: int
    state: State
    body: Any
    besides: object = None
    """Further facts that a watcher is told of when they change: why nothing is played, the entrants, the start."""

    @property
    def id(self) -> str:
        return f"{self.done}-{self.round}-{self.state}"

    @property
    def over(self) -> bool:
        return self.state in OVER


def event(news: News) -> bytes:
    kind = b"over" if news.over else b"progress"
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (news.id.encode(), kind, msgspec.json.encode(news.body))


def read_place(text: str) -> str:
    """Return the state that the client has seen, from the id of its last event."""
    form = FORM.fullmatch(text)
    if form is None:
        raise BadRequest(
            "this is not an event id of this service: send the id of the last event, or none", field="Last-Event-ID"
        )
    return form[3]
