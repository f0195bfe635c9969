"""File of JSON lines that survives a crash: the first line has the settings, each further line one finished result.

The first line is written together with the file, and every other line as soon as it counts. A last line without an end
was being written when its run was killed, and is removed. One run at a time may write to a file.
"""

import os
import sys
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import msgspec

from splito_engine.errors import BadOption

HeadT = TypeVar("HeadT", bound=msgspec.Struct)
LineT = TypeVar("LineT", bound=msgspec.Struct)


class LineFile(Generic[HeadT, LineT]):
    """A file with a head and lines. Messages call its content `what`, and the option that names the file is `field`."""

    def __init__(self, path: Path, head: type[HeadT], line: Any, *, what: str, field: str) -> None:
        self.path, self._what, self._field = path, what, field
        self.head: HeadT | None = None
        self.lines: list[LineT] = []
        self._whole = 0
        self._file: IO[bytes] | None = None
        if (path.exists() and not path.is_file()) or not path.absolute().parent.is_dir():
            raise BadOption(f"{path} cannot be written: name a file in a folder that exists", field=field)
        if path.exists():
            self._read(path.read_bytes(), head, line)

    def begin(self, wanted: HeadT) -> None:
        """Open the file for the lines to come.

        Raise `BadOption` if it has other settings, or if another run writes to it.
        """
        for name in wanted.__struct_fields__ if self.head is not None else ():
            saved, asked = getattr(self.head, name), getattr(wanted, name)
            if saved != asked:
                raise BadOption(f"{self.path} is of {self._what} with {name} {saved}, not {asked}", field=self._field)
        if self.head is None:
            self._create(wanted)
        self._file = self.path.open("ab")
        if not _locked(self._file):
            self.close()
            raise BadOption(f"another run writes to {self.path}: wait for its end", field=self._field)
        self._file.truncate(self._whole)

    def add(self, line: LineT) -> None:
        """Write a line. It is with the operating system at the end of the call, so a killed run loses none."""
        if self._file is None:
            raise RuntimeError("the file is not open")
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def _create(self, head: HeadT) -> None:
        raw = msgspec.json.encode(head) + b"\n"
        write_whole(self.path, raw)
        self._whole = len(raw)

    def _read(self, raw: bytes, head: type[HeadT], line: Any) -> None:
        first, *others = raw.split(b"\n")[:-1] or [b""]
        self._whole = sum(len(one) + 1 for one in (first, *others))
        try:
            self.head = msgspec.json.decode(first, type=head)
            self.lines = [msgspec.json.decode(one, type=line) for one in others]
        except msgspec.MsgspecError as error:
            raise BadOption(f"{self.path} is no file of {self._what}: {error}", field=self._field) from None


def write_whole(path: Path, raw: bytes) -> None:
    """Write a file completely or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(raw)
    draft.replace(path)


def _locked(file: IO[bytes]) -> bool:
    """Return True if this process now holds the lock of the file; systems without such locks have none."""
    if sys.platform == "win32":
        return True
    import fcntl  # noqa: PLC0415 (Windows has none)

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
