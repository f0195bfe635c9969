"""Endpoints of the health of a server process: outside of `/v1`, without limits."""

from litestar.di import NamedDependency
from litestar.types import ASGIApp

from splito_service.http.access import everybody
from splito_service.http.catalogue_schemas import Health
from splito_service.http.common import json
from splito_service.http.endpoint import Endpoints
from splito_service.http.examples import catalogue as examples
from splito_service.storage.health import RedisHealth

ENDPOINTS = Endpoints("Health")


@ENDPOINTS.declare(
    "GET /health/live",
    id="getLiveness",
    summary="Is the process alive?",
    description="Whether this process answers at all. If it does not, it should be restarted.",
    answer=Health,
    access=everybody(),
    example=examples.get_liveness,
)
async def get_liveness() -> ASGIApp:
    return json(Health("live"))


@ENDPOINTS.declare(
    "GET /health/ready",
    id="getReadiness",
    summary="Is the process ready?",
    description="Whether this process can do its work: its Redis accepts writes, does not evict and is new enough."
    " If not, `detail` says what kind of trouble it is; the log says more, and what to do.",
    answer=Health,
    errors=("unavailable",),
    access=everybody(),
    example=examples.get_readiness,
)
async def get_readiness(services: NamedDependency[RedisHealth]) -> ASGIApp:
    """Raise `Unavailable` with the kind of trouble, which is the answer then."""
    await services.check()
    return json(Health("ready"))
