"""Keys of the terminal, read without Enter and without blocking the program."""

import os
import re
import select
import sys
import termios
import tty
from typing import Self

MOST_BYTES = 64  # bytes of one read; a fast typist or a slow program puts several keys into it
KEY = re.compile(rb"\x1b\[[0-9;]*[A-Za-z~]|[\x80-\xff]+|.", re.DOTALL)
NAMES = {b"\x1b[A": "up", b"\x1b[B": "down", b"\t": "next", b"\x03": "q", b"\x04": "q"}
"""Names of keys that do not send one letter. Ctrl-C and Ctrl-D quit."""


class Keys:
    """The keys that a person types. While it is entered, the terminal sends each key at once, and does not show it."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._typed: list[str] = []

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._descriptor)
        tty.setcbreak(self._descriptor)
        return self

    def __exit__(self, *_error: object) -> None:
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def next(self, seconds: float) -> str | None:
        """Return the name of the next key; None if none comes in that time. A closed terminal counts as q."""
        if not self._typed and select.select([self._descriptor], [], [], seconds)[0]:
            self._typed = names(os.read(self._descriptor, MOST_BYTES))
        return self._typed.pop(0) if self._typed else None


def names(sent: bytes) -> list[str]:
    """Return the names of the keys in what a terminal has sent; nothing is the end of the terminal."""
    if not sent:
        return ["q"]
    found: list[bytes] = KEY.findall(sent)
    return [NAMES.get(key, key.decode("utf-8", "replace")) for key in found]
