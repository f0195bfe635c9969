"""`splito bot register`, `prove`, `status`, `asks`, `retire`, `enter` and `seat`: your bots at an arena."""

from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from splito_bot.account import bots, play
from splito_bot.account.commands import confirmed, person
from splito_cli.access import MINE, Place, session
from splito_cli.account.page import show
from splito_cli.arguments import Flag, Json
from splito_engine.errors import BadOption

REGISTER = (
    "splito bot register owl --push http://127.0.0.1:8001",
    "splito bot register kite --pull --open-to owner",
)
PROVE = ("splito bot prove owl",)
STATUS = ("splito bot status", "splito bot status owl --json")
ASKS = ("splito bot asks owl", "splito bot asks owl --faults --limit 100 --json")
RETIRE = ("splito bot retire owl",)
ENTER = ("splito bot enter 06gpr1k08099qgdgdpas627q owl",)
SEAT = ("splito bot seat 06gpr1k08099qgdgdpas627q owl --seat 1",)

Bot: TypeAlias = Annotated[
    str | None, Parameter(help="The id or name of your bot; not needed if you have only one.", show_default=False)
]
Sure: TypeAlias = Annotated[Flag, Parameter(help="Do not ask.")]


def register(  # noqa: PLR0913 (one parameter per option)
    name: str,
    /,
    *,
    push: str | None = None,
    pull: Flag = False,
    open_to: Literal["owner", "organisers", "everybody"] = "organisers",
    save: Annotated[bool, Parameter(negative="--no-save")] = True,
    place: Place = MINE,
    json: Json = False,
) -> int:
    """Register a bot at the arena.

    The secret of a push bot is shown once, and kept in the profile, where `splito-bot serve --bot NAME` finds it.

    Parameters
    ----------
    name
        The name of the bot, which tables and leaderboards show.
    push
        The address at which the arena calls the bot.
    pull
        The bot polls the arena, from behind any router.
    open_to
        Who may enter and seat the bot: its owner, also organisers and house ladders, or everybody.
    save
        Keep the secret in the profile.
    """
    if (push is None) != pull:
        raise BadOption("say how the bot plays: --push URL, or --pull", field="push")
    with session(place) as there:
        return show(bots.register(there, name, push, open_to, save=save), json=json)


def prove(bot: Bot = None, /, *, place: Place = MINE, json: Json = False) -> int:
    """Let a push bot prove its address, so that it is ready."""
    with session(place) as there:
        return show(bots.prove(there, bot), json=json)


def status(bot: Bot = None, /, *, place: Place = MINE, json: Json = False) -> int:
    """Show your bots, or one of them with its ratings."""
    with session(place) as there:
        return show(bots.status(there, bot), json=json)


def asks(
    bot: Bot = None,
    /,
    *,
    faults: Flag = False,
    limit: int = 20,
    place: Place = MINE,
    json: Json = False,
) -> int:
    """Show the last asks of a bot, and its faults.

    Parameters
    ----------
    faults
        Only asks with a fault.
    limit
        How many asks at most.
    """
    with session(place) as there:
        return show(bots.asks(there, bot, faults=faults, limit=limit), json=json)


def retire(
    bot: Bot = None,
    /,
    *,
    yes: Sure = False,
    place: Place = MINE,
    json: Json = False,
) -> int:
    """Delete a bot at the arena; its past results stay."""
    with session(place) as there:
        return show(bots.retire(there, bot, confirmed(yes, person())), json=json)


def enter(
    tournament: str,
    bot: Bot = None,
    /,
    *,
    place: Place = MINE,
    json: Json = False,
) -> int:
    """Enter a bot in a ladder.

    Parameters
    ----------
    tournament
        The id of the ladder.
    """
    with session(place) as there:
        return show(play.enter(there, tournament, bot), json=json)


def seat(
    match: str,
    bot: Bot = None,
    /,
    *,
    seat: int | None = None,
    place: Place = MINE,
    json: Json = False,
) -> int:
    """Seat a bot at an open seat of a match.

    Parameters
    ----------
    match
        The id of the match, or its address.
    seat
        The number of the seat; by default any open one.
    """
    with session(place) as there:
        return show(play.seat(there, match, bot, seat), json=json)
