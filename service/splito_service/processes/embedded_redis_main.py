"""Supervisor process of an embedded server: it starts the server, and stops it when it has no users any more.

It is run by path, isolated, with nothing but the standard library: `python -IS supervisor.py FOLDER ADDRESS BINARY
LOCK`. Who may do what is decided by locks (flock) on files of the data folder. The kernel gives them back when a
process ends, however it ends:

- `everysec.users` and `always.users` are held, shared, by every user of the server, by the durability wanted. When the
  supervisor gets both for itself alone, there is no user left. It keeps them until the server is down, so that a new
  user waits for that.
- `server.lock` is held by the supervisor *and* by the server itself, from one open file. It is free only when both are
  gone: there are never two servers that write to one folder.

If the supervisor is killed, Linux tells the server to stop; it does so cleanly. (Other systems have no such message:
there the server would go on, and be shared, until it is stopped by hand.)
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
POLL = 0.1
EAGER_POLL = 0.01
STOP_LIMIT = 30.0
"""Seconds: how often to look for users, how often to ask a server that starts, how long one may take to stop."""

PR_SET_PDEATHSIG = 1
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
    """Run until the server dies or has no users. The standard output ends once it answers; before, it gets what is
    wrong, if trying again would not help.
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
            sys.stdout.write(f"the server did not start; {folder / LOG} ends with: {_last_lines(folder / LOG)}")
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
        "logfile": [""],  # that is the standard output, which also gets what is wrong before there is a log
        "save": [""],
        "appendonly": ["yes"],
        "appendfsync": ["everysec" if unwanted else "always"],
        "no-appendfsync-on-rewrite": ["no"],
        "aof-use-rdb-preamble": ["yes"],
        "aof-load-truncated": ["yes"],  # a power cut may cut off the last, unacknowledged write
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
    """SIGTERM and not SIGKILL, so that the server still writes what it has to."""
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def in_child() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return in_child


def _unused(users: Iterable[int]) -> bool:
    """Return True if the server has no users; then no process can begin to use it either."""
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
    """In good order, that is: with the server stopped."""
    raise SystemExit


def main() -> None:
    folder, address, binary, lock = sys.argv[1:]
    if os.fork():
        os._exit(0)  # the supervisor is nobody's child: whoever started it need not bury it
    signal.signal(signal.SIGTERM, _leave)
    os.umask(0o077)
    try:
        os.chdir(folder)
        supervise(Path(folder), Path(address), binary, int(lock))
    except OSError as error:
        sys.stdout.write(f"the server cannot be started: {error}")


if __name__ == "__main__":
    main()
