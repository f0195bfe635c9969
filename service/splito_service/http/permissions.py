"""Permission table: which role may call which operation of the contract, and the code of the refusal otherwise.

`PERMISSIONS` has one row per operation id of `splito_service.http.contract`; `{Game}` stands for each game. The
contract takes the security section of an operation from its row, `docs/permissions.md` shows the whole table, and
`tests/service/http/test_permissions.py` calls every operation in every role and compares the answer with `verdict`.

To add an operation, add its row here, run `python -m splito_service.http.permissions` to write the table of the docs,
and if the operation has a body, say in `tests/service/permission_calls.py` how a permitted one looks.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from splito_service.owners.store import Scope

Access: TypeAlias = Literal["public", "seat", "either", "owner", "owner-or-public"]
"""Which secret a request carries: none, a seat token, an owner key, or one of these or none."""
Role: TypeAlias = Literal[
    "nobody",
    "seat",
    "former seat",
    "other seat",
    "owner",
    "other owner",
    "organiser",
    "bots key",
    "play key",
    "logs key",
    "keys key",
    "revoked key",
]
ROLES: tuple[Role, ...] = get_args(Role)
SEATS: tuple[Role, ...] = ("seat", "former seat", "other seat")

PAGE = Path(__file__).parents[3] / "docs" / "permissions.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


class Permission(msgspec.Struct, frozen=True, kw_only=True):
    """The row of one operation."""

    access: Access = "public"
    scope: Scope | None = None
    """Scope that an owner key needs; None if the operation takes no owner key."""
    stranger: str | None = None
    """Code that the key of another owner meets; None if every owner may, with what is their own."""
    organiser: str | None = None
    """Code that the key of a named organiser meets, who owns nothing of it; None if the organiser may."""
    note: str = ""
    """What the answer shows to some roles only, or on what else the permission depends."""


def everybody(note: str = "") -> Permission:
    """Return the row of an operation that ignores seat tokens and owner keys."""
    return Permission(note=note)


def any_owner(scope: Scope, note: str = "") -> Permission:
    """Return the row of an operation for every key with that scope: it concerns only what is the owner's own."""
    return Permission(access="owner", scope=scope, note=note)


def owner_of(scope: Scope, stranger: str, note: str = "") -> Permission:
    """Return the row of an operation on one bot, hook, key, tournament or experiment, for its owner only."""
    return Permission(access="owner", scope=scope, stranger=stranger, organiser=stranger, note=note)


SEAT = Permission(access="seat")

