"""Setup of a process in which bots play, on behalf of the process that started it."""

import ctypes
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

PR_SET_PDEATHSIG = 1
"""Number of a Linux `prctl` option.

`splito_service.processes.embedded_redis_main` repeats it, because it can import none of our modules.
"""


@contextmanager
def starting_children() -> Generator[None]:
    """Let processes that are started in this context hear no Ctrl-C, not even before `become_child`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def become_child() -> None:
    """End with the process that started this one, leave Ctrl-C to it, and keep its standard output free.

    What a bot prints goes to standard error, because the output of the program may be JSON. Each line goes there at
    once, because the process may be killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.dup2(2, 1)
    output: Any = sys.stdout
    if hasattr(output, "reconfigure"):  # not if a program has replaced it
        output.reconfigure(line_buffering=True)
