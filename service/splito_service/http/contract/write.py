"""The contract as a file."""

import json

import yaml

from splito_service.http.examples.example import Json


def as_json(document: Json) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def as_yaml(document: Json) -> bytes:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120).encode()


class _Dumper(yaml.SafeDumper):
    """For readers: texts of several lines as such, and everything where it belongs."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 (as it is there)
        return True


def _text(_: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
