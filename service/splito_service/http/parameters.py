"""Parameters and headers of the endpoints, as the contract describes them. The routes enforce the same bounds."""

from typing import Literal, NamedTuple, get_args

from splito_arena.blocks.ledger import BLOCK_PATTERN
from splito_engine.game import LANGUAGES, GameInfo
from splito_service.http.examples.example import EXAMPLE_BLOCK, EXAMPLE_ID, Json
from splito_service.http.queries import HOUR, LAST, LONGEST, MOST, PAGE
from splito_service.ids import ID_PATTERN
from splito_service.matches.events import FORM
from splito_service.matches.model import NOT_BEGUN, Status
from splito_service.results.schemas import FILES
from splito_service.tournaments.model import State
from splito_service.tournaments.schemas.progress_events import FORM as PLACE


class Parameter(NamedTuple):
    place: Literal["path", "query", "header"]
    schema: Json
    description: str
    example: str | int
    name: str = ""
    """Name in the request, if it differs from the name of the row."""
    required: bool = False
    """True if the parameter is required; path parameters always are."""


class Header(NamedTuple):
    schema: Json
    description: str


PARAMETERS = {
    "match": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the match.", EXAMPLE_ID),
    "turn": Parameter(
        "path",
        {"type": "integer", "minimum": 0},
        "The number of the turn, from 0. So a request that comes late is never taken for another turn.",
        2,
    ),
    "seat": Parameter("path", {"type": "integer", "minimum": 0}, "The number of the seat, from 0.", 0),
    "bot": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the bot.", EXAMPLE_ID),
    "polling": Parameter(
        "query",
        {"type": "string", "pattern": ID_PATTERN},
        "The id of your bot.",
        EXAMPLE_ID,
        name="bot",
        required=True,
    ),
    "tournament": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the tournament.", EXAMPLE_ID),
    "experiment": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the experiment.", EXAMPLE_ID),
    "entrant": Parameter(
        "path",
        {"type": "string", "pattern": "^[A-Za-z0-9_.#-]{1,64}$"},
        "The id of a registered bot, or the name of a house bot or of its copy (`planner#2`, in a URL `planner%232`).",
        EXAMPLE_ID,
        name="bot",
    ),
    "series": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the series.", EXAMPLE_ID),
    "block": Parameter(
        "path", {"type": "string", "pattern": BLOCK_PATTERN}, "Its round, its number and its table.", EXAMPLE_BLOCK
    ),
    "after_block": Parameter(
        "query", {"type": "string", "pattern": BLOCK_PATTERN}, "`next` of the page before this one.", EXAMPLE_BLOCK
    ),
    "file": Parameter(
        "path", {"type": "string", "enum": list(FILES)}, "Which table, and in which form.", "standings.csv"
    ),
    "game": Parameter(
        "query", {"type": "string", "minLength": 1, "maxLength": 64}, "Only of the game with this id.", "splito"
    ),
    "state": Parameter(
        "query", {"type": "string", "enum": list(get_args(State))}, "Only what is in this state.", "running"
    ),
    "ask": Parameter(
        "path",
        {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "minLength": 1, "maxLength": 128},
        "The id of the ask.",
        f"{EXAMPLE_ID}-2-0",
    ),
    "check": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the check.", EXAMPLE_ID),
    "hook": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the hook.", EXAMPLE_ID),
    "delivery": Parameter("path", {"type": "string", "pattern": ID_PATTERN}, "The id of the delivery.", EXAMPLE_ID),
    "key": Parameter(
        "path",
        {"type": "string", "pattern": ID_PATTERN},
        "The id of the key: what stands between its hyphens.",
        EXAMPLE_ID,
    ),
    "owner": Parameter(
        "query", {"type": "string", "pattern": ID_PATTERN}, "Only what is of the owner with this id.", EXAMPLE_ID
    ),
    "status": Parameter(
        "query",
        {"type": "string", "enum": list(get_args(Status)), "default": "running"},
        "Matches that wait for players, go on, or are over.",
        "open",
    ),
    "players": Parameter("query", {"type": "integer", "minimum": 1}, "Only with so many seats.", 2),
    "cursor": Parameter(
        "query", {"type": "string", "pattern": ID_PATTERN}, "`next` of the page before this one.", EXAMPLE_ID
    ),
    "limit": Parameter(
        "query", {"type": "integer", "minimum": 1, "maximum": MOST, "default": PAGE}, "How many at most.", 10
    ),
    "after": Parameter(
        "query",
        {"type": "integer", "minimum": NOT_BEGUN, "maximum": LAST},
        "The last turn that the client knows of: it wants what comes after it. -1 is before the first.",
        1,
    ),
    "wait": Parameter(
        "query",
        {"type": "integer", "minimum": 0, "maximum": LONGEST, "default": 0},
        "How many seconds the answer may wait: for a turn `after` that one, or for something to be asked.",
        25,
    ),
    "seconds": Parameter(
        "query",
        {"type": "integer", "minimum": 0, "maximum": HOUR, "default": HOUR},
        "How long the stream lasts at most. Browsers come back by themselves.",
        0,
    ),
    "lang": Parameter(
        "query",
        {"type": "string", "enum": list(LANGUAGES)},
        "The language of the answer. It goes before `Accept-Language`.",
        "fr",
    ),
    "If-None-Match": Parameter(
        "header",
        {"type": "string"},
        "The `ETag` of what the client has. If that still holds, the answer is 304.",
        '"7.0"',
    ),
    "Last-Event-ID": Parameter(
        "header",
        {"type": "string", "pattern": f"^{FORM.pattern}$"},
        "The `id` of the last event that was received. It goes before `after`.",
        "2-1c9a07f3",
    ),
    "Progress-Event-ID": Parameter(
        "header",
        {"type": "string", "pattern": f"^{PLACE.pattern}$"},
        "The `id` of the last event that was received. There is none at once then, unless something has changed.",
        "120-3-running",
        name="Last-Event-ID",
    ),
    "Accept-Language": Parameter(
        "header", {"type": "string"}, "Languages by preference. English, if we have none of them.", "de-CH, fr;q=0.8"
    ),
}

