"""What can be asked of the service: one row per operation. A row with `{game}` in its path is one for each game.

`codes` are the problems that a request of this operation can meet, beside those of `EVERY`. A type that each game has
its own of is named as in `splito_service.matches.schemas.GameSchemas`. Who may call an operation is in
`splito_service.http.permissions`.
"""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from splito_engine.game import Explanation
from splito_service.bots.ask_schemas import Answered
from splito_service.http.catalogue_schemas import Cards, Games, Health, House, Problems, RulesText
from splito_service.http.permissions import Permission, permission_of
from splito_service.matches.schemas import Joining, MatchPage, Over, Sealed, Seats
from splito_service.problems import STATUS

Kind: TypeAlias = type | str

EVENTS = "text/event-stream"

EVERY = ("too-many-requests", "too-many-connections", "unexpected", "unavailable", "busy")
BODY = ("bad-request", "too-large", "wrong-type", "too-slow")
STREAM = ("too-many-streams",)
"""Of what one client may have open only so many times at once."""
MATCH = ("unknown-match", "unknown-version")
SEAT = ("not-found", "bad-request", "no-token", "wrong-token")


class Text:
    """An answer that is no JSON; what is below it says what it is."""


def text_of(media: str) -> dict[str, str]:
    """Its schema."""
    return {"type": "string", "contentMediaType": media}


class Link(msgspec.Struct, frozen=True):
    """What to do next, with what was answered."""

    target: str
    parameters: Mapping[str, str]
    body: Mapping[str, str] | None = None


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    call: str
    """Method and path."""
    summary: str
    description: str
    parameters: tuple[str, ...] = ()
    body: Kind | None = None
    status: int = 200
    answer: Kind | None = None
    """Nothing has no content; of events, it is what one of them carries."""
    media: str = "application/json"
    events: Mapping[str, Kind] = {}
    """What those of each kind carry, if the answer is a stream of them."""
    others: Mapping[str, Mapping[str, object]] = {}
    """Other media that the answer may be of, with their schemas."""
    headers: tuple[str, ...] = ()
    also: Mapping[int, str] = {}
    """Other answers that are no problems; they have no content."""
    codes: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    refused: str | None = None
    """What a refusal by the match or the game is, if it says more than a `Problem`."""

    @property
    def permission(self) -> Permission:
        """Row of the permission table. Raise `LookupError` if there is none."""
        return permission_of(self.id)

    @property
    def limited(self) -> bool:
        """Whether requests are counted."""
        return "/v1/" in self.call

    @property
    def refusals(self) -> dict[int, tuple[str, ...]]:
        """The codes that a request can meet, by status."""
        met = {*self.codes, *(EVERY if self.limited else ("unexpected",))}
        if self.media == EVENTS or "wait" in self.parameters:
            met |= {*STREAM}
        by_status: dict[int, tuple[str, ...]] = {}
        for code, status in STATUS.items():
            if code in met:
                by_status[status] = (*by_status.get(status, ()), code)
        return by_status


_CREATED = {"match": "$response.body#/match/id"}
_SHOWN = {"match": "$response.body#/id"}
_LISTED = {"match": "$response.body#/matches/0/id"}
_SEALED = {"match": "$response.body#/match"}
_JOINED = {"seat": "$response.body#/seat", **_CREATED}


def _first_move(match: str) -> dict[str, str]:
    """The default move, as a body."""
    return {"move": f"$response.body#{match}/legal_moves/0"}


