"""Packages of house bots in folders of their own, so that processes can have different versions of the same bot."""

import os
from importlib.metadata import entry_points
from pathlib import Path

from splito_arena.bots.find import GROUP

FIRST_MOVE = "def choose(ask):\n    return ask.moves[0]\n"
FAILS = "def choose(ask):\n    raise RuntimeError('this version must not be asked')\n"


def package(folder: Path, version: str, source: str, *, bot: str = "chooser") -> dict[str, str]:
    """Return the environment of a process that has a package of that version with one bot."""
    folder.mkdir(parents=True)
    (folder / f"{bot}_bot.py").write_text(source)
    return distribution(folder, f"{bot}-bot", version, {GROUP: {bot: f"{bot}_bot:choose"}})


def upgraded(folder: Path, version: str) -> dict[str, str]:
    """Return the environment of a process in which our own package has that version."""
    groups = (GROUP, "splito.games")
    entries = {
        group: {one.name: one.value for one in entry_points(group=group) if is_ours(one.dist)} for group in groups
    }
    folder.mkdir(parents=True)
    return distribution(folder, "splito-arena", version, entries)


def is_ours(found: object) -> bool:
    return getattr(found, "name", None) == "splito-arena"


def distribution(folder: Path, name: str, version: str, entries: dict[str, dict[str, str]]) -> dict[str, str]:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line for group, names in entries.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in names.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))}
