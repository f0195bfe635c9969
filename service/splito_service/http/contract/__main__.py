"""Writes the committed contracts: `make contract`."""

from pathlib import Path

from splito_service.http.contract import HOUSE, bot_contract, contract
from splito_service.http.contract.write import as_json, as_yaml

FOLDER = Path(__file__).parents[4] / "openapi"
FORMS = {".json": as_json, ".yaml": as_yaml}
DOCUMENTS = {"service": contract, "bot": bot_contract}


def write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, made in DOCUMENTS.items():
        document = made(HOUSE)
        for form, text in FORMS.items():
            (FOLDER / (name + form)).write_bytes(text(document))


if __name__ == "__main__":
    write()
