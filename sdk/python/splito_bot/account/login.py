"""`login`, `logout`, `whoami` and `profiles`: a person gets a key, keeps it, and sees whose it is."""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from splito_bot.account.access import KEY, OLD_KEY, Access, Given, checked_key, find_access
from splito_bot.account.address import read_address
from splito_bot.account.page import Outcome, Page, Table
from splito_bot.account.profiles import DEFAULT, Profile, Profiles
from splito_bot.account.session import Session, path_of
from splito_bot.account.trouble import Trouble
from splito_bot.schemas.bots import NewOwner, OwnAccount, OwnerCreated

STDIN = "-"
"""Word for a key that is read from the standard input."""


class Desk(NamedTuple):
    """The person at the keyboard: functions that ask for a line, and for a secret without showing it."""

    is_there: bool
    """False in a pipe, where questions have no answer."""
    ask: Callable[[str], str]
    ask_secret: Callable[[str], str]
    read_all: Callable[[], str]


class You(msgspec.Struct, frozen=True, kw_only=True):
    """The owner of a key, as `login` and `whoami` print it in JSON. It has no key."""

    profile: str | None
    url: str
    owner: str
    name: str
    key: str
    """Id of the key, which is no secret."""
    scopes: list[str]
    banned: str | None
    file: str | None


class Listed(msgspec.Struct, frozen=True):
    """A profile in the list of profiles."""

    profile: str
    url: str
    name: str
    default: bool


def login(  # noqa: PLR0913 (the options of the command)
    url: str,
    *,
    name: str | None,
    key: str | None,
    profile: str | None,
    desk: Desk,
    environ: Mapping[str, str] = os.environ,
) -> Outcome:
    """Make an owner at the service or take an existing key, verify it, and keep it in a profile."""
    url, profiles = read_address(url), Profiles.of_user(environ)
    chosen = profile or DEFAULT
    _check_free(profiles, chosen)
    if name is not None and key is not None:
        raise Trouble("usage", "--name makes a new owner, and --key is of one that exists", "give one of them")
    name, key = (name, None) if name is not None else _name_or_key(key, desk, environ)
    if key is None:
        made = _create_owner(url, name or "", profiles)
        key = made.key
    with Session(Access(url, key, None), profiles) as session:
        you = session.account()
    profiles.put(chosen, Profile(url, you.id, you.name, key))
    return _told(f"Logged in at {url} as {you.name}.", you, Access(url, key, chosen), profiles)


def whoami(given: Given, environ: Mapping[str, str] = os.environ) -> Outcome:
    """Return whose key the commands use, and which scopes it has."""
    profiles = Profiles.of_user(environ)
    access = find_access(given, environ, profiles)
    with Session(access, profiles) as session:
        you = session.account()
    return _told(f"{you.name} at {access.url}", you, access, profiles)


def logout(profile: str | None, *, sure: bool, desk: Desk, environ: Mapping[str, str] = os.environ) -> Outcome:
    """Remove a profile with its key. Only its owner has the key, so the person is asked before."""
    profiles = Profiles.of_user(environ)
    name = profile or profiles.default
    if name is None:
        raise Trouble("not-logged-in", "you are not logged in at any arena", "nothing is to be done")
    kept = profiles.get(name)
    file = profiles.file(name)
    warning = f"{file} has the key of {kept.owner_name}. No service shows it again."
    if not (sure or (desk.is_there and desk.ask(f"{warning} Remove it? Type yes: ").strip().lower() == "yes")):
        raise Trouble("usage", warning.rstrip("."), "keep a copy of the file if you need the key; then add --yes")
    profiles.remove(name)
    left = profiles.default
    after = f"the commands use the profile {left} now" if left else "log in again with `splito-bot login URL`"
    return Outcome({"profile": name, "removed": True}, Page(f"The profile {name} is removed.", next=after))


def list_profiles(choose: str | None, environ: Mapping[str, str] = os.environ) -> Outcome:
    """Return all profiles; `choose` makes one of them the default."""
    profiles = Profiles.of_user(environ)
    if choose is not None:
        profiles.choose(choose)
    default = profiles.default
    found = [(name, profiles.get(name)) for name in profiles.names]
    listed = [Listed(name, kept.url, kept.owner_name, name == default) for name, kept in found]
    rows = [(one.profile, one.url, one.name, "default" if one.default else "") for one in listed]
    advice = "`--profile NAME` or SPLITO_PROFILE chooses one, `splito-bot profiles --default NAME` for good"
    page = Page("", table=Table(("profile", "arena", "owner", ""), rows), next=advice)
    empty = Page("There is no profile.", next="log in with `splito-bot login URL`")
    return Outcome(listed, page if listed else empty)


def _check_free(profiles: Profiles, name: str) -> None:
    """Raise `Trouble` if the profile exists, because its key would be lost."""
    kept = profiles.find(name)
    if kept is not None:
        raise Trouble(
            "usage",
            f"the profile {name!r} is {kept.owner_name} at {kept.url}",
            "name another one with --profile, or remove this one with `splito-bot logout`",
        )


def _name_or_key(key: str | None, desk: Desk, environ: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the name of a new owner, or the key of an existing one: from the options, the environment or a person."""
    if key == STDIN:
        return None, checked_key(desk.read_all().strip())
    key = key or environ.get(KEY) or environ.get(OLD_KEY)
    if key:
        return None, checked_key(key)
    if not desk.is_there:
        raise Trouble(
            "usage", "there is neither a name nor a key", f"give --name for a new owner, or --key {STDIN} for a key"
        )
    if name := desk.ask("Your name at this arena (leave it empty if you have a key): ").strip():
        return name, None
    return None, checked_key(desk.ask_secret("Your key (it is not shown): ").strip())


def _create_owner(url: str, name: str, profiles: Profiles) -> OwnerCreated:
    with Session(Access(url, None, None), profiles) as session:
        return session.send("POST", path_of("owners"), OwnerCreated, NewOwner(name))


def _told(title: str, you: OwnAccount, access: Access, profiles: Profiles) -> Outcome:
    """Return the outcome of `login` and `whoami`."""
    name, file = access.profile, None
    facts = [("owner", f"{you.name} ({you.id})"), ("arena", access.url)]
    facts.append(("key", f"{you.key}, with the scopes {', '.join(you.scopes)}"))
    if name is not None:
        file = str(profiles.file(name))
        facts += [("profile", name + (" (default)" if name == profiles.default else "")), ("kept in", file)]
    after = "register a bot: `splito-bot register NAME --pull`, or --push URL"
    if you.banned is not None:
        facts.append(("banned", you.banned))
        after = "ask the organisers of the arena about the ban"
    data = You(
        profile=name,
        url=access.url,
        owner=you.id,
        name=you.name,
        key=you.key,
        scopes=[*you.scopes],
        banned=you.banned,
        file=file,
    )
    return Outcome(data, Page(title, facts, next=after))
