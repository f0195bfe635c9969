"""Messages on stderr and stop signals, for `serve` and `connect`."""

import asyncio
import signal
import sys
from contextlib import suppress

GRACE = 5.0
"""Seconds for answers that are not finished when the program stops."""


_CLEAR = "\r\x1b[K"
_live = ""
"""The line that is shown below all others, on a terminal only."""


def say(text: str) -> None:
    """Print text on stderr, for the person who runs the bot. Control characters of senders are escaped."""
    clear = _CLEAR if _live else ""
    sys.stderr.write(f"{clear}splito-bot: {_visible(text)}\n{_live}")
    sys.stderr.flush()


def show_live(text: str) -> None:
    """Show a line below all others, in place of the one before; none if it is empty. It is for terminals only."""
    global _live  # noqa: PLW0603 (there is one terminal)
    if text != _live:
        _live = text
        sys.stderr.write(_CLEAR + text)
        sys.stderr.flush()


def _visible(text: str) -> str:
    """Return the text with everything that does not print escaped, except line breaks and tabs."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else letter.encode("unicode_escape").decode()
        for letter in text
    )


def stop_at_signals() -> asyncio.Event:
    """Return an event that Ctrl-C and SIGTERM set. Event loops that cannot handle signals leave them to Python."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    return stop
