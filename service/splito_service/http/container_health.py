"""Is this container well? For the health checks of `docker-compose.yml`; ends with 0 if it is, with 1 if not.

python -m splito_service.http.container_health http://127.0.0.1:8000      the service at that address is ready
python -m splito_service.http.container_health worker                     RQ knows a worker on this machine
"""

import os
import socket
import sys
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
from redis.exceptions import RedisError
from rq import Worker

from splito_service.settings import read_settings
from splito_service.storage.trouble import logged
from splito_service.workers.queue import SERIALIZER, connect

LIMIT = 3.0
"""Time limit of a health check in seconds."""
WORKER = "worker"


class _Problem(msgspec.Struct):
    detail: str


def main(what: str) -> str | None:
    """Return the trouble as a text; None if the container is healthy."""
    try:
        return _worker() if what == WORKER else _service(what)
    except RedisError as error:
        return f"{what}: {logged(error)}"
    except (OSError, HTTPException) as error:
        return f"{what}: {type(error).__name__}: {error}"


def _service(url: str) -> str | None:
    """Return the reason that the service gives if it is not ready."""
    try:
        with urlopen(f"{url}/health/ready", timeout=LIMIT) as answer:  # noqa: S310 (our own address)
            answer.read()
    except HTTPError as error:
        with error, suppress(msgspec.DecodeError, msgspec.ValidationError):
            return f"{url}: {msgspec.json.decode(error.read(), type=_Problem).detail}"
        return f"{url}: HTTP status {error.code}"
    return None


def _worker() -> str | None:
    """Return the trouble of the worker; None if RQ knows a live worker on this machine."""
    url = read_settings(os.environ).redis_url
    if url is None:
        return "worker: SPLITO_REDIS_URL is not set, so no Redis can be asked"
    connection = connect(url, socket_timeout=LIMIT, socket_connect_timeout=LIMIT)
    try:
        known: list[Any] = Worker.all(connection=connection, serializer=SERIALIZER)  # pyright: ignore[reportUnknownMemberType]
    finally:
        connection.close()
    here = socket.gethostname()
    return None if any(worker.hostname == here for worker in known) else f"worker: RQ knows none on {here}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
