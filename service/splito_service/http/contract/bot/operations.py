"""Operations of a bot: one row per operation. The same rows are the webhooks in the document of the service.

A type that each game has its own of is named as in `splito_arena.match.messages.Messages`.
"""

from typing import TypeAlias

import msgspec

from splito_arena.match.messages import BotInfo, Challenge, ChallengeMet, Ended, Noted
from splito_arena.net.signing import ID, MOST_SIGNATURES, SIGNATURE, TIMESTAMP, TOLERANCE
from splito_service.http.parameters import Header

Kind: TypeAlias = type | str

SCHEME = "webhookSignature"


class BotOperation(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    call: str
    """Method and path."""
    webhook: str
    """Name of the webhook in the document of the service."""
    summary: str
    description: str
    body: Kind | None = None
    answer: Kind
    shown: tuple[str, ...]
    """Names of the examples of the body. With `{Game}`, one for each game."""
    answers: tuple[str, ...]
    """Names of the examples of the answer."""


OF_BOTS = (
    BotOperation(
        id="getInfo",
        call="GET /info",
        webhook="botInfo",
        summary="Who are you?",
        description="What the bot is called, which games it plays, and what it can take. Asked when it is registered or"
        " checked, and from time to time. The signature is over an empty body.",
        answer=BotInfo,
        shown=(),
        answers=("BotInfo",),
    ),
    BotOperation(
        id="answerAsk",
        call="POST /ask",
        webhook="botAsk",
        summary="What do you play?",
        description="A turn of a match, with all that is needed to decide; `game` says of which game. The answer is of"
        " the same game: a move, or its index in `moves`. No two turns have the same `id`, but the same ask may come"
        " twice: after a lost connection, or with `rejected` after an answer that was not taken.",
        body="Ask",
        answer="Answer",
        shown=("{Game}Ask", "{Game}AskAgain"),
        answers=("{Game}Answer", "{Game}AnswerByIndex"),
    ),
    BotOperation(
        id="answerBatch",
        call="POST /batch",
        webhook="botBatch",
        summary="What do you play here, here and here?",
        description="Several asks of one game in one request, at most as many as `batch` in the info says; a bot where"
        " that is 0 need not have this path. The answers name their `ask`, in any order. Each ask has its own time.",
        body="Asks",
        answer="Answers",
        shown=("{Game}Asks",),
        answers=("{Game}Answers",),
    ),
    BotOperation(
        id="noteStart",
        call="POST /start",
        webhook="botStart",
        summary="A match begins",
        description="Sent if `notices` in the info says so. Nobody waits for the answer or looks at it; the first ask"
        " may come before it.",
        body="Started",
        answer=Noted,
        shown=("{Game}Started",),
        answers=("Noted",),
    ),
    BotOperation(
        id="noteEnd",
        call="POST /end",
        webhook="botEnd",
        summary="A match is over",
        description="Sent if `notices` in the info says so: the scores, the places and what went wrong. Nobody waits"
        " for the answer or looks at it.",
        body=Ended,
        answer=Noted,
        shown=("{Game}Ended",),
        answers=("Noted",),
    ),
    BotOperation(
        id="answerChallenge",
        call="POST /challenge",
        webhook="botChallenge",
        summary="Are you who was registered?",
        description="Sent when the address is registered or changed. Only who knows the secret of the bot can answer:"
        " nobody can have the server of somebody else called.",
        body=Challenge,
        answer=ChallengeMet,
        shown=("Challenge",),
        answers=("ChallengeMet",),
    ),
)

HEADERS = {
    ID: Header(
        {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"},
        "The id of this request, and of no other: an ask that comes again has another. It begins with the id of the bot"
        " that it is for and an underscore, if the bot is registered.",
    ),
    TIMESTAMP: Header(
        {"type": "string", "pattern": "^[0-9]{1,12}$"},
        f"When it was sent, in seconds since 1970. Refuse what is more than {TOLERANCE} seconds from your own clock.",
    ),
    SIGNATURE: Header(
        {"type": "string", "pattern": f"^[!-~]+( [!-~]+){{0,{MOST_SIGNATURES - 1}}}$"},
        "Signatures with spaces between them, one of which must be right: `v1,` and the base64 of the HMAC-SHA256 over"
        " `{webhook-id}.{webhook-timestamp}.{body}`, or `v1a,` and that of an Ed25519 signature of the same. Pass over"
        " those of other kinds.",
    ),
}
"""Headers of every request to a bot."""
