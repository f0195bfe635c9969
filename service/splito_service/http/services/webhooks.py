"""Services of the routes of webhooks."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import AnyReader
from splito_service.bots.registry import Registry
from splito_service.http.services.bots import BotServices
from splito_service.http.services.foundation import Foundation
from splito_service.owners.keys import Keys
from splito_service.signing import Signer
from splito_service.webhooks.delivery import Deliverer, Sender, delivering
from splito_service.webhooks.delivery_store import Deliveries
from splito_service.webhooks.proof import HookProver
from splito_service.webhooks.store import Hooks


class WebhookServices(msgspec.Struct, frozen=True):
    """The webhooks of owners, and the log of deliveries."""

    store: Hooks
    deliveries: Deliveries
    prover: HookProver
    registry: Registry
    """Registry that decides which addresses may be called."""
    keys: Keys


@asynccontextmanager
async def open_webhooks(
    base: Foundation, store: Hooks, signer: Signer, bots: BotServices
) -> AsyncGenerator[WebhookServices]:
    """Open the webhooks, and deliver waiting events."""
    deliveries = Deliveries(base.link)
    async with Caller(reader=AnyReader) as caller:
        sender = Sender(signer, caller, base.settings.allow_private_bots, lookup=base.resolver)
        async with delivering(Deliverer(store, deliveries, sender)):
            prover = HookProver(store, sender)
            yield WebhookServices(store, deliveries, prover, bots.registry, bots.keys)
