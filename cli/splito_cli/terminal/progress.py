"""Progress of a long run: a bar on a terminal, and lines on standard error in a pipe."""

import sys
from collections.abc import Callable
from typing import Self

from rich.progress import Progress, TextColumn

from splito_cli.terminal.screen import printable, progress_bar

FIRST_LINES, EVERY = (1, 10), 50
"""Numbers of blocks after which a line is printed in a pipe: these, and every fiftieth."""


class Shown:
    """The progress of a run. `line` returns what is known so far, in one line."""

    def __init__(self, noun: str, total: int, done: int, line: Callable[[], str]) -> None:
        self._bar: Progress = progress_bar(noun, TextColumn("{task.description}"))
        self._is_terminal = self._bar.console.is_terminal
        self._task = self._bar.add_task("", total=total, completed=done)
        self._done, self._line = done, line

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self) -> None:
        self._done += 1
        if self._is_terminal:
            self._bar.update(self._task, advance=1, description=printable(self._line()))
        elif self._done in FIRST_LINES or self._done % EVERY == 0:
            sys.stderr.write(self._line() + "\n")
            sys.stderr.flush()
