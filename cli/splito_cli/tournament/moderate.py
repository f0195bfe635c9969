"""`splito moderate`: organisers ban owners and bots, remove tournaments, and read the log of these actions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec
from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from splito_cli.access import MINE, Place, open_remote
from splito_cli.arguments import Json
from splito_cli.terminal.screen import printable, screen, wide_screen

_ID = "06gpr1k08099qgdgdpas627q"
BAN_OWNER = (f'splito moderate ban-owner {_ID} --reason "Sells rankings."',)
LIFT_OWNER_BAN = (f'splito moderate lift-owner-ban {_ID} --reason "A mistake."',)
BAN_BOT = (f'splito moderate ban-bot {_ID} --reason "Talks to its friends."',)
LIFT_BOT_BAN = (f'splito moderate lift-bot-ban {_ID} --reason "Corrected."',)
REMOVE = (f'splito moderate remove-tournament {_ID} --reason "Its name is an insult."',)
LOG = ("splito moderate log", "splito moderate log --limit 100 --json")
BANS = ("splito moderate bans",)

ACTIONS = "/v1/moderation/actions"

Reason: TypeAlias = Annotated[
    str, Parameter(help="The reason, one line. The log keeps it; a banned owner is shown the reason of the ban.")
]
Limit: TypeAlias = Annotated[int, Parameter(help="How many at most, up to 100.")]
OwnerId: TypeAlias = Annotated[str, Parameter(help="The id of the owner.")]
BotId: TypeAlias = Annotated[str, Parameter(help="The id of the bot.")]
HeldId: TypeAlias = Annotated[str, Parameter(help="The id of the tournament or experiment.")]


class Organiser(msgspec.Struct, frozen=True):
    """The organiser of an action."""

    id: str
    name: str


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the moderation log."""

    id: str
    time: datetime
    organiser: Organiser
    action: str
    target: str
    target_name: str
    reason: str


class Log(msgspec.Struct, frozen=True):
    """A page of the log, newest first."""

    actions: list[Done]
    next: str | None


class Ban(msgspec.Struct, frozen=True, kw_only=True):
    """A current ban."""

    kind: Literal["owner", "bot"]
    target: str
    reason: str
    since: datetime


class Bans(msgspec.Struct, frozen=True):
    """A page of the current bans."""

    bans: list[Ban]
    next: str | None


def ban_owner(
    owner: OwnerId,
    /,
    *,
    reason: Reason,
    place: Place = MINE,
    json: Json = False,
) -> None:
    """Ban an owner: no bot of theirs enters or plays, and their running tournaments are cancelled.

    Games that have begun are played to their end and count. Later blocks of the bots are skipped, and in live matches
    house bots play for them. The owner is told the reason.
    """
    _act("ban-owner", owner, reason, place, json=json)


def lift_owner_ban(
    owner: OwnerId,
    /,
    *,
    reason: Reason,
    place: Place = MINE,
    json: Json = False,
) -> None:
    """Lift the ban of an owner.

    Tournaments that the ban cancelled stay cancelled. Bots with a ban of their own stay banned.
    """
    _act("lift-owner-ban", owner, reason, place, json=json)


def ban_bot(bot: BotId, /, *, reason: Reason, place: Place = MINE, json: Json = False) -> None:
    """Ban a bot: it neither enters nor plays.

    Games that have begun are played to their end and count. Later blocks of the bot are skipped, and in live matches a
    house bot plays for it. Its owner is told the reason, and may use other bots.
    """
    _act("ban-bot", bot, reason, place, json=json)


def lift_bot_ban(bot: BotId, /, *, reason: Reason, place: Place = MINE, json: Json = False) -> None:
    """Lift the ban of a bot.

    It plays the blocks that are left in tournaments that still run.
    """
    _act("lift-bot-ban", bot, reason, place, json=json)


def remove_tournament(
    held: HeldId,
    /,
    *,
    reason: Reason,
    place: Place = MINE,
    json: Json = False,
) -> None:
    """Delete a tournament or experiment with its games. Its effect on the leaderboard stays.

    A running tournament is cancelled first. Nothing brings it back, but the log keeps its id, its name and the reason.
    """
    _act("remove-tournament", held, reason, place, json=json)


def show_log(*, place: Place = MINE, limit: Limit = 20, json: Json = False) -> None:
    """Show the last actions of all organisers.

    No command changes or removes an entry. The service keeps entries for two years, unless its operator chose another
    time.
    """
    from splito_cli.tournament.watch import print_json  # noqa: PLC0415

    with open_remote(place) as remote:
        found = remote.get(ACTIONS, Log, limit)
    if json:
        print_json(found)
    else:
        cells = [(_time(one.time), one.organiser.name, one.action, _named(one), one.reason) for one in found.actions]
        wide_screen().print(_table(("time", "organiser", "action", "target", "reason"), cells))


def show_bans(*, place: Place = MINE, limit: Limit = 100, json: Json = False) -> None:
    """Show the current bans."""
    from splito_cli.tournament.watch import print_json  # noqa: PLC0415

    with open_remote(place) as remote:
        found = remote.get("/v1/moderation/bans", Bans, limit)
    if json:
        print_json(found)
    else:
        cells = [(_time(one.since), one.kind, one.target, one.reason) for one in found.bans]
        wide_screen().print(_table(("since", "kind", "id", "reason"), cells))


def _act(action: str, target: str, reason: str, place: Place, *, json: bool) -> None:
    from splito_cli.tournament.watch import print_json  # noqa: PLC0415

    with open_remote(place) as remote:
        done = remote.send("POST", ACTIONS, {"action": action, "target": target, "reason": reason}, Done)
    if json:
        print_json(done)
    else:
        screen().print(printable(f"Done and logged: {done.action} {_named(done)}."), markup=False)


def _named(done: Done) -> str:
    return f"{done.target} ({done.target_name})" if done.target_name else done.target


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of texts from the service; none of them is read as markup or controls the terminal."""
    table = Table(*heads, box=None, padding=(0, 2, 0, 0), header_style="dim")
    for cells in rows:
        table.add_row(*(Text(printable(cell), overflow="fold") for cell in cells))
    return table
