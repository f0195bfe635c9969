"""Which service and key a command uses: those of the command line, of the environment, or of a profile.

A key is never sent to an address that it was not given with: the key of a profile goes to the address of that profile,
and a key of the command line or the environment needs an address from there too.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from splito_bot.account.address import read_address
from splito_bot.account.profiles import Profiles
from splito_bot.account.trouble import Trouble

URL, KEY, PROFILE = "SPLITO_URL", "SPLITO_KEY", "SPLITO_PROFILE"  # names of environment variables
OLD_KEY = "SPLITO_BOT_KEY"
"""Variable that `splito-bot connect` read before there were profiles."""
LOG_IN = "log in once with `splito-bot login URL`, or give --url and --key"


class Given(NamedTuple):
    """The options of a command that choose the service and the key."""

    url: str | None = None
    key: str | None = None
    profile: str | None = None


class Access(NamedTuple):
    """A service, the key for it, and the profile that has both."""

    url: str
    key: str | None
    profile: str | None
    """Name of the profile; None for a key that no profile has."""

    def __repr__(self) -> str:
        """Return a text without the key."""
        return f"Access({self.url!r}, {self.profile!r})"


def find_access(given: Given, environ: Mapping[str, str], profiles: Profiles, *, keyless: bool = False) -> Access:
    """Return the service and key of a command; the command line comes first, then the environment, then a profile.

    `keyless` commands do without a key at an address that no profile has. Raise `Trouble` if something is missing.
    """
    if given.profile is not None:
        if given.url is not None or given.key is not None:
            raise Trouble("usage", "--profile has an address and a key of its own", "leave out --url and --key")
        return _of_profile(given.profile, profiles)
    url, key = given.url or environ.get(URL), given.key or environ.get(KEY) or environ.get(OLD_KEY)
    if url is None and key is None:
        name = environ.get(PROFILE) or profiles.default
        if name is None:
            raise Trouble("not-logged-in", "you are not logged in at any arena", LOG_IN)
        return _of_profile(name, profiles)
    if url is None:
        source = "--key" if given.key else KEY if environ.get(KEY) else OLD_KEY
        raise Trouble(
            "usage", f"{source} has a key, but no address says for which service", f"give --url or set {URL} too"
        )
    return _at(read_address(url), key, profiles, keyless=keyless)


def checked_key(key: str) -> str:
    """Return the key. The message never quotes it, because it may be a secret of something else."""
    if re.fullmatch(r"[!-~]+", key) is None:
        raise Trouble("bad-option", "this is no key", "copy the whole of it, `key-` included, and nothing else")
    return key


def _of_profile(name: str, profiles: Profiles) -> Access:
    profile = profiles.get(name)
    return Access(read_address(profile.url), checked_key(profile.key), name)


def _at(url: str, key: str | None, profiles: Profiles, *, keyless: bool) -> Access:
    if key is not None:
        return Access(url, checked_key(key), profiles.at(url, key))
    name = profiles.at(url)
    if name is not None:
        return Access(url, checked_key(profiles.get(name).key), name)
    if not keyless:
        raise Trouble("not-logged-in", f"you are not logged in at {url}", f"log in with `splito-bot login {url}`")
    return Access(url, None, None)
