"""The service on this machine: a socket, the processes that answer on it, and a Redis if none is named.

    with open_service(settings, "127.0.0.1", 8000) as service:
        if service.await_ready():
            service.run()

The process that runs this answers no requests itself, and no process outlives it (`splito_service.processes.group`). It
holds the socket, so no client is turned away while a server process (`splito_service.http.process`) is replaced.
"""

import http.client
import logging
import socket
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import msgspec

from splito_engine.errors import BadOption
from splito_service.errors import NoPort
from splito_service.processes.group import POLL, ProcessGroup, open_redis, stop_signals
from splito_service.redis_address import masked
from splito_service.settings import Settings, variable

ANSWER_LIMIT = 1.0
"""Time limit of a health request in seconds. Before the first process runs, no process answers."""
BACKLOG = 2048  # connections that wait at the socket until a server process accepts them
READY = 200  # HTTP status of a service that is ready
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (only if the operator chooses it)
"""Address by which this machine reaches the service if it listens on all addresses."""

log = logging.getLogger("splito.serve")


class Service:
    """The running service. Made by `open_service`; it runs until SIGTERM or Ctrl-C."""

    def __init__(
        self, address: tuple[str, int], redis_url: str, crews: Sequence[ProcessGroup], told: Callable[[], bool]
    ) -> None:
        self._address = address
        self._crews = crews
        self._told = told
        host, port = address
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self.redis_url = masked(redis_url)

    def await_ready(self) -> bool:
        """Wait until the service is ready. Return False if the program is told to stop before. Raise `NoWorker`."""
        reason = ""
        while not self._told():
            status, answer = self._health()
            if status == READY:
                return True
            if answer not in ("", reason):
                reason = answer
                log.warning("not ready yet: %s", reason)
            for crew in self._crews:
                crew.check_start()
            self._replace_dead()
        return False

    def run(self) -> None:
        while not self._told():
            self._replace_dead()

    def _replace_dead(self) -> None:
        for crew in self._crews:
            crew.replace_dead()
        time.sleep(POLL)

    def _health(self) -> tuple[int, str]:
        """Return the status of the health check, and the trouble."""
        host, port = self._address
        connection = http.client.HTTPConnection(host, port, timeout=ANSWER_LIMIT)
        try:
            connection.request("GET", "/health/ready")
            answer = connection.getresponse()
            return answer.status, msgspec.json.decode(answer.read()).get("detail", "")
        except (OSError, http.client.HTTPException, msgspec.DecodeError):
            return 0, ""
        finally:
            connection.close()


@contextmanager
def open_service(settings: Settings, host: str, port: int, workers: int = 1, play: int = 0) -> Generator[Service]:
    """Open the service at once, also when Redis does not answer; port 0 is any free port.

    `workers` processes answer requests, and `play` processes play tournaments like those of `splito worker`. Only for
    the main thread, where signals arrive. Raise `BadOption`, `NoPort` or `NoServer`.
    """
    if workers < 1:
        raise BadOption("at least 1 process must answer requests: use --workers 1 or more", field="workers")
    if play < 0:
        raise BadOption("the number of processes that play tournaments must be 0 or more", field="play")
    _warn(settings)
    with _listening(host, port) as listener, stop_signals() as told, open_redis(settings) as redis_url:
        number = listener.fileno()
        crews = [
            ProcessGroup(workers, ["splito_service.http.process", str(number)], redis_url, [number]),
            ProcessGroup(play, ["splito_service.workers.rq_process"], redis_url),
        ]
        try:
            address = ANYWHERE.get(host, host), listener.getsockname()[1]
            yield Service(address, redis_url, crews, told)
        finally:
            listener.close()
            for crew in crews:
                crew.stop()


def _warn(settings: Settings) -> None:
    """Log one line if the settings open the service to more than a public service should be."""
    if settings.dev:
        log.warning("development mode: %s; do not use it for a public service", ", ".join(_development(settings)))
    elif "*" in settings.organisers:
        log.warning(
            "%s=*: every owner may hold ranked tournaments and enter every bot that is open to organisers",
            variable("organisers"),
        )


def _development(settings: Settings) -> list[str]:
    """Return what development mode means, as far as no setting says otherwise."""
    allowed = {
        "every owner is an organiser": "*" in settings.organisers,
        "bots may have loopback and private addresses and any port": settings.allow_private_bots,
        f"health checks every {settings.health_seconds} s": settings.health_seconds > 0,
        "checks allow more time": True,
    }
    return [what for what, holds in allowed.items() if holds]


@contextmanager
def _listening(host: str, port: int) -> Generator[socket.socket]:
    """Yield a listening socket. A port on which another program listens is refused."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        try:
            listener.setsockopt(
                socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
            )  # allows a port with connections of a former process, but not a port that is in use
            listener.bind((host, port))
            listener.listen(BACKLOG)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise NoPort(f"cannot listen at {host}, port {port}: {reason}", field="port") from error
        listener.setblocking(False)
        yield listener
