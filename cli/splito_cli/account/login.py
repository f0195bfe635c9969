"""`splito login`, `logout`, `whoami` and `profiles`: your keys for arenas, kept in your config folder."""

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from splito_bot.account import login as accounts
from splito_bot.account.commands import person
from splito_cli.access import MINE, Place, ProfileName, account_errors, given
from splito_cli.account.page import show
from splito_cli.arguments import Flag, Json

LOGIN = (
    "splito login http://127.0.0.1:8000 --name Ada",
    "splito login https://arena.example --key - --profile example < key.txt",
)
LOGOUT = ("splito logout", "splito logout --profile example --yes")
WHOAMI = ("splito whoami", "splito whoami --profile example --json")
PROFILES = ("splito profiles", "splito profiles --default example")

Sure: TypeAlias = Annotated[Flag, Parameter(help="Do not ask.")]


def login(
    url: str, /, *, name: str | None = None, key: str | None = None, profile: str | None = None, json: Json = False
) -> int:
    """Log in at an arena: make an owner, or take a key that you have.

    The key is verified and kept in your config folder, in a file that only you can read; it is never printed. All
    commands that speak to an arena use it. Without --name and --key, SPLITO_KEY is taken, or you are asked.

    Parameters
    ----------
    url
        The address of the arena.
    name
        The name of a new owner.
    key
        `-` reads the key of an existing owner from the input.
    profile
        A name for this login, if you have several; the first is called `default`.
    """
    with account_errors():
        outcome = accounts.login(url, name=name, key=key, profile=profile, desk=person())
    return show(outcome, json=json)


def logout(*, profile: ProfileName = None, yes: Sure = False, json: Json = False) -> int:
    """Remove a profile with its key.

    The key stays valid, but no service shows it again: keep a copy of the file if it is your only key.
    """
    with account_errors():
        outcome = accounts.logout(profile, sure=yes, desk=person())
    return show(outcome, json=json)


def whoami(*, place: Place = MINE, json: Json = False) -> int:
    """Show whose key the commands use, and which scopes it has."""
    with account_errors():
        outcome = accounts.whoami(given(place))
    return show(outcome, json=json)


def list_profiles(*, default: str | None = None, json: Json = False) -> int:
    """List your profiles, or choose the default one.

    Parameters
    ----------
    default
        The profile that commands use from now on.
    """
    with account_errors():
        outcome = accounts.list_profiles(default)
    return show(outcome, json=json)
