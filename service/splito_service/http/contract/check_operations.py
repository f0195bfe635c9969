"""What owners can ask of the service about the checks of their bots: one row per operation."""

from splito_service.checks.schemas import Check, CheckList, NewCheck
from splito_service.http.contract.operations import BODY, Link, Operation
from splito_service.http.contract.owner_operations import BOT

_BEGUN = {"bot": "$response.body#/bot", "check": "$response.body#/id"}
_LISTED = {"bot": "$response.body#/checks/0/bot", "check": "$response.body#/checks/0/id"}

OF_CHECKS = (
    Operation(
        id="createCheck",
        call="POST /v1/bots/{bot}/checks",
        summary="Check a bot",
        description="Whether it is ready to play: it is asked all that it can be asked, for two minutes at most, and"
        " plays whole matches against itself. The answer comes at once; read there how far it is. While a check goes on"
        " there is no other: it is the answer then. A version that passes may play where it counts. A pull bot must be"
        " polling. Your key needs the scope `bots`.",
        parameters=("bot",),
        body=NewCheck,
        status=202,
        answer=Check,
        headers=("Location",),
        codes=(*BODY, *BOT, "bad-address", "not-ready"),
        links=(Link("getCheck", _BEGUN), Link("listChecks", {"bot": _BEGUN["bot"]})),
    ),
    Operation(
        id="listChecks",
        call="GET /v1/bots/{bot}/checks",
        summary="List the checks of a bot",
        description="The last 20 of 30 days, the newest first, without their reports.",
        parameters=("bot",),
        answer=CheckList,
        codes=BOT,
        links=(Link("getCheck", _LISTED),),
    ),
    Operation(
        id="getCheck",
        call="GET /v1/bots/{bot}/checks/{check}",
        summary="Read a check",
        description="How far it is; and when it is done, what was found, and what to do about it.",
        parameters=("bot", "check"),
        answer=Check,
        codes=(*BOT, "unknown-check"),
    ),
)
