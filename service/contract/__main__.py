"""Writes the committed contract: `make contract`."""

from pathlib import Path

from service.contract import HOUSE, contract
from service.contract.text import as_json, as_yaml

FOLDER = Path(__file__).parents[2] / "openapi"
FILES = {"service.json": as_json, "service.yaml": as_yaml}


def write() -> None:
    document = contract(HOUSE)
    FOLDER.mkdir(exist_ok=True)
    for name, text in FILES.items():
        (FOLDER / name).write_bytes(text(document))


if __name__ == "__main__":
    write()
