"""Faults of bots as their authors see them: the first of each kind on stderr, all of them in a folder."""

import re
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from cyclopts import Parameter

from splito_arena.bots.fault_log import BotFault, FaultLog
from splito_arena.bots.lineup import Company, is_foreign
from splito_arena.match.seat import Exchange
from splito_arena.match.terms import BotLog
from splito_cli.ask_files import AskFiles
from splito_cli.terminal.screen import printable

FaultFolder: TypeAlias = Annotated[
    Path | None,
    Parameter(help="A folder for the faults: one JSON file each, for `splito bot resend`."),
]
MOST_FILES = 500
"""Number of files that one run writes; later faults are counted only."""
SHOWN = 300
"""Characters of an answer on the screen; the file has all of it."""
SAVE_FIRST = "repeat the command with its --seed and --save-faults DIR; then `splito bot resend` asks the same"
MOST_SHOWN = 20
"""Number of faults that are shown, because a table may have many bots."""


class AskShort(msgspec.Struct):
    """The part of an ask that its short form shows."""

    players: int
    moves: list[msgspec.Raw]


class FaultReports:
    """Shows the first fault of each kind of each bot on stderr, and writes all to a folder if there is one."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._written = folder, 0
        self._seen = set[tuple[str, str]]()
        self._words: Mapping[str, str] = {}

    def seat(self, names: Iterable[str], words: Iterable[str]) -> None:
        """Learn the words of the command line by the names of the bots."""
        self._words = dict(zip(names, words, strict=True))

    def take(self, fault: BotFault) -> None:
        path = self._write(fault)
        kind = (fault.bot, fault.fault.code if fault.fault else "")
        if kind not in self._seen and len(self._seen) < MOST_SHOWN:
            self._seen.add(kind)
            word = self._words.get(fault.bot, fault.bot)
            sys.stderr.write("\n".join(map(printable, _lines(fault, word, path))) + "\n")
            sys.stderr.flush()

    def notes(self) -> list[str]:
        """Return the notes below the table of results."""
        if self._folder is None or not self._written:
            return []
        many = f"The first {MOST_FILES} faults" if self._written > MOST_FILES else "All faults shown and counted above"
        return [f"{many} are in {self._folder}; send one again: splito bot resend {self._folder}/FILE --to BOT"]

    def _write(self, fault: BotFault) -> Path | None:
        if self._folder is None:
            return None
        self._written += 1
        if self._written > MOST_FILES:
            return None
        path = self._folder / f"{re.sub(r'[^A-Za-z0-9_-]+', '_', fault.id)}.json"
        path.write_bytes(msgspec.json.format(msgspec.json.encode(fault)) + b"\n")
        return path


def _lines(fault: BotFault, word: str, path: Path | None) -> list[str]:
    """Return the lines about a fault: its kind, its ask, the traceback or the answer, and how to repeat it."""
    found = fault.fault
    head = f"splito: first fault of {fault.bot} of this kind: {found.code}, {found.detail}" if found else ""
    why = fault.traceback.split("\n") if fault.traceback else _answer(fault.response)
    if path is None:
        again = (
            "repeat the command with its --seed and with --save-faults faults, then `splito bot resend` sends this ask"
        )
    else:
        again = f"splito bot resend {path} --to {word}"
    return [head, f"  ask    {_short(fault)}", *(f"  {line}" for line in why), f"  again  {again}"]


def _short(fault: BotFault) -> str:
    short = f"{fault.id}: {fault.game}, turn {fault.turn}, seat {fault.seat}"
    try:
        asked = msgspec.json.decode(fault.request.encode(), type=AskShort)
    except msgspec.DecodeError:
        return short
    return f"{short} of {asked.players}, {len(asked.moves)} moves"


def _answer(response: str) -> list[str]:
    if not response:
        return []
    return [
        f"answer {response}" if len(response) <= SHOWN else f"answer {response[:SHOWN]}… ({len(response)} characters)"
    ]


class Logs(NamedTuple):
    """The logs of a run: files of asks, and reports of faults."""

    asks: AskFiles
    faults: FaultReports

    @contextmanager
    def opened(self, game: str, company: Company, words: Sequence[str]) -> Generator[BotLog | None]:
        """Yield the log of the exchanges with the company; None if there is no bot that may fail and no log."""
        self.faults.seat([player.name for player in company.players], words)
        if not self.asks.wanted and not any(map(is_foreign, words)):
            yield None
            return
        found = FaultLog(game, self.faults.take)

        def write(bot: str, exchange: Exchange) -> None:
            found.take(bot, exchange)
            if self.asks.wanted:
                self.asks.write(bot, exchange)

        try:
            yield write
        finally:
            found.close()
