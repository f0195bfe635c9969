"""`splito openapi`: the OpenAPI documents of the installed version."""

import sys
from typing import Literal

from splito_cli.arguments import Json
from splito_engine.registry import games

EXAMPLES = (
    "splito openapi > service.yaml",
    "splito openapi bot > bot.yaml",
    "splito openapi service --json | jq .info.version",
)


def print_contract(document: Literal["service", "bot"] = "service", /, *, json: Json = False) -> None:
    """Print the OpenAPI document of the service, or of a bot.

    The documents describe the games that are installed, in YAML or JSON. A running service has the same document at
    `/openapi.json` and `/openapi.yaml`.

    Parameters
    ----------
    document
        `service` for the HTTP API of the service, `bot` for the HTTP API of a bot.
    """
    from splito_service.http.app import ENDPOINTS  # noqa: PLC0415 (it takes seconds)
    from splito_service.http.contract.document import bot_contract, contract  # noqa: PLC0415
    from splito_service.http.contract.write import as_json, as_yaml  # noqa: PLC0415

    made = contract(_games(), ENDPOINTS) if document == "service" else bot_contract(_games())
    sys.stdout.write((as_json if json else as_yaml)(made).decode())


def _games() -> list[str]:
    """Return the ids of the installed games, the built-in ones first."""
    from splito_service.http.contract.document import HOUSE  # noqa: PLC0415 (as above)

    found = games()
    return [*(name for name in HOUSE if name in found), *(name for name in found if name not in HOUSE)]
