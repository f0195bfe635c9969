"""Messages on stderr and stop signals, for `serve` and `connect`."""

import asyncio
import signal
import sys
import traceback
from contextlib import suppress

GRACE = 5.0
"""Seconds for answers that are not finished when the program stops."""


def say(text: str) -> None:
    """Print a line on stderr, for the person who runs the bot."""
    sys.stderr.write(f"splito-bot: {text}\n")
    sys.stderr.flush()


def say_traceback(text: str, error: BaseException) -> None:
    say(text + "\n" + "".join(traceback.format_exception(error)).rstrip())


def stop_at_signals() -> asyncio.Event:
    """Return an event that Ctrl-C and SIGTERM set. Event loops that cannot handle signals leave them to Python."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    return stop
