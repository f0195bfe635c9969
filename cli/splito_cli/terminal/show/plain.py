"""The look of any game without one of its own: its view as JSON, its moves as a numbered list."""

from collections.abc import Mapping, Sequence

import msgspec
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.json import JSON
from rich.text import Text

from splito_cli.terminal.show.scene import Extra, Scene, have_numbers, numbered, scores_line
from splito_engine.game import Seat

EXTRAS: Mapping[str, Extra] = {}


def table(scene: Scene) -> RenderableType:
    return Group(JSON(msgspec.json.encode(scene.view).decode()), scores_line(scene))


def moves(scene: Scene, texts: Sequence[str]) -> RenderableType:  # noqa: ARG001 (the signature of `Show.moves`)
    if not have_numbers(texts):
        return Columns(map(Text, texts), padding=(0, 3))
    return Columns([numbered(n, text) for n, text in enumerate(texts, 1)], padding=(0, 3))


def move(scene: Scene, text: str) -> Text:  # noqa: ARG001 (the signature of `Show.move`)
    return Text(text, "bold")


def refusal(scene: Scene, text: str) -> None:  # noqa: ARG001 (the signature of `Show.refusal`)
    return None


def nudge(scene: Scene, seat: Seat, nudge: str) -> str:  # noqa: ARG001 (the signature of `Show.nudge`)
    return nudge


def closing(scene: Scene) -> None:  # noqa: ARG001 (the signature of `Show.closing`)
    return None