HEADERS = {
    "ETag": Header(
        {"type": "string", "examples": ['"7.0"']}, "Which state of the match this is, as this seat sees it."
    ),
    "Location": Header({"type": "string", "format": "uri-reference"}, "The address of what was made."),
    "Content-Language": Header({"type": "string", "enum": list(LANGUAGES)}, "The language of the answer."),
    "RateLimit-Policy": Header(
        {"type": "string", "examples": ['"requests";q=6000;w=60']},
        "How many requests (`q`) one client may make in how many seconds (`w`). Not sent if any number is allowed.",
    ),
    "RateLimit": Header(
        {"type": "string", "examples": ['"requests";r=5873;t=12']},
        "How many are left (`r`), and in how many seconds the quota is full again (`t`).",
    ),
    "Retry-After": Header({"type": "integer", "minimum": 0}, "In how many seconds to try again."),
    "WWW-Authenticate": Header({"type": "string", "examples": ["Bearer"]}, "What kind of token is wanted."),
}
"""Headers of responses."""


def parameter_components(info: GameInfo) -> dict[str, Json]:
    """Return all parameters as components. The largest seat number depends on the game."""
    return {_component(name, info.id): _parameter(name, info) for name in PARAMETERS}


def parameter_ref(name: str, game: str) -> Json:
    return {"$ref": f"#/components/parameters/{_component(name, game)}"}


def header_components() -> dict[str, Json]:
    return {name: header._asdict() for name, header in HEADERS.items()}


def header_refs(*names: str) -> dict[str, Json]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _component(name: str, game: str) -> str:
    return f"{game}-seat" if name == "seat" else name


def _parameter(name: str, info: GameInfo) -> Json:
    row = PARAMETERS[name]
    most = {"maximum": info.max_players - 1} if name == "seat" else {}
    return {
        "name": row.name or name,
        "in": row.place,
        "description": row.description,
        "required": row.required or row.place == "path",
        "schema": {**row.schema, **most},
        "example": row.example,
    }
