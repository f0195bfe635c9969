"""Services of the routes of owners and keys."""

import msgspec

from splito_service.owners.keys import Keys
from splito_service.owners.store import Owners
from splito_service.retention.removal import Removal
from splito_service.signing import Signer


class OwnerServices(msgspec.Struct, frozen=True):
    """The stores of owners and keys, the arena's signing key, and the removal of an owner."""

    store: Owners
    keys: Keys
    signer: Signer
    removal: Removal
