"""Server-sent events of a match: persons that sit down or leave, revealed turns, and the end.

All events are public. The id of an event is the place of the client in the match: the number of turns it has seen and
the seating. Events are not stored but follow from the match, so any process can send a client that reconnects with its
last id all events that it missed.
"""

import re
from typing import Any
from zlib import crc32

import msgspec

from splito_arena.match.messages import turn_of
from splito_service.errors import BadRequest
from splito_service.matches.model import StoredMatch
from splito_service.matches.schemas import Over, Seats, game_schemas, seat_info

FORM = re.compile(r"([0-9]{1,7})-([0-9a-f]{8})(-over)?")


class Place(msgspec.Struct, frozen=True):
    """The place of a client in the event stream of a match."""

    turns: int = 0
    seating: int | None = None
    over: bool = False

    @property
    def id(self) -> str:
        return f"{self.turns}-{self.seating:08x}{'-over' if self.over else ''}"


def news_since(kept: StoredMatch, place: Place) -> tuple[Place, list[bytes]]:
    """Return the place of the client after the events it has not seen, and those events."""
    news: list[bytes] = []
    wire, turns = game_schemas(kept.match.game), kept.match.turns
    infos = [seat_info(sitter) for sitter in kept.sitters]
    seating = crc32(msgspec.json.encode(infos))
    if seating != place.seating:
        place = Place(place.turns, seating)
        news.append(_event("seats", place, Seats(kept.status, infos)))
    for number in range(place.turns, len(turns)):
        place = Place(number + 1, seating)
        news.append(_event("turn", place, turn_of(wire.game, number, turns[number])))
    if kept.over:
        place = Place(len(turns), seating, over=True)
        news.append(_event("over", place, Over([list(points) for points in kept.match.scores])))
    return place, news


def read_place(text: str) -> Place:
    form = FORM.fullmatch(text)
    if form is None:
        raise BadRequest(
            "this is not an event id of this service: send the id of the last event, or none", field="Last-Event-ID"
        )
    return Place(int(form[1]), int(form[2], 16), form[3] is not None)


def _event(kind: str, place: Place, body: Any) -> bytes:
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (
        place.id.encode(),
        kind.encode(),
        msgspec.json.encode(body),
    )
