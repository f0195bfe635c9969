"""Operations of a bot: one row per operation. The same rows are the webhooks in the document of the service.

A type of which each game has its own is named as in `splito_arena.match.messages.Messages`.
"""

from typing import TypeAlias

import msgspec

from splito_arena.match.messages import BotInfo, Challenge, ChallengeMet, Ended, Noted
from splito_arena.net.signing import ID, MOST_SIGNATURES, SIGNATURE, TIMESTAMP, TOLERANCE
from splito_service.http.parameters import Header

Kind: TypeAlias = type | str

SCHEME = "webhookSignature"
OPTIONAL: list[dict[str, list[str]]] = [{}, {SCHEME: []}]
"""Security of every operation: a request to a bot without a secret is not signed."""


class BotOperation(msgspec.Struct, frozen=True, kw_only=True):
    """An operation of a bot: method, path, texts, message types and the names of its examples."""

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
    """Names of the examples of the answer. A mock server sends the first one, so it must be right for every request."""


OF_BOTS = (
    BotOperation(
        id="getInfo",
        call="GET /info",
        webhook="botInfo",
        summary="Describe the bot",
        description="Returns the bot's name, the games it plays, and how many requests it takes at once. The arena"
        " sends this request before a local match, when the bot is registered or checked, and from time to time. The"
        " signature is over an empty body.",
        answer=BotInfo,
        shown=(),
        answers=("BotInfo", "BotInfoInFull"),
    ),
    BotOperation(
        id="answerAsk",
        call="POST /ask",
        webhook="botAsk",
        summary="Choose a move",
        description="Asks the bot for its move in one turn of one match; `game` names the game. The ask has everything"
        " that is needed to decide. Answer with the index of a move in `moves`, or with the move itself. Two turns"
        " never have the same `id`, but the arena may send the same ask twice: after a lost connection, or with"
        " `rejected` after an answer that it did not accept.",
        body="Ask",
        answer="Answer",
        shown=("{Game}Ask",),
        answers=("AnswerByIndex", "{Game}Answer"),
    ),
    BotOperation(
        id="answerBatch",
        call="POST /batch",
        webhook="botBatch",
        summary="Choose moves in several turns",
        description="Sends several asks of one game in one request, at most as many as the bot's info says in `batch`;"
        " a bot with `batch` 0 needs no such path. The answers come in any order, and each names its `ask`. Each ask"
        " has its own time.",
        body="Asks",
        answer="Answers",
        shown=("{Game}Asks",),
        answers=("{Game}Answers",),
    ),
    BotOperation(
        id="noteStart",
        call="POST /start",
        webhook="botStart",
        summary="Hear that a match begins",
        description="Sent if `notices` is true in the bot's info. The arena neither waits for the answer nor reads it,"
        " and the first ask may come before this notice.",
        body="Started",
        answer=Noted,
        shown=("{Game}Started",),
        answers=("Noted",),
    ),
    BotOperation(
        id="noteEnd",
        call="POST /end",
        webhook="botEnd",
        summary="Hear that a match is over",
        description="Sent if `notices` is true in the bot's info. It has the scores, the places and the faults of the"
        " bot's seat. The arena neither waits for the answer nor reads it.",
        body=Ended,
        answer=Noted,
        shown=("{Game}Ended",),
        answers=("Noted",),
    ),
    BotOperation(
        id="answerChallenge",
        call="POST /challenge",
        webhook="botChallenge",
        summary="Prove that the bot knows its secret",
        description="Sent when the address of a bot is registered or changed. Only a server that knows the bot's"
        " secret can answer, so an owner cannot make the arena call a server of another person.",
        body=Challenge,
        answer=ChallengeMet,
        shown=("Challenge",),
        answers=("ChallengeMet",),
    ),
)

HEADERS = {
    ID: Header(
        {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"},
        "Id of this request. Every request has a new one, also when an ask is sent again. For a registered bot it"
        " begins with the id of the bot and an underscore.",
    ),
    TIMESTAMP: Header(
        {"type": "string", "pattern": "^[0-9]{1,12}$"},
        f"Time of sending, in seconds since 1970. A bot that checks signatures refuses a request that is more than"
        f" {TOLERANCE} seconds from its own clock.",
    ),
    SIGNATURE: Header(
        {"type": "string", "pattern": f"^[!-~]+( [!-~]+){{0,{MOST_SIGNATURES - 1}}}$"},
        "Signatures separated by spaces; the request is genuine if one of them is right. `v1,` is followed by the"
        " base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, `v1a,` by that of an Ed25519"
        " signature of the same bytes. Ignore other kinds.",
    ),
}
"""Headers of every signed request to a bot."""
