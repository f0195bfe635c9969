"""The examples of one endpoint, and how a value becomes an example of the OpenAPI document."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import msgspec

from splito_engine.game import Language

Json: TypeAlias = dict[str, Any]

EXAMPLE_ID = "06gpr1k08099qgdgdpas627q"
EXAMPLE_BLOCK = "00000002-0001-00013"
LANGUAGE: Language = "en"


class Examples(NamedTuple):
    """The examples of one endpoint; each mapping goes from the name of an example to its Example Object."""

    answer: Mapping[str, Json]
    body: Mapping[str, Json] = MappingProxyType({})
    refused: Mapping[str, Json] = MappingProxyType({})
    """Refusals that say more than a `Problem`."""
    others: Mapping[str, Mapping[str, Json]] = MappingProxyType({})
    """Answers in other media types, by media type."""


NONE = Examples({})


def one(name: str, summary: str, value: Any) -> Json:
    """Return one example with its value as JSON."""
    return {name: {"summary": summary, "value": plain(value)}}


def shown(name: str, summary: str, value: Any) -> dict[str, Json]:
    """Return one example with all figures rounded, because the committed contract is the same on every machine."""
    return {name: {"summary": summary, "value": rounded(value)}}


def shown_text(name: str, summary: str, text: str) -> dict[str, Json]:
    """Return one example of an answer that is no JSON."""
    return {name: {"summary": summary, "value": text}}


def plain(value: Any) -> Any:
    """Return the value as JSON has it: no tuples, no Structs."""
    return msgspec.json.decode(msgspec.json.encode(value))


def rounded(value: Any) -> Any:
    """Return the value as JSON has it, with all figures to two places."""
    return _rounded(plain(value))


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 2)
        case list():
            return [_rounded(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {name: _rounded(part) for name, part in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
