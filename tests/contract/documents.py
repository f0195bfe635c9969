"""The contracts of the service and of a bot, made once per test process: making one takes half a second."""

from functools import cache

from splito_service.http.app import ENDPOINTS
from splito_service.http.contract.document import HOUSE, bot_contract, contract
from tests.contract.reader import Document


@cache
def service_document() -> Document:
    """Return the contract of the service with the games of the house."""
    return Document(contract(HOUSE, ENDPOINTS))


@cache
def bot_document() -> Document:
    """Return the contract of a bot for the games of the house."""
    return Document(bot_contract(HOUSE))
