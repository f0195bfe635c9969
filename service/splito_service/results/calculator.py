"""Calculator of results: a process of low priority, so that the event loop and matches go on during a computation."""

import asyncio
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Self, TypeVar

from splito_service.results import calculator_main
from splito_service.results.calculator_main import HEAD

T = TypeVar("T")
PART = 1 << 20
"""Bytes of a result that are read at a time."""


class Failed(RuntimeError):
    """A step raised an exception, or its process ended; the message has the traceback."""


class Calculator:
    """Runs one step at a time. The process starts with the first step, and anew if it has ended."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._end()

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function of a module returns there. Raise `Failed`."""
        async with self._turn:
            try:
                done, result = await self._ask(pickle.dumps((function, arguments)))
            except (OSError, EOFError) as error:
                self._end()
                raise Failed(f"the process that computes results has ended: {error}") from error
            except BaseException:  # the caller has left, and the result would be taken for that of the next step
                self._end()
                raise
        if not done:
            raise Failed(result)
        return result

    async def _ask(self, step: bytes) -> tuple[bool, Any]:
        loop, line = asyncio.get_running_loop(), self._line or self._start()
        await loop.sock_sendall(line, step)
        (length,) = HEAD.unpack(await _read(line, HEAD.size))
        return pickle.loads(await _read(line, length))  # noqa: S301 (from a process of ours)

    def _start(self) -> socket.socket:
        self._line, theirs = socket.socketpair()
        self._line.setblocking(False)
        with theirs:
            command = [sys.executable, "-P", "-m", calculator_main.__name__]
            self._process = subprocess.Popen(command, stdin=theirs.fileno(), start_new_session=True, env=os.environ)
        return self._line

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._line is not None:
            self._line.close()
            self._line = None


async def _read(line: socket.socket, length: int) -> bytes:
    loop, read = asyncio.get_running_loop(), bytearray()
    while len(read) < length:
        part = await loop.sock_recv(line, min(PART, length - len(read)))
        if not part:
            raise EOFError("its socket was closed")
        read += part
    return bytes(read)
