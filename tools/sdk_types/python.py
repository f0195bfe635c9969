"""Text of the generated modules, formatted by ruff."""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from textwrap import TextWrapper
from typing import NamedTuple

from tools.sdk_types.document import Class, Document, Field, Underivable
from tools.sdk_types.tables import GAME_ALIASES, MODULES, PARAMETERS

PACKAGE = "splito_bot.schemas"
HEAD = "Generated from the documents in openapi/ by `make contract`; do not edit."
WIDTH = 120
LIBRARY = {
    "datetime": ["datetime"],
    "typing": ["Annotated", "Any", "Generic", "Literal", "TypeAlias", "TypeVar"],
    "msgspec": ["UNSET", "Meta", "Struct", "UnsetType"],
}
"""Names that the modules may import from libraries."""


class Part(NamedTuple):
    """A top-level statement of a module."""

    name: str
    text: str
    uses: frozenset[str]
    """Words of its types, some of which are names of other parts."""


def modules(document: Document) -> dict[str, str]:
    """Return the texts of all modules, by file name."""
    parts = {name: _message_parts(name, document) for name in MODULES}
    for prefix, game in document.games.items():
        parts[game] = _game_parts(prefix, game, document)
    parts["parameters"] = [Part(name, f'{name} = TypeVar("{name}")', frozenset({"TypeVar"})) for name in PARAMETERS]
    shared = (*MODULES, "parameters")
    homes = {part.name: module for module in shared for part in parts[module]}
    texts = {f"{name}.py": formatted(_module(_about(name), found, homes)) for name, found in parts.items()}
    return {**texts, "__init__.py": f'"""Types of all messages, one module for each concept.\n\n{HEAD}\n"""\n'}


def formatted(text: str) -> str:
    """Return the text in the style of this repository."""
    command = [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", "sdk/python/types.py", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", check=True).stdout


def _about(module: str) -> str:
    if module in MODULES:
        return MODULES[module].about
    if module == "parameters":
        return "Type parameters of the messages that differ from game to game."
    return f"Options, views and moves of the game `{module}`."


def _message_parts(module: str, document: Document) -> list[Part]:
    _about, types, aliases = MODULES[module]
    return [
        *(_alias(name, document.alias(place)) for name, place in aliases.items()),
        *(_class(document.message_class(name)) for name in types.split()),
    ]


def _game_parts(prefix: str, game: str, document: Document) -> list[Part]:
    aliases = [_alias(name, document.alias(place)) for name, place in GAME_ALIASES.get(game, {}).items()]
    classes = [_class(document.plain_class(name, "tuple")) for name in document.types_of_game(prefix)]
    moves = document.move(prefix)
    return [*aliases, *classes, *([_alias(f"{prefix}Move", moves)] if moves else [])]


def _alias(name: str, kind: str) -> Part:
    return Part(name, f"{name}: TypeAlias = {kind}", _words(kind) | {"TypeAlias"})


def _class(made: Class) -> Part:
    generic = f"Generic[{', '.join(made.parameters)}]" if made.parameters else ""
    tag = f'tag_field="{made.tag[0]}", tag="{made.tag[1]}"' if made.tag else ""
    keywords = "kw_only=True" if made.keywords_only else ""
    bases = ", ".join(base for base in ("Struct", generic, "frozen=True", keywords, tag) if base)
    fields = "\n".join(_field(field) for field in made.fields)
    uses = [bases, *(f"{field.type} {field.default}" for field in made.fields)]
    body = f"{_docstring(made.about)}\n\n{fields}".rstrip()
    return Part(made.name, f"class {made.name}({bases}):\n{body}", frozenset().union(*map(_words, uses)))


def _field(field: Field) -> str:
    line = f"    {field.name}: {field.type}" + (f" = {field.default}" if field.default else "")
    return f"{line}\n{_docstring(field.about)}" if field.about else line


def _docstring(about: str) -> str:
    """Return a docstring, indented and wrapped; JSON's null is None here."""
    text = re.sub(r"\bnull\b", "None", re.sub(r"\bNull\b", "None", " ".join(about.split())))
    if len(text) + 10 <= WIDTH:
        return f'    """{text}"""'
    lines = TextWrapper(width=WIDTH, initial_indent='    """', subsequent_indent="    ").wrap(text)
    return "\n".join([*lines, '    """'])


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", re.sub(r'"[^"]*"', "", text)))


def _module(about: str, parts: list[Part], homes: Mapping[str, str]) -> str:
    used = frozenset().union(*(part.uses for part in parts))
    own = {part.name for part in parts}
    groups = [_imports(used, LIBRARY, ["datetime", "typing"]), _imports(used, LIBRARY, ["msgspec"])]
    ours: dict[str, list[str]] = {}
    for word in sorted(used - own):
        if word in homes:
            ours.setdefault(f"{PACKAGE}.{homes[word]}", []).append(word)
    groups.append(_imports(used, ours, sorted(ours)))
    head = f'"""{about}\n\n{HEAD}\n"""'
    return "\n\n".join([head, *(group for group in groups if group), *(part.text for part in _sorted(parts))]) + "\n"


def _imports(used: Iterable[str], names: Mapping[str, list[str]], order: list[str]) -> str:
    found = {module: [name for name in names[module] if name in used] for module in order}
    return "\n".join(f"from {module} import {', '.join(names)}" for module, names in found.items() if names)


def _sorted(parts: list[Part]) -> list[Part]:
    """Return the parts in an order in which each stands after the parts that it uses."""
    by_name, done, order = {part.name: part for part in parts}, set[str](), list[Part]()

    def place(part: Part, above: tuple[str, ...]) -> None:
        if part.name in above:
            raise Underivable(f"{part.name} contains itself")
        if part.name not in done:
            for name in sorted(part.uses & by_name.keys() - {part.name}, key=[*by_name].index):
                place(by_name[name], (*above, part.name))
            done.add(part.name)
            order.append(part)

    for part in parts:
        place(part, ())
    return order
