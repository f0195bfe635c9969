"""Profiles: the arenas that a person has logged in at, each with its key and the secrets of its bots.

- `profiles/NAME/profile.json`: address, owner and key.
- `profiles/NAME/bots/ID.json`: a bot that was registered here, with the secret of a push bot.
- `default`: the name of the profile that commands use.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import msgspec

from splito_bot.account.address import same_address
from splito_bot.account.files import config_folder, read_file, remove_file, write_file
from splito_bot.account.trouble import Trouble

DEFAULT = "default"
"""Name of the first profile, unless its owner chooses one."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
BOT_ID = re.compile(r"[0-9a-v]{24}")
T = TypeVar("T")


class Profile(msgspec.Struct, frozen=True):
    """An owner at an arena."""

    url: str
    owner: str
    """Id of the owner."""
    owner_name: str
    key: str

    def __repr__(self) -> str:
        """Return a text without the key, because texts end in logs."""
        return f"Profile({self.owner_name!r} at {self.url!r})"


class SavedBot(msgspec.Struct, frozen=True):
    """A bot that was registered with this profile."""

    id: str
    name: str
    kind: Literal["pull", "push"]
    secret: str | None = None

    def __repr__(self) -> str:
        """Return a text without the secret."""
        return f"SavedBot({self.name!r}, {self.id!r})"


class Profiles:
    """The profiles in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> Self:
        return cls(config_folder(environ))

    @property
    def names(self) -> list[str]:
        """The names of all profiles, sorted."""
        return sorted(file.parent.name for file in (self.folder / "profiles").glob("*/profile.json"))

    @property
    def default(self) -> str | None:
        """The name of the profile that commands use; None without any profile."""
        chosen = (read_file(self.folder / "default") or b"").decode("utf-8", "replace").strip()
        names = self.names
        return chosen if chosen in names else next(iter(names), None)

    def choose(self, name: str) -> None:
        """Make a profile the default."""
        self.get(name)
        write_file(self.folder / "default", f"{name}\n".encode(), self.folder)

    def file(self, name: str) -> Path:
        """Return the file of a profile. Raise `Trouble` if the name cannot be one."""
        if NAME.fullmatch(name) is None:
            raise Trouble(
                "bad-option", f"{name!r} is no name of a profile", "use letters, digits, `-`, `_` and `.`, at most 64"
            )
        return self.folder / "profiles" / name / "profile.json"

    def find(self, name: str) -> Profile | None:
        """Return a profile; None if there is none of this name."""
        return _read(self.file(name), Profile)

    def get(self, name: str) -> Profile:
        """Return a profile. Raise `Trouble` if there is none of this name."""
        found = self.find(name)
        if found is None:
            known = ", ".join(self.names)
            advice = f"choose one of yours: {known}" if known else "log in with `splito-bot login URL`"
            raise Trouble("unknown-profile", f"there is no profile {name!r}", advice)
        return found

    def at(self, url: str, key: str | None = None) -> str | None:
        """Return the name of a profile for this address (and key), the default one first; None if there is none."""
        names = sorted(self.names, key=lambda name: name != self.default)
        for name in names:
            profile = self.find(name)
            if profile and same_address(profile.url, url) and key in (None, profile.key):
                return name
        return None

    def put(self, name: str, profile: Profile) -> Path:
        """Store a profile and return its file. The first profile is the default one."""
        file, first = self.file(name), not self.names
        write_file(file, _encode(profile), self.folder)
        if first:
            self.choose(name)
        return file

    def remove(self, name: str) -> None:
        """Remove a profile, with the secrets of its bots."""
        file = self.file(name)
        for saved in (file.parent / "bots").glob("*.json"):
            remove_file(saved)
        remove_file(file)
        for folder in (file.parent / "bots", file.parent):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def bots(self, name: str) -> list[SavedBot]:
        """Return the bots that were registered with a profile."""
        files = sorted((self.file(name).parent / "bots").glob("*.json"))
        return [bot for file in files if (bot := _read(file, SavedBot)) is not None]

    def put_bot(self, name: str, bot: SavedBot) -> Path:
        """Store a bot and return its file."""
        write_file(file := self.bot_file(name, bot.id), _encode(bot), self.folder)
        return file

    def drop_bot(self, name: str, bot_id: str) -> None:
        remove_file(self.bot_file(name, bot_id))

    def bot_file(self, name: str, bot_id: str) -> Path:
        """Return the file of a bot. Raise `Trouble` if the service sent an id that is none."""
        if BOT_ID.fullmatch(bot_id) is None:
            raise Trouble("unreachable", "the service sent a malformed id of a bot", "check the address")
        return self.file(name).parent / "bots" / f"{bot_id}.json"


def _read(file: Path, kind: type[T]) -> T | None:
    content = read_file(file)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Trouble(
            "unreadable", f"{file} is damaged", "remove it; if it held a key, log in again with `splito-bot login`"
        ) from None


def _encode(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"
