"""What `serve` and `connect` have in common: what they say, and when they stop."""

import asyncio
import signal
import sys
import traceback
from contextlib import suppress

GRACE = 5.0
"""Seconds that a bot gets for what it is at when it is told to stop."""


def say(text: str) -> None:
    """To whoever runs the bot."""
    sys.stderr.write(f"splito-bot: {text}\n")
    sys.stderr.flush()


def say_traceback(text: str, error: BaseException) -> None:
    say(text + "\n" + "".join(traceback.format_exception(error)).rstrip())


def stop_at_signals() -> asyncio.Event:
    """Set by Ctrl-C and SIGTERM. Where a loop cannot wait for signals, they do what Python does with them."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    return stop
