"""The message types of the SDK are generated from the OpenAPI documents, and the committed files are up to date."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

import splito_bot.contract
import splito_bot.games.splitit
import splito_bot.games.splito
import splito_bot.games.splitter
import splito_bot.messages
from tools.sdk_types.__main__ import FOLDER, ROOT, read_document, schemas_in
from tools.sdk_types.document import Document, Underivable
from tools.sdk_types.python import modules

BOT, SERVICE = ROOT / "openapi/bot.yaml", ROOT / "openapi/service.yaml"
LARGEST = 300
"""Lines of a module."""


@pytest.fixture(scope="module")
def committed() -> dict[str, str]:
    """Texts of the committed modules, by file name."""
    return {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.py")}


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    """Schemas of the service's document."""
    return schemas_in(SERVICE)


def written(schemas: dict[str, Any]) -> dict[str, str]:
    """Return the texts that are generated from these schemas."""
    return modules(Document(schemas))


@pytest.mark.usefixtures("outside")
def test_the_committed_types_are_what_the_generator_writes(committed: dict[str, str]) -> None:
    assert committed == modules(read_document()), "the types of the SDK are out of date: run `make contract`"


def test_a_generated_module_says_which_command_writes_it_and_is_short(committed: dict[str, str]) -> None:
    for text in committed.values():
        assert "by `make contract`; do not edit" in text[:300]
        assert len(text.splitlines()) <= LARGEST


def test_every_type_of_the_contract_of_bots_is_in_the_sdk() -> None:
    homes = (splito_bot.contract, splito_bot.messages)
    games = {
        "Splito": splito_bot.games.splito,
        "Splitit": splito_bot.games.splitit,
        "Splitter": splito_bot.games.splitter,
    }
    missing: list[str] = []
    for name in schemas_in(BOT):
        prefix = next((one for one in games if name.startswith(one)), "")
        shared = any(name.removeprefix(prefix) in home.__all__ for home in homes)
        if not shared and name not in getattr(games.get(prefix), "__all__", ()):
            missing.append(name)
    assert missing == ["BotProblem", "AskBase", "StartedBase"]  # a bot sends problems; bases are parts of other types


def test_a_new_field_and_its_description_get_into_the_type(service: dict[str, Any]) -> None:
    changed = deepcopy(service)
    changed["Sealed"]["properties"]["note"] = {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "description": "Remark of the referee; null without one.",
    }
    expected = '    note: str | None = None\n    """Remark of the referee; None without one."""\n'
    assert expected in written(changed)["matches.py"]


def test_a_field_without_default_that_may_be_left_out_is_unset(service: dict[str, Any]) -> None:
    changed = deepcopy(service)
    changed["Sealed"]["required"].remove("over")
    assert "    over: bool | UnsetType = UNSET\n" in written(changed)["matches.py"]


def test_a_message_that_differs_between_games_beyond_its_parameters_is_an_error(service: dict[str, Any]) -> None:
    changed = deepcopy(service)
    changed["SplititTurn"]["properties"]["turn"] = {"type": "string"}
    with pytest.raises(Underivable, match=r"Turn\.turn differs from game to game"):
        written(changed)


def test_a_schema_without_a_type_in_python_is_an_error(service: dict[str, Any]) -> None:
    changed = deepcopy(service)
    changed["Sealed"]["properties"]["over"] = {"not": {}}
    with pytest.raises(Underivable, match="no type of Python"):
        written(changed)


def test_documents_that_disagree_about_a_type_are_an_error(service: dict[str, Any], tmp_path: Path) -> None:
    changed = {"Time": {**service["Time"], "description": "Another."}}
    (tmp_path / "bot.yaml").write_bytes(BOT.read_bytes())
    (tmp_path / "service.yaml").write_text(yaml.safe_dump({"components": {"schemas": changed}}), "utf-8")
    with pytest.raises(Underivable, match="differ in Time"):
        read_document(tmp_path)
