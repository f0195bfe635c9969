"""Log of a running bot on stderr: a limited number of lines of each kind in a minute, and the number of the others.

Threads and event loops may share it. It prints the number of lines that it left out when their minute is over: before
the next line of that kind, and at each call of `summarise`.
"""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from splito_bot.running.console import say

MOST_LINES = 5
"""Lines of one kind that are printed within `SPAN`."""
SPAN = 60.0
"""Seconds in which lines of one kind are counted together."""
MOST_KINDS = 256
"""Kinds that are remembered; further kinds replace the oldest."""


class Count(NamedTuple):
    began: float
    """Time of the first line, in seconds of the clock."""
    lines: int


class LimitedLog:
    """The log of one bot."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, print_line: Callable[[str], None] = say) -> None:
        self._clock, self._print = clock, print_line
        self._lock = threading.Lock()
        self._counts: dict[str, Count] = {}
        self._known: dict[str, None] = {}

    def tell(self, kind: str, line: str, first: str = "") -> None:
        """Print the line unless there were many of its kind. `first` follows the first line of a kind in each span."""
        with self._lock:
            self._end(kind, self._clock())
            count = self._counts.setdefault(kind, Count(self._clock(), 0))
            _bound(self._counts)
            self._counts[kind] = count._replace(lines=count.lines + 1)
            if count.lines < MOST_LINES:
                self._print(line if count.lines else line + first)

    def is_new(self, kind: str) -> bool:
        """Return True at the first call with this kind."""
        with self._lock:
            is_new = kind not in self._known
            self._known[kind] = None
            _bound(self._known)
            return is_new

    def summarise(self, *, all_kinds: bool = False) -> None:
        """Print how many lines were left out in spans that are over; with `all_kinds`, in the current spans too."""
        with self._lock:
            now = self._clock() + (SPAN if all_kinds else 0.0)
            for kind in tuple(self._counts):
                self._end(kind, now)

    def _end(self, kind: str, now: float) -> None:
        """Forget the count of a kind if its span is over."""
        count = self._counts.get(kind)
        if count is None or now - count.began < SPAN:
            return
        del self._counts[kind]
        if count.lines > MOST_LINES:
            self._print(f"{count.lines - MOST_LINES} more times within {SPAN:.0f} s, not shown: {kind}")


def _bound(kinds: dict[str, Count] | dict[str, None]) -> None:
    while len(kinds) > MOST_KINDS:
        del kinds[next(iter(kinds))]
