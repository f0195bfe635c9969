"""One process of a local bot, and the arena's end of its socket."""

import asyncio
import os
import pickle
import socket
import subprocess
import sys
from contextlib import ExitStack

import msgspec

from splito_arena.bots import subprocess_main
from splito_arena.bots.subprocess_main import ANYWHERE, STACK, Said

START_LIMIT = 60.0
"""Seconds for Python to start and import our code, which is not a bot's fault."""
LOAD_LIMIT = 30.0
"""Seconds to import a bot, which is not thinking time."""
STDERR = 2  # its file descriptor, for what is printed before the process has begun
STACK_LIMIT = 0.5
"""Seconds to learn where a function hangs, before its process is killed."""

GONE = (OSError, EOFError, msgspec.DecodeError)
"""Errors that show that a process has ended, or sends messages that cannot be read."""


class NoProcess(Exception):
    """An error of the arena: a process could not be started."""


class Worker:
    """A process and the arena's end of its socket."""

    def __init__(self, anywhere: bool, *, quiet: bool = False) -> None:
        self._ready, self._anywhere = False, anywhere
        self._met: dict[str, Said] = {}
        self.line, theirs = socket.socketpair()
        self.line.setblocking(False)
        with ExitStack() as unless_started, theirs:
            unless_started.callback(self.line.close)
            self.process = _start(theirs, anywhere, quiet)
            unless_started.pop_all()

    async def started(self) -> None:
        if self._ready:
            return
        try:
            async with asyncio.timeout(START_LIMIT):
                self._ready = (await self._hear()).is_ready
        except TimeoutError:
            raise NoProcess(f"its process did not start within {START_LIMIT:g} s") from None
        except GONE as error:
            raise NoProcess(f"its process did not start: {error}") from None

    async def meet(self, bot: str, game: str) -> Said:
        """Import the bot in the process, once. Return a reply that is ready, with the bot's info; else the fault."""
        if bot in self._met:
            return self._met[bot]
        try:
            async with asyncio.timeout(LOAD_LIMIT):
                said = await self.ask(pickle.dumps((bot, game, None)))
        except TimeoutError:
            raise TimeoutError(f"it could not be imported within {LOAD_LIMIT:g} s") from None
        if said.is_ready:
            self._met[bot] = said
        return said

    async def stack(self) -> str:
        """Return where the author's function is now; empty if the process does not tell in time."""
        if not self._anywhere:
            return ""
        try:
            async with asyncio.timeout(STACK_LIMIT):
                return (await self.ask(STACK)).traceback
        except (TimeoutError, *GONE):
            return ""

    async def ask(self, asked: bytes) -> Said:
        await asyncio.get_running_loop().sock_sendall(self.line, asked)
        return await self._hear()

    async def _hear(self) -> Said:
        heard = b""
        while not heard.endswith(b"\n"):
            part = await asyncio.get_running_loop().sock_recv(self.line, 4096)
            if not part:
                raise EOFError("its process ended")
            heard += part
        return msgspec.json.decode(heard, type=Said)


def _start(line: socket.socket, anywhere: bool, quiet: bool) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", "-m", subprocess_main.__name__, *([ANYWHERE] if anywhere else [])]
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} if anywhere else {}
    out, err = (subprocess.DEVNULL, subprocess.DEVNULL) if quiet else (STDERR, None)
    env = {**os.environ, **path}
    try:
        return subprocess.Popen(command, stdin=line.fileno(), stdout=out, stderr=err, start_new_session=True, env=env)
    except OSError as error:
        raise NoProcess(str(error)) from error
