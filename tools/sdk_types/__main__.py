"""Write the SDK's message types: `make contract`, or `python -m tools.sdk_types`."""

from pathlib import Path
from typing import Any

import yaml

from tools.sdk_types.document import Document, Underivable
from tools.sdk_types.python import modules

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sdk/python/splito_bot/schemas"


def read_document(folder: Path = ROOT / "openapi") -> Document:
    """Return the schemas of both documents. Raise `Underivable` if they disagree about a type."""
    bot, service = (schemas_in(folder / name) for name in ("bot.yaml", "service.yaml"))
    different = [name for name in bot if name in service and bot[name] != service[name]]
    if different:
        raise Underivable(f"bot.yaml and service.yaml differ in {', '.join(different)}: run `make contract`")
    return Document({**service, **bot})


def write() -> None:
    """Write all modules, and remove modules that are no longer generated."""
    texts = modules(read_document())
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.py"):
        if file.name not in texts:
            file.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, "utf-8")


def schemas_in(file: Path) -> dict[str, Any]:
    """Return the schemas of one document, by name."""
    return yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)["components"]["schemas"]


if __name__ == "__main__":
    write()
