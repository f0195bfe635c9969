"""The files of a deployment, as Docker and Compose read them."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

ROOT = Path(__file__).parents[2]
COMPOSE, DOCKERFILE = ROOT / "docker-compose.yml", ROOT / "Dockerfile"

Services: TypeAlias = dict[str, dict[str, Any]]


class Instruction(NamedTuple):
    name: str
    words: str


class Strict(yaml.SafeLoader):
    """A key that is there twice is an error, as YAML has it; PyYAML alone would take the last."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value]
        if twice := {name for name in names if names.count(name) > 1}:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {', '.join(twice)}", node.start_mark)
        return super().construct_mapping(node, deep)


def compose(text: str | None = None) -> dict[str, Any]:
    """With the defaults of what can be chosen from outside."""
    text = text or COMPOSE.read_text("utf-8")
    return yaml.load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text), Strict)  # noqa: S506 (it is a safe one)


def services() -> Services:
    return compose()["services"]


def stages() -> list[list[Instruction]]:
    """Return the instructions of each stage, its FROM included, with the default of the image that can be chosen."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    chosen = dict(re.findall(r"^ARG (\w+)=(\S+)\n", text, re.MULTILINE))
    text = re.sub(r"^ARG .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(FROM )\$\{(\w+)\}", lambda found: found[1] + chosen[found[2]], text, flags=re.MULTILINE)
    found: list[list[Instruction]] = []
    for line in filter(None, text.splitlines()):
        name, _, words = line.partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append(Instruction(name, words.strip()))
    return found


def words_of(instructions: list[Instruction], name: str) -> list[str]:
    return [words for instruction, words in instructions if instruction == name]


def entrypoint() -> list[str]:
    [words] = words_of(stages()[-1], "ENTRYPOINT")
    return json.loads(words)
