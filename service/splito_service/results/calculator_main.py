"""The life of the process that computes results: one step after the other, as `results.calculator` asks for them.

    python -m splito_service.results.calculator_main

A step comes in as a pickle of a function and its arguments, on the socket that is the standard input; its result goes
back as a pickle. The process ends when the socket does, so it never outlives the process that started it.
"""

import ctypes
import os
import pickle
import signal
import socket
import struct
import sys
import traceback
from typing import Any

from splito_arena.bots.child_process import PR_SET_PDEATHSIG

NICE = 10
"""Amount by which the process lowers its priority, so that answers and moves come first."""
HEAD = struct.Struct(">Q")
"""Header of a result: its length in bytes."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(NICE)
    with socket.socket(fileno=os.dup(0)) as line, line.makefile("rb") as source:
        while True:
            try:
                function, arguments = pickle.load(source)  # noqa: S301 (from the process that started this one)
            except EOFError:
                return
            result = pickle.dumps(_run(function, arguments))
            line.sendall(HEAD.pack(len(result)) + result)


def _run(function: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Return True and the result, or False and the traceback."""
    try:
        return True, function(*arguments)
    except Exception:  # noqa: BLE001 (the service logs it)
        return False, traceback.format_exc()


if __name__ == "__main__":
    main()
