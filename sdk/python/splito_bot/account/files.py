"""Files with secrets in the user's config folder: only their owner can read them, and unsafe ones are refused."""

import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from splito_bot.account.trouble import Trouble

FOLDER = "splito"
LARGEST = 65_536
"""Bytes of a file; those of this package have a few hundred."""
POSIX = os.name == "posix"


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of this program: in `XDG_CONFIG_HOME`, or where the platform keeps configuration."""
    chosen = environ.get("XDG_CONFIG_HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen) / FOLDER
    try:
        home = Path.home()
    except RuntimeError:
        raise Trouble("unwritable", "this user has no home folder", "set XDG_CONFIG_HOME to a folder") from None
    if not POSIX:
        return Path(environ.get("APPDATA") or home / "AppData/Roaming") / FOLDER
    return home / ("Library/Application Support" if sys.platform == "darwin" else ".config") / FOLDER


def write_file(file: Path, content: bytes, top: Path) -> None:
    """Write a file as a whole, readable for its owner alone; so are its folders up to `top`."""
    try:
        make_folder(file.parent, top)
        draft = file.with_name(f".{file.name}.{token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(content)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise Trouble("unwritable", f"{file} cannot be written: {error.strerror}", "correct that") from None


def make_folder(folder: Path, top: Path) -> None:
    """Make a folder below `top`, and `top` itself. Raise `Trouble` if other users can change one of them."""
    for one in reversed([folder, *(parent for parent in folder.parents if parent == top or top in parent.parents)]):
        one.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check(one, one.stat(), stat.S_IWGRP | stat.S_IWOTH, "changed")


def read_file(file: Path) -> bytes | None:
    """Return the content of a file; None if there is none. Raise `Trouble` if other users can read or change it."""
    try:
        opened = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        why = "it is a link" if file.is_symlink() else error.strerror
        raise Trouble("unreadable", f"{file} cannot be read: {why}", f"correct it, or remove {file}") from None
    with os.fdopen(opened, "rb") as found:
        about = os.fstat(opened)
        if not stat.S_ISREG(about.st_mode):
            raise Trouble("unreadable", f"{file} is not a plain file", f"remove {file}")
        _check(file, about, stat.S_IRWXG | stat.S_IRWXO, "read")
        content = found.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Trouble("unreadable", f"{file} is too large", f"remove {file}")
    return content


def remove_file(file: Path) -> None:
    with suppress(FileNotFoundError):
        file.unlink()


def _check(path: Path, about: os.stat_result, bits: int, deed: str) -> None:
    if not POSIX:
        return
    if about.st_uid != os.geteuid():
        raise Trouble("unsafe-file", f"{path} belongs to another user", "run the command as its owner, or remove it")
    if about.st_mode & bits:
        mode = 700 if stat.S_ISDIR(about.st_mode) else 600
        raise Trouble("unsafe-file", f"{path} can be {deed} by other users", f"chmod {mode} {path}")
