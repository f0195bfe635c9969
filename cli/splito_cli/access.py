"""Options that choose a service and a key: of the command line, the environment, or a profile of `splito login`.

The SDK is imported by the functions, because the options stand in modules that commands without a service load too.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from splito_engine.errors import GameError

if TYPE_CHECKING:
    from splito_bot.account.access import Given
    from splito_bot.account.session import Session
    from splito_bot.account.trouble import Trouble
    from splito_cli.remote import Remote

ProfileName: TypeAlias = Annotated[
    str | None, Parameter(help="The profile of `splito login` to use, if you have several.")
]


@Parameter(name="*")
@dataclass(frozen=True)
class Place:
    """The options that choose a service and a key."""

    url: Annotated[
        str | None, Parameter(help="The service, as in http://127.0.0.1:8000; by default that of your profile.")
    ] = None
    key: Annotated[
        str | None,
        Parameter(help="A key of yours. Better: `splito login`, because other users can see command lines."),
    ] = field(default=None, repr=False)
    profile: ProfileName = None

    def __bool__(self) -> bool:
        """True if one of the options is given."""
        return any(word is not None for word in (self.url, self.key, self.profile))


MINE = Place()
"""The service of the environment or of the profile: no option is given."""


class AccountError(GameError):
    """A failure of the SDK's account: its code, its cause and its advice."""

    code = "account"

    def __init__(self, trouble: "Trouble") -> None:
        from splito_bot.account.trouble import of_splito  # noqa: PLC0415

        super().__init__(of_splito(trouble.cause))
        self.shown_code = trouble.code
        self.advice = of_splito(trouble.advice)


@contextmanager
def account_errors() -> Generator[None]:
    """Raise failures of the SDK's account as errors of this program."""
    from splito_bot.account.trouble import Trouble  # noqa: PLC0415

    try:
        yield
    except Trouble as trouble:
        raise AccountError(trouble) from None


def open_remote(place: Place, *, keyless: bool = False) -> "Remote":
    """Return the service of a command with its key. `keyless` commands also do without one."""
    from splito_bot.account.access import find_access  # noqa: PLC0415
    from splito_bot.account.profiles import Profiles  # noqa: PLC0415
    from splito_cli.remote import Remote  # noqa: PLC0415

    with account_errors():
        found = find_access(given(place), os.environ, Profiles.of_user(os.environ), keyless=keyless)
    return Remote(found.url, found.key)


@contextmanager
def session(place: Place) -> "Generator[Session]":
    """Yield the session of a command, and raise its failures as errors of this program."""
    from splito_bot.account.session import Session  # noqa: PLC0415

    with account_errors(), Session.open(given(place)) as opened:
        yield opened


def given(place: Place) -> "Given":
    """Return the options as the SDK has them."""
    from splito_bot.account.access import Given  # noqa: PLC0415

    return Given(place.url, place.key, place.profile)
