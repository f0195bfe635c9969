"""Files of asks, one line of JSON each: `splito match --log` writes them, `splito bot resend --from` reads them."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self, TextIO

import msgspec

from splito_arena.bots.ask_log import LoggedAsk, logged
from splito_arena.bots.fault_log import BotFault
from splito_arena.match.seat import Exchange
from splito_engine.errors import BadOption


class AskFiles:
    """A folder with one file per bot. A file is replaced when its bot is first asked."""

    def __init__(self, folder: Path | None, game: str) -> None:
        self.wanted = folder is not None
        self._folder, self._game = folder or Path(), game
        self._files: dict[str, TextIO] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def write(self, bot: str, exchange: Exchange) -> None:
        line = msgspec.json.encode(logged(bot, self._game, exchange)).decode()
        self._file(re.sub(r"[^\w.#-]+", "_", bot)).write(line + "\n")

    def _file(self, name: str) -> TextIO:
        if name not in self._files:
            path = self._folder / f"{name}.jsonl"
            self._files[name] = self._open.enter_context(path.open("w", encoding="utf-8"))
        return self._files[name]


def find_ask(file: Path, ask: str) -> LoggedAsk:
    """Return the last ask of that id, because only the last one counted if the bot was asked twice."""
    found = [one for one in _read(file) if one.id == ask]
    if not found:
        raise BadOption(f"{file} has no ask {ask!r}: the `id` is the first field of each line", field="ask")
    return found[-1]


def read_fault(file: Path) -> BotFault:
    """Return the fault in a file of its own. Raise `BadOption` if it has none."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=BotFault)
    except (OSError, msgspec.DecodeError) as error:
        raise BadOption(f"{file} is no fault, as `--save-faults` writes them: {error}", field="ask") from None


def _read(file: Path) -> Iterator[LoggedAsk]:
    try:
        with file.open("rb") as lines:
            yield from map(msgspec.json.Decoder(LoggedAsk).decode, lines)
    except (OSError, msgspec.DecodeError) as error:
        raise BadOption(
            f"{file} is no file of asks, as `splito match --log` writes them: {error}", field="from"
        ) from None
