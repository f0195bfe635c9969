"""File of `splito experiment --save`: the settings of an experiment and its finished blocks, one line of JSON each."""

from pathlib import Path
from typing import IO, Any

import msgspec

from splito_arena.blocks.ledger import without_turns
from splito_arena.blocks.play import BlockPlayed
from splito_arena.experiments.blocks import Measure
from splito_arena.experiments.sequential_test import Design
from splito_arena.experiments.tables import Comparison
from splito_arena.match.seat import Clock
from splito_cli.record_files import check_place
from splito_engine.errors import BadOption
from splito_engine.registry import find_game

FORMAT = 1


class SavedSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of the file: everything that the blocks follow from."""

    format: int = FORMAT
    game: str
    rules: str
    """Version of the rules."""
    bots: tuple[str, ...]
    """NEW, OLD and the field, as named on the command line."""
    players: int
    seed: str
    design: Design
    measure: Measure
    options: dict[str, Any]
    clock: Clock
    strikes: int


class ExperimentFile:
    """The file of one experiment. Each block is written as soon as it counts, so an interrupted run loses none."""

    def __init__(self, path: Path) -> None:
        check_place(path, "save")
        self.path = path
        self.finished: list[BlockPlayed] = []
        self._settings: SavedSettings | None = None
        self._whole = 0
        self._file: IO[bytes] | None = None
        if path.exists():
            self._read(path.read_bytes())

    @property
    def seed(self) -> str | None:
        """Return the seed of the experiment in the file; None if the file is new."""
        return self._settings and self._settings.seed

    def begin(self, comparison: Comparison) -> None:
        """Open the file for the blocks to come. Raise `BadOption` if it holds an experiment with other settings."""
        wanted = _settings_of(comparison)
        for name in SavedSettings.__struct_fields__ if self._settings else ():
            saved, asked = getattr(self._settings, name), getattr(wanted, name)
            if saved != asked:
                raise BadOption(f"{self.path} is of an experiment with {name} {saved}, not {asked}", field="save")
        self._file = self.path.open("ab")
        self._file.truncate(self._whole)
        if self._settings is None:
            self._write(wanted)

    def add(self, played: BlockPlayed) -> None:
        """Write a block, without the turns of its games."""
        self._write(BlockPlayed(without_turns(played.entry), played.times))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, line: msgspec.Struct) -> None:
        if self._file is not None:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()

    def _read(self, raw: bytes) -> None:
        """Read all whole lines; a last line without an end was being written when its run was killed."""
        if not raw:
            return
        lines = raw.split(b"\n")[:-1]
        if not lines:
            raise BadOption(f"{self.path} is no saved experiment: its first line is not complete", field="save")
        self._whole = sum(len(line) + 1 for line in lines)
        try:
            self._settings = msgspec.json.decode(lines[0], type=SavedSettings)
            self.finished = [msgspec.json.decode(line, type=BlockPlayed) for line in lines[1:]]
        except msgspec.MsgspecError as error:
            raise BadOption(f"{self.path} is no saved experiment: {error}", field="save") from None


def _settings_of(comparison: Comparison) -> SavedSettings:
    return SavedSettings(
        game=comparison.game,
        rules=find_game(comparison.game).INFO.version,
        bots=comparison.bots,
        players=comparison.players,
        seed=comparison.seed,
        design=comparison.design,
        measure=comparison.measure,
        options=comparison.options,
        clock=comparison.play.clock,
        strikes=comparison.play.strikes,
    )
