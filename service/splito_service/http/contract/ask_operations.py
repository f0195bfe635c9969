"""What bots that poll, and owners who want to know, can ask of the service: one row per operation."""

from splito_service.bots.ask_schemas import AskPage, LoggedAsk, OpenAsks
from splito_service.http.contract.operations import Link, Operation
from splito_service.http.contract.owner_operations import KEY

_LOGGED = {"bot": "$request.path.bot", "ask": "$response.body#/asks/0/id"}

OF_ASKS = (
    Operation(
        id="listOpenAsks",
        call="GET /v1/bot/asks",
        summary="Poll for asks",
        description="What your bot is asked now, of all matches and games, but never more than it wants to have at a"
        " time. With `wait` the answer waits until there is something (long-poll); several connections may do so at the"
        " same time. Each ask is answered by itself, in any order. Your key needs the scope `play`.",
        parameters=("polling", "wait", "limit"),
        answer=OpenAsks,
        codes=("bad-request", *KEY, "unknown-bot"),
    ),
    Operation(
        id="listAsks",
        call="GET /v1/bots/{bot}/asks",
        summary="Read the log of a bot",
        description="What your bot was asked, push or pull, and how it went: the last 2,000 asks of 7 days, the newest"
        " first, page by page. Your key needs the scope `logs`.",
        parameters=("bot", "cursor", "limit"),
        answer=AskPage,
        codes=("bad-request", *KEY, "unknown-bot"),
        links=(Link("getAsk", _LOGGED),),
    ),
    Operation(
        id="getAsk",
        call="GET /v1/bots/{bot}/asks/{ask}",
        summary="Read what was said",
        description="What your bot was sent and what it answered, as texts. Your key needs the scope `logs`.",
        parameters=("bot", "ask"),
        answer=LoggedAsk,
        codes=(*KEY, "unknown-bot", "unknown-ask"),
    ),
)
