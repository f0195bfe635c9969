"""The client for matches: one method per operation of the service.

    with Client("http://127.0.0.1:8000") as client:
        page = client.matches(SPLITO, status="over")

Methods take a game, such as `SPLITO`, and return that game's types. They raise `Refused` if the service refuses a
request, and `httpx.TransportError` if it cannot be reached. After a temporary refusal (too many requests, Redis
unavailable) the client waits and repeats the request a few times, except requests that create or join a match.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET, Struct

from splito_bot.events import Event, watch
from splito_bot.game import Game
from splito_bot.messages import (
    Cards,
    CardText,
    Clock,
    Decision,
    Explanation,
    Games,
    GameSummary,
    House,
    Joined,
    Joining,
    Language,
    Match,
    MatchCreated,
    MatchPage,
    MatchSummary,
    MoveProblem,
    MoveT,
    NewMatch,
    NewSeat,
    NoClock,
    OptionsT,
    ProblemKind,
    Problems,
    RulesText,
    Sealed,
    Seat,
    Status,
    Turn,
    Turns,
    ViewT,
)
from splito_bot.transport import Query, Transport

T = TypeVar("T")

WAIT = 25
"""Seconds of one long poll; the service allows 30."""


class Client:
    def __init__(self, url: str, *, retries: int = 3, timeout: float = 10.0) -> None:
        self._transport = Transport(url, retries, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def games(self) -> list[GameSummary]:
        return self._get("/v1/games", Games).games

    def house(self) -> list[str]:
        """Return the names of the built-in bots."""
        return self._get("/v1/house", House).bots

    def problems(self) -> list[ProblemKind]:
        """Return every code that a `Refused` from the service can have."""
        return self._get("/v1/problems", Problems).problems

    def rules(self, game: Game[Any, Any, Any], lang: Language = "en") -> RulesText:
        return self._get(f"/v1/{game.id}/rules", RulesText, {"lang": lang})

    def cards(self, game: Game[Any, Any, Any], lang: Language = "en") -> list[CardText]:
        return self._get(f"/v1/{game.id}/cards", Cards, {"lang": lang}).cards

    def create(  # noqa: PLR0913 (all that a match is made of)
        self,
        game: Game[OptionsT, ViewT, MoveT],
        seats: Sequence[NewSeat],
        options: OptionsT | None = None,
        clock: Clock | None = None,
        *,
        listed: bool = True,
        key: str | None = None,
    ) -> MatchCreated[ViewT, MoveT]:
        """Create a match and return it with a token for each person.

        A match that is not listed is found only by its id. `key` is that of an owner: bots that are not open to
        everybody are seated by their owner or, if they are open to organisers, by one.
        """
        wanted = NewMatch(
            seats=list(seats), options=UNSET if options is None else options, clock=clock or NoClock(), listed=listed
        )
        answer = self._transport.send("POST", f"/v1/{game.id}/matches", body=wanted, token=key)
        return msgspec.json.decode(answer, type=game.typed(MatchCreated))

    def matches(
        self,
        game: Game[Any, Any, Any],
        status: Status = "running",
        *,
        players: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> MatchPage:
        """Return one page. Only `next` says whether it is the last: a page may be shorter than the limit, or empty."""
        query = {"status": status, "players": players, "cursor": cursor, "limit": limit}
        return self._get(f"/v1/{game.id}/matches", MatchPage, query)

    def all_matches(
        self, game: Game[Any, Any, Any], status: Status = "running", *, players: int | None = None
    ) -> Iterator[MatchSummary]:
        """Yield all matches; pages are fetched as they are needed."""
        cursor, more = None, True
        while more:
            page = self.matches(game, status, players=players, cursor=cursor, limit=100)
            yield from page.matches
            cursor, more = page.next, page.next is not None

    def match(
        self,
        game: Game[Any, ViewT, MoveT],
        match_id: str,
        token: str | None = None,
        *,
        after: int | None = None,
        wait: int = 0,
    ) -> Match[ViewT, MoveT]:
        """Return the match as the public sees it, or with a token as its seat sees it.

        With `after` and `wait`, the service answers when that turn has been revealed, or after `wait` seconds (at most
        30).
        """
        query = {"after": after, "wait": wait if after is not None else None}
        answer = self._transport.send("GET", _path(game, match_id), query=query, token=token, wait=wait)
        return msgspec.json.decode(answer, type=game.typed(Match))

    def join(
        self, game: Game[Any, ViewT, MoveT], match_id: str, name: str, seat: Seat | None = None
    ) -> Joined[ViewT, MoveT]:
        """Take that seat, or any open one, and return the match with the token of the seat."""
        answer = self._transport.send("POST", f"{_path(game, match_id)}/seats", body=Joining(name, seat))
        return msgspec.json.decode(answer, type=game.typed(Joined))

    def delete(self, game: Game[Any, Any, Any], match_id: str, token: str) -> None:
        """Delete a match in which you are the only person, running or over."""
        self._transport.send("DELETE", _path(game, match_id), token=token)

    def leave(self, game: Game[Any, Any, Any], match_id: str, seat: Seat, token: str) -> None:
        """Leave the seat for good. Before the match it becomes open again; during the match a built-in bot plays on."""
        self._transport.send("DELETE", f"{_path(game, match_id)}/seats/{seat}", token=token)

    def seal(  # noqa: PLR0913 (where, who and what)
        self,
        game: Game[Any, Any, MoveT],
        match_id: str,
        turn: int,
        seat: Seat,
        move: MoveT,
        *,
        token: str,
        nudge: str | None = None,
    ) -> Sealed:
        """Seal a move. Sealing the same move again is harmless; another one is refused, with `Refused.legal_moves`."""
        answer = self._transport.send(
            "PUT",
            f"{_path(game, match_id)}/turns/{turn}/seats/{seat}",
            body=Decision(move, nudge),
            token=token,
            problem=game.typed(MoveProblem),
        )
        return msgspec.json.decode(answer, type=Sealed)

    def turns(self, game: Game[Any, Any, MoveT], match_id: str) -> list[Turn[MoveT]]:
        """Return all turns that have been revealed."""
        found: Turns[MoveT] = self._get(f"{_path(game, match_id)}/turns", game.typed(Turns))
        return found.turns

    def record(self, game: Game[Any, Any, Any], match_id: str) -> bytes:
        """Return the record of a finished match. `splito verify` accepts it only if no byte is changed."""
        return self._transport.send("GET", f"{_path(game, match_id)}/record")

    def explain(self, game: Game[Any, Any, Any], match_id: str, lang: Language = "en") -> Explanation:
        """Return how the scores of a finished match came about."""
        return self._get(f"{_path(game, match_id)}/explanation", Explanation, {"lang": lang})

    def events(
        self, game: Game[Any, Any, MoveT], match_id: str, last_event_id: str | None = None
    ) -> Iterator[Event[MoveT]]:
        """Yield the events of a match as they happen, from its beginning or after `last_event_id`, until its end.

        If the connection breaks, the client reconnects: no event is missed, and none comes twice.
        """
        return watch(self._transport, f"{_path(game, match_id)}/events", game, last_event_id)

    def play(self, game: Game[Any, ViewT, MoveT], match_id: str, token: str) -> "Iterator[Position[ViewT, MoveT]]":
        """Yield each turn in which the seat of the token has to decide, until the end of the match.

        A turn that you do not `seal` is not yielded again, unless you call `play` again.
        """
        seen = None
        while True:
            match = self.match(game, match_id, token, after=seen, wait=WAIT)
            if match.status == "over":
                return
            if match.legal_moves and match.turn != seen:
                yield Position(self, game, token, match)
            seen = match.turn

    def _get(self, path: str, kind: type[T], query: Query | None = None) -> T:
        return msgspec.json.decode(self._transport.send("GET", path, query=query), type=kind)


class Position(Struct, Generic[ViewT, MoveT], frozen=True):
    """A turn in which your seat has to decide."""

    client: Client
    game: Game[Any, ViewT, MoveT]
    token: str
    match: Match[ViewT, MoveT]

    @property
    def seat(self) -> Seat:
        if self.match.seat is None:
            raise ValueError("this is the public view of the match, without a seat: give the token of a seat")
        return self.match.seat

    @property
    def view(self) -> ViewT:
        if self.match.view is None:
            raise ValueError("the match has not begun")
        return self.match.view

    @property
    def legal_moves(self) -> list[MoveT]:
        return self.match.legal_moves

    def seal(self, move: MoveT, nudge: str | None = None) -> Sealed:
        match = self.match
        return self.client.seal(self.game, match.id, match.turn, self.seat, move, token=self.token, nudge=nudge)


def _path(game: Game[Any, Any, Any], match_id: str) -> str:
    return f"/v1/{game.id}/matches/{quote(match_id, safe='')}"
