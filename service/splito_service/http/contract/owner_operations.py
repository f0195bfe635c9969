"""What owners can ask of the service, about themselves and about the bots that they register: one row per operation."""

from splito_service.bots.schemas import (
    Bot,
    BotChange,
    BotDescription,
    BotPage,
    BotRegistered,
    BotRegistration,
    NewSecret,
)
from splito_service.http.contract.operations import BODY, Link, Operation
from splito_service.owners.schemas import (
    KeyCreated,
    KeyRing,
    NewKey,
    NewOwner,
    OwnerCreated,
    SigningKey,
)

KEY = ("no-key", "wrong-scope")
BOT = (*KEY, "wrong-owner", "unknown-bot")

_REGISTERED = {"bot": "$response.body#/bot/id"}
_SHOWN = {"bot": "$response.body#/id"}
_LISTED = {"bot": "$response.body#/bots/0/id"}

OF_OWNERS = (
    Operation(
        id="createOwner",
        call="POST /v1/owners",
        summary="Become an owner",
        description="Whoever wants to have bots here. The key is shown here and never again; it has all scopes, so make"
        " others with fewer for your programs.",
        body=NewOwner,
        status=201,
        answer=OwnerCreated,
        codes=(*BODY, "bad-name", "no-room"),
        links=(Link("listBots", {"owner": "$response.body#/id"}),),
    ),
    Operation(
        id="deleteOwner",
        call="DELETE /v1/owner",
        summary="Delete yourself",
        description="Removes you with your keys, bots, hooks and their logs, and cancels your tournaments and"
        " experiments that are not over. What your bots have played stays in the results of others, under the names of"
        " the bots; you are shown as `former owner`. If the connection is lost, the same request again finishes the"
        " work, or is told that there is no such key any more. Your key needs the scope `keys`.",
        status=204,
        codes=KEY,
    ),
    Operation(
        id="createKey",
        call="POST /v1/keys",
        summary="Make a key",
        description="With scopes that your key has. It is shown here and never again. Your key needs the scope `keys`.",
        body=NewKey,
        status=201,
        answer=KeyCreated,
        codes=(*BODY, *KEY, "bad-name", "no-room"),
        links=(Link("deleteKey", {"key": "$response.body#/summary/id"}),),
    ),
    Operation(
        id="listKeys",
        call="GET /v1/keys",
        summary="List your keys",
        description="What they are for, and how they end. Your key needs the scope `keys`.",
        answer=KeyRing,
        codes=KEY,
    ),
    Operation(
        id="deleteKey",
        call="DELETE /v1/keys/{key}",
        summary="Delete a key",
        description="From now on nobody can use it. It may be the one that you use: if it is your last, your bots are"
        " nobody's. Your key needs the scope `keys`.",
        parameters=("key",),
        status=204,
        codes=(*KEY, "unknown-key"),
    ),
    Operation(
        id="getSigningKey",
        call="GET /v1/signing-key",
        summary="Read the arena's public keys",
        description="Requests to push bots are signed with the secret of the bot, and to those with `ed25519` in their"
        " info with the Ed25519 key of this arena too, whose public half this is; so are webhooks and dumps."
        " When the key is rotated, previous keys are listed with the time until which their signatures count.",
        answer=SigningKey,
    ),
)

OF_REGISTERED = (
    Operation(
        id="listBots",
        call="GET /v1/bots",
        summary="List the registered bots",
        description="The newest first, page by page. (Those of the house are in `GET /v1/house`.)",
        parameters=("owner", "cursor", "limit"),
        answer=BotPage,
        codes=("bad-request",),
        links=(Link("getBot", _LISTED), Link("listBots", {"cursor": "$response.body#/next"})),
    ),
    Operation(
        id="createBot",
        call="POST /v1/bots",
        summary="Register a bot",
        description="A push bot then has to prove itself, and a pull bot to be described. The secret of a push bot is"
        " shown here and never again. Your key needs the scope `bots`, as for all that is done with bots.",
        body=BotRegistration,
        status=201,
        answer=BotRegistered,
        headers=("Location",),
        codes=(*BODY, *KEY, "bad-name", "bad-address", "no-room"),
        links=(
            Link("getBot", _REGISTERED),
            Link("proveBot", _REGISTERED),
            Link("describeBot", _REGISTERED),
            Link("changeBot", _REGISTERED),
            Link("rotateSecret", _REGISTERED),
            Link("settleSecret", _REGISTERED),
            Link("deleteBot", _REGISTERED),
        ),
    ),
    Operation(
        id="getBot",
        call="GET /v1/bots/{bot}",
        summary="Look at a bot",
        description="As everybody may see it. With the key of its owner, also its address, and how it did when the"
        " arena last looked whether it is alive.",
        parameters=("bot",),
        answer=Bot,
        codes=(*KEY, "unknown-bot"),
        links=(Link("proveBot", _SHOWN), Link("describeBot", _SHOWN), Link("deleteBot", _SHOWN)),
    ),
    Operation(
        id="changeBot",
        call="PUT /v1/bots/{bot}",
        summary="Change a bot",
        description="Its name and its address. At another address it is new again, and has to prove itself.",
        parameters=("bot",),
        body=BotChange,
        answer=Bot,
        codes=(*BODY, *BOT, "bad-name", "bad-address"),
        links=(Link("getBot", _SHOWN), Link("proveBot", _SHOWN)),
    ),
    Operation(
        id="deleteBot",
        call="DELETE /v1/bots/{bot}",
        summary="Delete a bot",
        description="It is not called and cannot play any more. What it has played stays.",
        parameters=("bot",),
        status=204,
        codes=BOT,
    ),
    Operation(
        id="proveBot",
        call="POST /v1/bots/{bot}/proof",
        summary="Have a push bot prove itself",
        description="The arena asks its address for `/info`, and sends it a `/challenge` that only who knows the secret"
        " can meet. Then it is ready. If not, `detail` says what the bot did.",
        parameters=("bot",),
        answer=Bot,
        codes=(*BOT, "bad-address", "wrong-kind", "not-proved", "lookup-failed"),
        links=(Link("getBot", _SHOWN),),
    ),
    Operation(
        id="describeBot",
        call="PUT /v1/bots/{bot}/info",
        summary="Describe a pull bot",
        description="What a push bot tells of itself, the owner tells of a pull bot. Then it is ready. Another version"
        " has to pass the checks anew.",
        parameters=("bot",),
        body=BotDescription,
        answer=Bot,
        codes=(*BODY, *BOT, "bad-name", "wrong-kind"),
        links=(Link("getBot", _SHOWN),),
    ),
    Operation(
        id="rotateSecret",
        call="POST /v1/bots/{bot}/secret",
        summary="Change the secret of a push bot",
        description="Requests are signed with the new secret and with the one before, so that nothing is missed while"
        " the bot changes over. The new one is shown here and never again.",
        parameters=("bot",),
        status=201,
        answer=NewSecret,
        codes=(*BOT, "wrong-kind"),
    ),
    Operation(
        id="settleSecret",
        call="DELETE /v1/bots/{bot}/secret",
        summary="Give up the previous secret",
        description="Requests are signed with the newest secret only. If there is no other, nothing changes.",
        parameters=("bot",),
        status=204,
        codes=(*BOT, "wrong-kind"),
    ),
)
