"""What a game's terminal look is made from, and the names its module has."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from rich.console import RenderableType
from rich.text import Text

from splito_engine.game import Language, Scores


class Scene(msgspec.Struct, frozen=True):
    """What is drawn: a seat's view, the scores as if the match ended now, and who sits where."""

    view: Any
    scores: Scores
    over: bool
    names: tuple[str, ...]
    language: Language


class Extra(msgspec.Struct, frozen=True):
    """Something shown on demand only."""

    about: str
    draw: Callable[[Scene], RenderableType]


class Show(Protocol):
    EXTRAS: Mapping[str, Extra]

    def table(self, scene: Scene, /) -> RenderableType:
        """All that lies open, from the seat of the view."""
        ...

    def moves(self, scene: Scene, texts: Sequence[str], /) -> RenderableType:
        """The legal moves by their short texts, numbered from 1."""
        ...

    def move(self, scene: Scene, text: str, /) -> Text:
        """One move that was played."""
        ...

    def closing(self, scene: Scene, /) -> str | None:
        """A last word at the end of a match."""
        ...


def scores_line(scene: Scene) -> Text:
    label = "Points  " if scene.over else "If it ended now  "
    return Text.assemble((label, "dim"), points_text(scene.names, scene.scores))


def points_text(names: Sequence[str], scores: Scores) -> str:
    return "  ".join(f"{name} {points}" for name, (points, *_) in zip(names, scores, strict=True))


def have_numbers(texts: Iterable[str]) -> bool:
    """Can moves be chosen by number? Not where they are numbers themselves: one would be typed and the other meant."""
    return not any(text.isdecimal() for text in texts)


def numbered(number: int, text: str | Text) -> Text:
    """A choice in a list: its number first."""
    return Text.assemble((f"{number:>2} ", "dim"), text)
