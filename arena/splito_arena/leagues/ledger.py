"""Ledger of a league: the file in its folder with the settings, the versions, the plan of each wave, and all blocks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from splito_arena.blocks.ledger import BlockPlace, Entry, VersionId, block_id, block_place, without_turns
from splito_arena.leagues.plan import Table
from splito_arena.line_file import LineFile
from splito_arena.match.seat import Clock

LEDGER = "league.jsonl"
FORMAT = 1


class LeagueSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: what all blocks of the league have in common."""

    format: int = FORMAT
    game: str
    rules: str
    """Version of the rules."""
    players: int
    seed: str
    options: dict[str, Any]
    clock: Clock
    strikes: int


class Entered(msgspec.Struct, frozen=True, tag="entered"):
    """A version that plays for the first time, and the hash of its code."""

    version: VersionId
    code: str


class Wave(msgspec.Struct, frozen=True, tag="wave"):
    """The plan of a wave, written before its first block, so that a killed run goes on with the same tables."""

    number: int
    tables: tuple[Table, ...]


class Block(msgspec.Struct, frozen=True, tag="block"):
    """A finished block, without the turns of its games."""

    entry: Entry


Line: TypeAlias = Entered | Wave | Block


class Ledger:
    """The ledger of one league. Only the process that has opened it writes."""

    def __init__(self, folder: Path) -> None:
        self._file: LineFile[LeagueSettings, Any] = LineFile(
            folder / LEDGER, LeagueSettings, Line, what="a league", field="folder"
        )
        self.entries: list[Entry] = []
        self.codes: dict[VersionId, str] = {}
        self.wave: Wave | None = None
        """The last planned wave."""
        for line in self._file.lines:
            self._take(line)

    @property
    def settings(self) -> LeagueSettings | None:
        """Return the settings of the file; None if it is new."""
        return self._file.head

    def begin(self, settings: LeagueSettings) -> None:
        self._file.begin(settings)

    def close(self) -> None:
        self._file.close()

    def enter(self, version: VersionId, code: str) -> None:
        if version not in self.codes:
            self._write(Entered(version, code))

    def plan(self, tables: Sequence[Table]) -> None:
        """Begin the next wave with these tables."""
        self._write(Wave(self.waves, tuple(tables)))

    def add(self, entry: Entry) -> None:
        self._write(Block(without_turns(entry)))

    @property
    def waves(self) -> int:
        """Return the number of waves that were planned."""
        return 0 if self.wave is None else self.wave.number + 1

    def open_tables(self) -> list[tuple[str, Table]]:
        """Return the tables of the last wave that have not been played, with the ids of their blocks."""
        wave = self.wave
        if wave is None:
            return []
        done = {place.table for place in self._places() if place.round == wave.number}
        return [
            (block_id(BlockPlace(wave.number, 0, number)), table)
            for number, table in enumerate(wave.tables)
            if number not in done
        ]

    def _places(self) -> list[BlockPlace]:
        return [block_place(entry.block) for entry in self.entries]

    def _write(self, line: Line) -> None:
        self._file.add(line)
        self._take(line)

    def _take(self, line: Line) -> None:
        match line:
            case Entered(version, code):
                self.codes[version] = code
            case Wave():
                self.wave = line
            case Block(entry):
                self.entries.append(entry)
