"""Whether the process lives, and whether it can do its work: outside of `/v1`, without limits."""

from litestar import get
from litestar.types import ASGIApp

from splito_service.http.catalogue_schemas import Health
from splito_service.http.common import AnyRequest, json
from splito_service.http.context import context_of


@get("/health/live")
async def get_liveness() -> ASGIApp:
    return json(Health("live"))


@get("/health/ready")
async def get_readiness(request: AnyRequest) -> ASGIApp:
    """Raise `Unavailable` with the kind of trouble, which is the answer then."""
    await context_of(request).redis.check()
    return json(Health("ready"))
