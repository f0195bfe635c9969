"""The counts of a connected bot, shown as a live line on a terminal and as plain lines in a pipe."""

import asyncio
import shutil
import sys
import threading

from splito_bot.running.console import say, show_live

TICK = 1.0
"""Seconds between two updates of the live line."""
MINUTE = 60.0
"""Seconds between two plain lines, if the counts have changed."""


class Tally:
    """The asks of games and what became of them, since the program began. Asks of checks are not counted."""

    def __init__(self) -> None:
        self.asks = self.answered = self.faults = 0
        self.ratings: list[str] = []
        """Texts of the bot's ratings, as the arena last told them."""
        self.returned = threading.Event()
        """Set when the service answers again after it was away."""

    def __str__(self) -> str:
        """Return the counts as the live line shows them."""
        return f"{self.asks} asks, {self.answered} answered, {self.faults} faults" + "".join(
            f" · {rating}" for rating in self.ratings
        )

    def count(self, *, answered: bool) -> None:
        """Count an ask whose answer was accepted, or that got none."""
        self.answered += answered
        self.faults += not answered

    def back(self) -> None:
        self.returned.set()

    async def show(self) -> None:
        """Show the counts until cancelled."""
        if sys.stderr.isatty():
            while True:
                show_live(str(self)[: shutil.get_terminal_size().columns - 1])
                await asyncio.sleep(TICK)
        shown = str(self)
        while True:
            await asyncio.sleep(MINUTE)
            if str(self) != shown:
                shown = str(self)
                say(shown)

    def hide(self) -> None:
        """Remove the live line."""
        if sys.stderr.isatty():
            show_live("")
