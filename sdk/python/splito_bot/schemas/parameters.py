"""Type parameters of the messages that differ from game to game.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from typing import TypeVar

OptionsT = TypeVar("OptionsT")

SettledT = TypeVar("SettledT")

ViewT = TypeVar("ViewT")

MoveT = TypeVar("MoveT")