OF_GAMES = (
    Operation(
        id="create{Game}Match",
        call="POST /v1/{game}/matches",
        summary="Make a match",
        description="Deals at once and answers with the commitment to the deal. The match begins when no seat is open:"
        " without open seats, at once. The tokens of the persons are shown here and never again. To seat a bot"
        " that is not open to everybody takes a key with the scope `play`: that of its owner, or of an organiser if the"
        " bot is open to organisers.",
        body="NewMatch",
        status=201,
        answer="MatchCreated",
        headers=("Location",),
        codes=(*BODY, "no-key", "wrong-scope", "not-allowed", "bad-bot", "bad-name", "no-room", "too-many-matches"),
        links=(
            Link("get{Game}Match", _CREATED),
            Link("join{Game}Match", _CREATED),
            Link("watch{Game}Match", _CREATED),
            Link("list{Game}Turns", _CREATED),
            Link("seal{Game}Move", {**_CREATED, "turn": "$response.body#/match/turn", "seat": "0"}),
            Link("leave{Game}Match", {**_CREATED, "seat": "0"}),
            Link("delete{Game}Match", _CREATED),
            Link("get{Game}Record", _CREATED),
            Link("explain{Game}Match", _CREATED),
        ),
    ),
    Operation(
        id="list{Game}Matches",
        call="GET /v1/{game}/matches",
        summary="List matches",
        description="The listed matches in one state, the newest first, page by page. A page may have fewer than"
        " `limit`, even none, and still a `next`.",
        parameters=("status", "players", "cursor", "limit"),
        answer=MatchPage,
        codes=("bad-request",),
        links=(
            Link("get{Game}Match", _LISTED),
            Link("join{Game}Match", _LISTED),
            Link("list{Game}Matches", {"cursor": "$response.body#/next"}),
        ),
    ),
    Operation(
        id="get{Game}Match",
        call="GET /v1/{game}/matches/{match}",
        summary="Look at a match",
        description="As everybody may see it or, with the token of a seat, as the seat does: then with its view and its"
        " legal moves. With `after` and `wait` the answer waits until a later turn goes on (long-poll).",
        parameters=("match", "after", "wait", "If-None-Match"),
        answer="Match",
        headers=("ETag",),
        also={304: "It is still as the `ETag` in `If-None-Match` says."},
        codes=("bad-request", "no-token", "wrong-token", *MATCH),
        links=(
            Link(
                "seal{Game}Move",
                {**_SHOWN, "turn": "$response.body#/turn", "seat": "$response.body#/seat"},
                _first_move(""),
            ),
            Link("list{Game}Turns", _SHOWN),
            Link("get{Game}Record", _SHOWN),
            Link("explain{Game}Match", _SHOWN),
        ),
    ),
    Operation(
        id="join{Game}Match",
        call="POST /v1/{game}/matches/{match}/seats",
        summary="Take an open seat",
        description="The match begins with the last open seat that is taken. The token is shown here and never again.",
        parameters=("match",),
        body=Joining,
        status=201,
        answer="Joined",
        codes=(*BODY, *MATCH, "unknown-seat", "bad-name", "seat-taken"),
        links=(
            Link("get{Game}Match", _CREATED),
            Link("seal{Game}Move", {**_JOINED, "turn": "$response.body#/match/turn"}, _first_move("/match")),
            Link("leave{Game}Match", _JOINED),
        ),
    ),
    Operation(
        id="delete{Game}Match",
        call="DELETE /v1/{game}/matches/{match}",
        summary="Delete a match",
        description="For the only person who sits at the match: the other seats are bots or open. The match is gone for"
        " everybody, also when it is over. Where two persons sit, each can only leave. Matches of bots are removed by"
        " the service after some time.",
        parameters=("match",),
        status=204,
        codes=("no-token", "wrong-token", *MATCH),
    ),
    Operation(
        id="leave{Game}Match",
        call="DELETE /v1/{game}/matches/{match}/seats/{seat}",
        summary="Leave a seat",
        description="Before the match begins the seat is open again; afterwards a bot of the house plays on under the"
        " same name. When the match is over, nothing changes. The token is void then.",
        parameters=("match", "seat"),
        status=204,
        codes=(*SEAT, *MATCH),
    ),
    Operation(
        id="seal{Game}Move",
        call="PUT /v1/{game}/matches/{match}/turns/{turn}/seats/{seat}",
        summary="Seal a move",
        description="Decides for the seat in this turn, for good. Nobody is told what before all who act have decided;"
        " the last one reveals the turn. The same decision again is no fault, so a request may be repeated until it is"
        " answered. If the move is refused, `legal_moves` are those of the seat now.",
        parameters=("match", "turn", "seat"),
        body="Decision",
        answer=Sealed,
        codes=(
            *BODY,
            *SEAT,
            *MATCH,
            "not-begun",
            "not-your-turn",
            "unknown-move",
            "illegal-move",
            "bad-nudge",
            "already-sealed",
            "wrong-turn",
            "out-of-time",
        ),
        refused="MoveProblem",
        links=(Link("get{Game}Match", _SEALED), Link("list{Game}Turns", _SEALED), Link("get{Game}Record", _SEALED)),
    ),
    Operation(
        id="answer{Game}Ask",
        call="PUT /v1/bot/{game}/asks/{ask}",
        summary="Answer an ask",
        description="For a bot that polls. The first good answer stands. The same again is no fault, so a request may"
        " be repeated. What is refused may be corrected as long as there is time: it is told why, with the legal moves"
        " and the milliseconds that are left. Your key needs the scope `play`.",
        parameters=("ask",),
        body="Answer",
        answer=Answered,
        codes=(
            *BODY,
            "no-key",
            "wrong-scope",
            "unknown-ask",
            "illegal-move",
            "bad-nudge",
            "wrong-ask",
            "wrong-schema",
            "already-answered",
            "out-of-time",
        ),
        refused="AnswerProblem",
    ),
    Operation(
        id="list{Game}Turns",
        call="GET /v1/{game}/matches/{match}/turns",
        summary="Read the turns",
        description="Every turn that was revealed, with what was said. This is public.",
        parameters=("match",),
        answer="Turns",
        codes=MATCH,
    ),
    Operation(
        id="watch{Game}Match",
        call="GET /v1/{game}/matches/{match}/events",
        summary="Watch a match",
        description="Server-sent events, all of them public: `seats` (somebody sat down or left, and always first),"
        " `turn` (a turn was revealed) and `over`, after which the stream ends. Who comes back with the last `id` in"
        " `Last-Event-ID`, as browsers do by themselves, misses nothing. A comment is sent every 15 seconds if nothing"
        " else is.",
        parameters=("match", "after", "seconds", "Last-Event-ID"),
        answer="Turn",
        media=EVENTS,
        events={"seats": Seats, "turn": "Turn", "over": Over},
        also={204: "The client has seen the end. A browser does not come back then."},
        codes=("bad-request", *MATCH),
    ),
    Operation(
        id="get{Game}Record",
        call="GET /v1/{game}/matches/{match}/record",
        summary="Read the record",
        description="When the match is over: all that is needed to replay it, seed and salt of the deal included."
        " `splito verify` checks it, as these very bytes.",
        parameters=("match",),
        answer="Record",
        codes=(*MATCH, "not-over"),
    ),
    Operation(
        id="explain{Game}Match",
        call="GET /v1/{game}/matches/{match}/explanation",
        summary="Explain the scores",
        description="When the match is over: where the points of every seat come from, one by one.",
        parameters=("match", "lang", "Accept-Language"),
        answer=Explanation,
        headers=("Content-Language",),
        codes=("bad-request", *MATCH, "not-over"),
    ),
    Operation(
        id="get{Game}Rules",
        call="GET /v1/{game}/rules",
        summary="Read the rules",
        description="The rulebook in Markdown. Its clauses have stable numbers.",
        parameters=("lang", "Accept-Language"),
        answer=RulesText,
        headers=("Content-Language",),
        codes=("bad-request",),
    ),
    Operation(
        id="list{Game}Cards",
        call="GET /v1/{game}/cards",
        summary="List the cards",
        description="What each different card of the standard deck says. None, for a game that needs no such texts.",
        parameters=("lang", "Accept-Language"),
        answer=Cards,
        headers=("Content-Language",),
        codes=("bad-request",),
    ),
)

OF_SERVICE = (
    Operation(
        id="listGames",
        call="GET /v1/games",
        summary="List the games",
        description="The games whose matches are played here.",
        answer=Games,
    ),
    Operation(
        id="listHouse",
        call="GET /v1/house",
        summary="List the bots of the house",
        description="What can be named in a seat of kind `bot`.",
        answer=House,
    ),
    Operation(
        id="listProblems",
        call="GET /v1/problems",
        summary="List the problems",
        description="Every code that a refusal can have. The `type` of a problem leads here.",
        answer=Problems,
    ),
)

OF_HEALTH = (
    Operation(
        id="getLiveness",
        call="GET /health/live",
        summary="Is the process alive?",
        description="Whether this process answers at all. If it does not, it should be restarted.",
        answer=Health,
    ),
    Operation(
        id="getReadiness",
        call="GET /health/ready",
        summary="Is the process ready?",
        description="Whether this process can do its work: its Redis accepts writes, does not evict and is new enough."
        " If not, `detail` says what kind of trouble it is; the log says more, and what to do.",
        answer=Health,
        codes=("unavailable",),
    ),
)
