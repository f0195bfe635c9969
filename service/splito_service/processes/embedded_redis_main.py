"""Supervisor process of an embedded server: it starts the server, and stops it when the server has no users any more.

It is run by its path, in isolated mode, with the standard library alone: `python -IS embedded_redis_main.py FOLDER
ADDRESS BINARY LOCK`. Locks (flock) on files of the data folder decide which process may do what. The kernel releases
the locks of a process that ends, also of a killed one:

- `everysec.users` and `always.users`: every user of the server holds a shared lock on the file of its durability. When
  the supervisor gets both files exclusively, the server has no user left. The supervisor keeps both locks until the
  server is down, so that a new user waits for that.
- `server.lock`: the supervisor *and* the server hold it through one open file. It is free only when both have ended, so
  no two servers ever write to one folder.

If the supervisor is killed, Linux sends the server SIGTERM, and it shuts down cleanly. (Other systems have no such
signal: there the server runs on, and is shared, until it is stopped by hand.)
"""

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

EVERYSEC, ALWAYS, SERVER = "everysec.users", "always.users", "server.lock"
LOG = "server.log"
POLL = 0.1  # seconds between two looks for users
EAGER_POLL = 0.01  # seconds between two pings of a server that starts
STOP_LIMIT = 30.0  # seconds that a server has to shut down before it is killed

PR_SET_PDEATHSIG = 1  # option of Linux' `prctl` that sends a signal at the death of the parent
INNOCENT = (0, -signal.SIGTERM, -signal.SIGKILL, None)
"""Exit codes of a server that was stopped on purpose, after which another start may succeed."""


def open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def try_alone(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def ask(address: Path, command: str) -> str:
    """Return the first line of the reply; empty if no server answers."""
    with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
        line.settimeout(1)
        line.connect(str(address))
        line.sendall(command.encode() + b"\r\n")
        return line.makefile(encoding="utf-8", errors="replace").readline().strip()
    return ""


def supervise(folder: Path, address: Path, binary: str, lock: int) -> None:
    """Run the server until it ends or has no users.

    The standard output is closed once the server answers. If the server cannot start and another try would not help,
    the reason is written to the standard output before.
    """
    users = tuple(open_lock(folder / name) for name in (EVERYSEC, ALWAYS))
    server = _start(_command(folder, address, binary, users[1]), folder / LOG, lock)
    ready = False
    try:
        while server.poll() is None and not _unused(users):
            if not ready and ask(address, "PING") == "+PONG":
                ready = True
                _end_output(folder / LOG)
            time.sleep(POLL if ready else EAGER_POLL)
        if not ready and server.returncode not in INNOCENT:
            sys.stdout.write(f"the server did not start: its log {folder / LOG} ends with: {_last_lines(folder / LOG)}")
    finally:
        _stop(server)
        if not ready or _unused(users):
            _remove_folder_of(address)


def _command(folder: Path, address: Path, binary: str, always: int) -> list[str]:
    unwanted = try_alone(always)
    fcntl.flock(always, fcntl.LOCK_UN)
    options = {
        "port": ["0"],
        "unixsocket": [str(address)],
        "unixsocketperm": ["700"],
        "dir": [str(folder)],
        "daemonize": ["no"],
        "logfile": [""],  # the standard output, which also gets errors from before the log is opened
        "save": [""],
        "appendonly": ["yes"],
        "appendfsync": ["everysec" if unwanted else "always"],
        "no-appendfsync-on-rewrite": ["no"],
        "aof-use-rdb-preamble": ["yes"],
        "aof-load-truncated": ["yes"],  # because a power cut may cut off the last, unacknowledged write
        "maxmemory-policy": ["noeviction"],
        "shutdown-on-sigterm": ["now", "force"],
    }
    return [binary, *(word for name, values in options.items() for word in (f"--{name}", *values))]


def _start(command: Sequence[str], log: Path, lock: int) -> subprocess.Popen[bytes]:
    with suppress(FileNotFoundError):
        log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[lock],
            preexec_fn=_stop_with_parent(),  # noqa: PLW1509 (there is one thread here)
        )


def _stop_with_parent() -> Callable[[], None] | None:
    """Return a function that has the kernel send SIGTERM to the child when its parent ends; None if not on Linux.

    The signal is not SIGKILL, because the server must still write its data.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def in_child() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return in_child


def _unused(users: Iterable[int]) -> bool:
    """Return True if the server has no users; the locks then keep new users waiting."""
    if all(map(try_alone, users)):
        return True
    for lock in users:
        fcntl.flock(lock, fcntl.LOCK_UN)
    return False


def _end_output(log: Path) -> None:
    """Close the standard output, because the process that started this one waits for its end."""
    other = os.open(log, os.O_WRONLY | os.O_APPEND)
    for output in (sys.stdout, sys.stderr):
        os.dup2(other, output.fileno())


def _last_lines(log: Path, count: int = 5) -> str:
    return " | ".join(log.read_text("utf-8", errors="replace").splitlines()[-count:])


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _remove_folder_of(address: Path) -> None:
    with suppress(OSError):
        address.unlink(missing_ok=True)
        address.parent.rmdir()


def _leave(*_: object) -> None:
    """Exit through `SystemExit`, so that the server is stopped before."""
    raise SystemExit


def main() -> None:
    folder, address, binary, lock = sys.argv[1:]
    if os.fork():
        os._exit(
            0
        )  # the supervisor is no child of the process that started it, which therefore need not wait for its end
    signal.signal(signal.SIGTERM, _leave)
    os.umask(0o077)
    try:
        os.chdir(folder)
        supervise(Path(folder), Path(address), binary, int(lock))
    except OSError as error:
        sys.stdout.write(f"the server in {folder} cannot be started: {error}")


if __name__ == "__main__":
    main()
