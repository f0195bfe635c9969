"""The limits of a client: requests and creations a minute, open streams, and seconds until a body has arrived."""

from typing import Any

import msgspec

from splito_service.http.limits.clients import CLIENT, LOCAL
from splito_service.http.limits.deadlines import Deadlines
from splito_service.http.limits.rates import Limits, Quota, spend_permit
from splito_service.http.limits.streams import Streams
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.webhooks.model import PROOFS

LIMITS = "splito.limits"
"""Key of a request's scope under which admission leaves the `ClientLimits` of the process."""
POLLING = 10
"""Factor by which the quota of polling bots is larger, because the arena decides how often they ask and answer."""


class ClientLimits(msgspec.Struct, frozen=True):
    """The limits of all clients of one server process."""

    permits: Limits
    requests: Quota
    asking: Quota
    """Quota of polling bots."""
    creations: Quota
    proofs: Quota
    """Challenges to webhooks: for one owner, and to one network."""
    streams: Streams
    bodies: Deadlines
    """Deadlines of requests whose body has not arrived yet."""


def client_limits(link: Link, settings: Settings) -> ClientLimits:
    """Return the limits that the settings ask for."""
    return ClientLimits(
        permits=Limits(link),
        requests=Quota("requests", settings.rate),
        asking=Quota("asks", POLLING * settings.rate),
        creations=Quota("creations", settings.create_rate),
        proofs=Quota("proofs", PROOFS if settings.create_rate else 0),
        streams=Streams(settings.streams),
        bodies=Deadlines(settings.body_seconds),
    )


def limits_of(scope: Any) -> ClientLimits:
    """Return the limits of the process that answers this request."""
    return scope[LIMITS]


def client_of(scope: Any) -> str:
    """Return the name of the client by which its limits are counted; `http.limits.admission` has found it."""
    return scope.get(CLIENT, LOCAL)


async def spend_creation(scope: Any) -> None:
    """Take one permit to create something. Raise `TooMany` if the client has none left."""
    limits = limits_of(scope)
    await spend_permit(scope, limits.permits, limits.creations, client_of(scope))


async def spend_proof(scope: Any, counted: str) -> None:
    """Take one permit to challenge a webhook, counted for an owner or a network. Raise `TooMany` if none is left."""
    limits = limits_of(scope)
    await spend_permit(scope, limits.permits, limits.proofs, counted)
