"""The server under test: the service, and the constants that it is compared with.

The constants are plain routes outside of `/v1`, without parameters, limits or calls of Redis. They are the strictest
comparison within the same framework and process.
"""

import os
import resource
import sys
import time
from pathlib import Path

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from splito_service.http.app import create_app
from splito_service.http.fast_path import FastPath
from splito_service.http.limits.admission import Admission
from splito_service.http.limits.connections import MOST, Capacity
from splito_service.settings import read_settings

JSON = "application/json"
STEP = 16
SIZES = range(STEP, 8192 + STEP, STEP)
"""Sizes of the constants in bytes."""


def create() -> ASGIApp:
    settings = read_settings(os.environ)
    app = create_app(settings)
    for size in SIZES:
        app.register(_constant(size))
    app.register(usage)
    capacity = Capacity(MOST, crowded=MOST, per_client=MOST)
    return Admission(app, FastPath(app), settings, capacity, lambda _: None)


def constant_path(size: int) -> str:
    """Return the path of the constant nearest to this size."""
    return f"/constant/{min(max(round(size / STEP), 1) * STEP, SIZES[-1])}"


def _constant(size: int) -> HTTPRouteHandler:
    body = b'{"x":"%b"}' % (b"x" * (size - 8))

    @get(f"/constant/{size}")
    async def constant() -> Response[bytes]:
        return Response(body, media_type=JSON)

    return constant


@get("/usage")
async def usage() -> dict[str, float]:
    """Return the seconds of CPU time that this process has used, and the bytes of its memory now."""
    return {"cpu": time.process_time(), "memory": _memory()}


def _memory() -> int:
    """Return the bytes of memory now, or at most so far if the system does not report the current value."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
