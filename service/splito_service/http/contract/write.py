"""Writers of the OpenAPI documents as JSON and as YAML."""

import json
from typing import Any

import yaml

from splito_service.http.examples.example import Json

WIDTH = 120
SHORT = 170
"""Characters of a list or mapping that is written on one or two lines.

Those of its JSON count, with half of the quotation marks.
"""
SMALL = 48
"""Characters of each part of a list whose parts follow each other without a new line for each."""


def as_json(document: Json) -> bytes:
    """Return the document as indented JSON."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def as_yaml(document: Json) -> bytes:
    """Return the document as YAML: short lists and mappings on one line, texts with line breaks as blocks."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH).encode()


class _Dumper(yaml.SafeDumper):
    """A writer of YAML without aliases, because a reader should find every value in its place."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 (the signature of PyYAML)
        return True

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:  # noqa: ARG002
        return super().represent_sequence(tag, sequence, flow_style=_is_short(sequence))

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:  # noqa: ARG002
        return super().represent_mapping(tag, mapping, flow_style=_is_short(mapping))


def _is_short(value: Any) -> bool:
    """True if a list or mapping is to be written in one go: it fits on a line, or is a list of small parts."""
    text = json.dumps(value, ensure_ascii=False)
    if "\\n" in text:
        return False
    is_line = len(text) - text.count('"') // 2 <= SHORT
    return is_line or (isinstance(value, list) and all(len(json.dumps(part)) <= SMALL for part in value))  # pyright: ignore[reportUnknownVariableType]


def _text(_: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
