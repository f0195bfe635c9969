"""Write the committed contracts and the tables of the docs: `make contract`."""

from pathlib import Path

from splito_service.http.app import ENDPOINTS
from splito_service.http.contract.document import HOUSE, bot_contract, contract
from splito_service.http.contract.operations_page import write_tables
from splito_service.http.contract.write import as_yaml

FOLDER = Path(__file__).parents[4] / "openapi"


def write() -> None:
    """Write `openapi/service.yaml`, `openapi/bot.yaml` and the tables of operations in the docs."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "service.yaml").write_bytes(as_yaml(contract(HOUSE, ENDPOINTS)))
    (FOLDER / "bot.yaml").write_bytes(as_yaml(bot_contract(HOUSE)))
    write_tables(ENDPOINTS)


if __name__ == "__main__":
    write()
