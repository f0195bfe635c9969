"""The scene that a game's terminal look is drawn from, and the protocol of a module that draws one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from rich.console import RenderableType
from rich.text import Text

from splito_cli.terminal.words import WORDS, CommandWords
from splito_engine.game import Language, Scores, Seat


class Scene(msgspec.Struct, frozen=True):
    """The position to draw: a seat's view, the scores as if the match ended now, names by seat, and the language."""

    view: Any
    scores: Scores
    over: bool
    names: tuple[str, ...]
    language: Language


class Extra(msgspec.Struct, frozen=True):
    """Something shown on demand only, by the word that the person types for it."""

    words: Mapping[Language, CommandWords]
    draw: Callable[[Scene], RenderableType]


class Show(Protocol):
    """The terminal look of a game."""

    EXTRAS: Mapping[str, Extra]
    """By English word, which is understood in every language."""

    def table(self, scene: Scene, /) -> RenderableType:
        """Draw all open cards, numbers and scores from the seat of the view."""
        ...

    def moves(self, scene: Scene, texts: Sequence[str], /) -> RenderableType:
        """Draw the legal moves by their short texts, numbered from 1."""
        ...

    def move(self, scene: Scene, text: str, /) -> Text:
        """Draw one move that was played."""
        ...

    def refusal(self, scene: Scene, text: str, /) -> str | None:
        """Return why this move of the game is not legal now; None if the look cannot tell."""
        ...

    def nudge(self, scene: Scene, seat: Seat, nudge: str, /) -> str:
        """Return a nudge of that seat as a sentence."""
        ...

    def closing(self, scene: Scene, /) -> str | None:
        """Return the last line of a match; None for the usual line with the winners."""
        ...


def scores_line(scene: Scene) -> Text:
    """Return the points of all seats in one line."""
    words = WORDS[scene.language]
    label = words.points_at_end if scene.over else words.points_now
    return Text.assemble((label, "dim"), points_text(scene.names, scene.scores))


def points_text(names: Sequence[str], scores: Scores) -> str:
    """Return names and points, as in `you 12  planner 9`."""
    return "  ".join(f"{name} {points}" for name, (points, *_) in zip(names, scores, strict=True))


def have_numbers(texts: Iterable[str]) -> bool:
    """Return True if moves can be chosen by number: False if a move is itself written as a number."""
    return not any(text.isdecimal() for text in texts)


def numbered(number: int, text: str | Text) -> Text:
    """Return a choice of a list, its number first."""
    return Text.assemble((f"{number:>2} ", "dim"), text)