PERMISSIONS: Mapping[str, Permission] = {
    # service and health
    "listGames": everybody(),
    "listHouse": everybody(),
    "listProblems": everybody(),
    "getLiveness": everybody(),
    "getReadiness": everybody(),
    # owners and keys
    "createOwner": everybody(),
    "deleteOwner": any_owner("keys", "Removes the owner of the key."),
    "createKey": any_owner("keys", "A key passes on only scopes that it has."),
    "listKeys": any_owner("keys"),
    "deleteKey": owner_of("keys", "unknown-key"),
    "getSigningKey": everybody(),
    # registered bots
    "listBots": everybody(),
    "createBot": any_owner("bots"),
    "getBot": Permission(
        access="owner-or-public",
        scope="bots",
        note="Only the owner sees the address, the reason of a failure and the secrets' state.",
    ),
    "changeBot": owner_of("bots", "wrong-owner"),
    "deleteBot": owner_of("bots", "wrong-owner"),
    "proveBot": owner_of("bots", "wrong-owner"),
    "describeBot": owner_of("bots", "wrong-owner"),
    "rotateSecret": owner_of("bots", "wrong-owner"),
    "settleSecret": owner_of("bots", "wrong-owner"),
    "createCheck": owner_of("bots", "wrong-owner"),
    "listChecks": owner_of("bots", "wrong-owner"),
    "getCheck": owner_of("bots", "wrong-owner"),
    # asks
    "listOpenAsks": owner_of("play", "unknown-bot"),
    "answer{Game}Ask": owner_of("play", "unknown-ask"),
    "listAsks": owner_of("logs", "unknown-bot"),
    "getAsk": owner_of("logs", "unknown-bot"),
    # hooks
    "createHook": any_owner("play"),
    "listHooks": any_owner("play"),
    "getHook": owner_of("play", "unknown-hook"),
    "changeHook": owner_of("play", "unknown-hook"),
    "deleteHook": owner_of("play", "unknown-hook"),
    "proveHook": owner_of("play", "unknown-hook"),
    "rotateHookSecret": owner_of("play", "unknown-hook"),
    "settleHookSecret": owner_of("play", "unknown-hook"),
    "listDeliveries": owner_of("play", "unknown-hook"),
    "getDelivery": owner_of("play", "unknown-hook"),
    "createRedelivery": owner_of("play", "unknown-hook"),
    # tournaments
    "createTournament": any_owner(
        "play", "Only organisers hold ranked tournaments; bots of others must be open to the owner (`not-allowed`)."
    ),
    "estimateTournament": any_owner("play", "As for `createTournament`."),
    "listTournaments": everybody(),
    "getTournament": everybody("Everybody sees the secret of the deals once the tournament is over."),
    "deleteTournament": owner_of("play", "wrong-owner"),
    "changeTournamentState": owner_of("play", "wrong-owner"),
    "changeTournamentBlocks": owner_of("play", "wrong-owner"),
    "enterTournament": owner_of(
        "play",
        "wrong-owner",
        "The owner of the bot, and the owner of the ladder if the bot is open to them (`not-allowed`).",
    ),
    "leaveTournament": owner_of("play", "wrong-owner", "The owner of the bot, and the owner of the tournament."),
    "getStandings": everybody(),
    "getCrosstable": everybody(),
    "getNeighbours": everybody(),
    "listBlocks": everybody("Only blocks that are over."),
    "getBlock": everybody("Only blocks that are over."),
    "watchTournament": everybody(),
    "getDump": everybody("Only blocks that are over."),
    "getExport": everybody(),
    "getReport": everybody(),
    "get{Game}Leaderboard": everybody(),
    # experiments
    "createExperiment": any_owner("play", "Bots of others must be open to the owner (`not-allowed`)."),
    "listExperiments": everybody(),
    "getExperiment": everybody(),
    "deleteExperiment": owner_of("play", "wrong-owner"),
    "changeExperimentState": owner_of("play", "wrong-owner"),
    "watchExperiment": everybody(),
    # matches
    "create{Game}Match": Permission(
        access="owner-or-public",
        scope="play",
        note="The answer has the tokens of the persons, once. A bot that is not open to everybody needs a key of its"
        " owner, or of an organiser (`not-allowed`).",
    ),
    "list{Game}Matches": everybody("Only listed matches."),
    "get{Game}Match": Permission(
        access="either", note="A seat token shows the view of its own seat; without a token, the public view."
    ),
    "join{Game}Match": everybody("Only an open seat can be taken; the answer has its token, once."),
    "delete{Game}Match": Permission(
        access="seat", note="Only the one person at a match; where two sit, both meet `wrong-token`."
    ),
    "leave{Game}Match": SEAT,
    "seal{Game}Move": SEAT,
    "list{Game}Turns": everybody("Only revealed turns."),
    "watch{Game}Match": everybody("Only revealed turns, also with a seat token."),
    "get{Game}Record": everybody("Only when the match is over."),
    "explain{Game}Match": everybody("Only when the match is over."),
    "get{Game}Rules": everybody(),
    "list{Game}Cards": everybody(),
}


def permission_of(operation: str) -> Permission:
    """Return the row of an operation id of the contract. Raise `LookupError` if the table has none."""
    found = PERMISSIONS.get(operation)
    if found is None:
        raise LookupError(f"operation {operation} has no row in {__name__}: say who may call it")
    return found


def verdict(permission: Permission, role: Role) -> str | None:
    """Return the code of the refusal that this role meets; None if it may.

    The seat roles hold a token of a match that is still played. The owner roles hold a key of all scopes; "owner" owns
    the bot, hook, key, tournament or experiment of the request. "organiser" is another owner, named as organiser of the
    arena. "bots key" and so on are keys of the owner with that scope alone.
    """
    match permission.access:
        case "public":
            return None
        case "seat" | "either":
            return _of_seat(permission.access, role)
        case "owner" | "owner-or-public":
            return _of_owner(permission, role)


def _of_seat(access: Access, role: Role) -> str | None:
    match role:
        case "seat":
            return None
        case "former seat":
            return "wrong-token"
        case "other seat":
            return None if access == "either" else "wrong-token"
        case "nobody":
            return None if access == "either" else "no-token"
        case _:
            return "no-token"


def _of_owner(permission: Permission, role: Role) -> str | None:
    match role:
        case "owner":
            return None
        case "other owner":
            return permission.stranger
        case "organiser":
            return permission.organiser
        case "bots key" | "play key" | "logs key" | "keys key":
            return None if role == f"{permission.scope} key" else "wrong-scope"
        case "nobody":
            return None if permission.access == "owner-or-public" else "no-key"
        case _:
            return "no-key"


def table() -> str:
    """Return the table in Markdown: a line per operation, a column per role."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield f"| operation | {' | '.join(ROLES)} | remark |"
    yield "|---" * (len(ROLES) + 2) + "|"
    for operation, permission in PERMISSIONS.items():
        cells = (f"`{code}`" if (code := verdict(permission, role)) else "yes" for role in ROLES)
        yield f"| `{operation}` | {' | '.join(cells)} | {permission.note} |"


def page(text: str) -> str:
    """Return the text of the docs page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
