"""The client: one method for each thing that the service does.

    with Client("http://127.0.0.1:8000") as client:
        page = client.matches(SPLITO, status="over")

Methods take a game, such as `SPLITO`, and answer with that game's types. What the service refuses raises `Refused`;
when it cannot be reached, httpx says so. A refusal that passes (too many requests, Redis away for a moment) is waited
for a few times, if the request can be repeated without harm; to make a match or to join one cannot.
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
        """The names of the bots of the house."""
        return self._get("/v1/house", House).bots

    def problems(self) -> list[ProblemKind]:
        """Every code that `Refused` can have from the service."""
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
        """One page. It may be shorter than the limit, or empty, and not be the last: that is what `next` tells."""
        query = {"status": status, "players": players, "cursor": cursor, "limit": limit}
        return self._get(f"/v1/{game.id}/matches", MatchPage, query)

    def all_matches(
        self, game: Game[Any, Any, Any], status: Status = "running", *, players: int | None = None
    ) -> Iterator[MatchSummary]:
        """Page after page, as they are needed."""
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
        """As everybody, or the seat of the token, sees it.

        With `after` and `wait`, the answer comes when that turn has been revealed, or after so many seconds (30 at
        most) without it.
        """
        query = {"after": after, "wait": wait if after is not None else None}
        answer = self._transport.send("GET", _path(game, match_id), query=query, token=token, wait=wait)
        return msgspec.json.decode(answer, type=game.typed(Match))

    def join(
        self, game: Game[Any, ViewT, MoveT], match_id: str, name: str, seat: Seat | None = None
    ) -> Joined[ViewT, MoveT]:
        """Sit down at that seat, or at any that is open. The answer has your token."""
        answer = self._transport.send("POST", f"{_path(game, match_id)}/seats", body=Joining(name, seat))
        return msgspec.json.decode(answer, type=game.typed(Joined))

    def delete(self, game: Game[Any, Any, Any], match_id: str, token: str) -> None:
        """Delete a match at which you are the only person; it may be over."""
        self._transport.send("DELETE", _path(game, match_id), token=token)

    def leave(self, game: Game[Any, Any, Any], match_id: str, seat: Seat, token: str) -> None:
        """For good. Before the match the seat is open again, during it a bot of the house plays on."""
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
        """Decide. The same again does no harm; something else is refused. `Refused.legal_moves` has what is allowed."""
        answer = self._transport.send(
            "PUT",
            f"{_path(game, match_id)}/turns/{turn}/seats/{seat}",
            body=Decision(move, nudge),
            token=token,
            problem=game.typed(MoveProblem),
        )
        return msgspec.json.decode(answer, type=Sealed)

    def turns(self, game: Game[Any, Any, MoveT], match_id: str) -> list[Turn[MoveT]]:
        """All that have been revealed so far."""
        found: Turns[MoveT] = self._get(f"{_path(game, match_id)}/turns", game.typed(Turns))
        return found.turns

    def record(self, game: Game[Any, Any, Any], match_id: str) -> bytes:
        """Of a match that is over: a file for `splito verify`, as long as not a byte of it is changed."""
        return self._transport.send("GET", f"{_path(game, match_id)}/record")

    def explain(self, game: Game[Any, Any, Any], match_id: str, lang: Language = "en") -> Explanation:
        """Of a match that is over: where the scores come from."""
        return self._get(f"{_path(game, match_id)}/explanation", Explanation, {"lang": lang})

    def events(
        self, game: Game[Any, Any, MoveT], match_id: str, last_event_id: str | None = None
    ) -> Iterator[Event[MoveT]]:
        """What happens, as it happens, to the end of the match; from its beginning, or after that event.

        When the connection breaks it is made again: nothing is missed, and nothing comes twice.
        """
        return watch(self._transport, f"{_path(game, match_id)}/events", game, last_event_id)

    def play(self, game: Game[Any, ViewT, MoveT], match_id: str, token: str) -> "Iterator[Position[ViewT, MoveT]]":
        """Each turn in which the seat of the token has to decide, when it has come; to the end of the match.

        A turn that you do not `seal` is not shown again, unless you call `play` again.
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
            raise ValueError("this is how everybody sees the match: nobody's position")
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
