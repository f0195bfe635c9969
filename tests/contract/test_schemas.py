"""Schemas say what the source says about the fields."""

from typing import Generic, TypeVar

import msgspec

from splito_engine.games.splito import View as SplitoView
from splito_engine.registry import find_game
from splito_service.http.contract.json_schemas import field_docs, schemas_of, structs_in
from splito_service.matches.schemas import game_schemas

T = TypeVar("T")


class Above(msgspec.Struct, Generic[T]):
    """Not about a field."""

    first: int
    """The first,
    on two lines."""
    second: T
    third: int = 0
    """The third."""


class Below(Above[int]):
    third: int = 1
    """Another third."""
    fourth: tuple[int, str] = (1, "a")


def test_the_string_below_a_field_describes_it() -> None:
    assert field_docs(Above) == {"first": "The first, on two lines.", "third": "The third."}


def test_a_subclass_inherits_field_descriptions() -> None:
    assert field_docs(Below) == {"first": "The first, on two lines.", "third": "Another third."}


def test_field_descriptions_are_in_the_schema() -> None:
    properties = schemas_of([Below]).components["Below"]["properties"]
    assert properties["third"] == {"type": "integer", "default": 1, "description": "Another third."}
    assert properties["fourth"]["items"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def test_generated_types_have_the_descriptions_of_the_generic_types() -> None:
    wire = game_schemas(find_game("splito"))
    assert field_docs(wire.Match)["sealed"] == (
        "Seats that have sealed a move in this turn. The moves are hidden until all acting seats have sealed one."
    )


def test_nested_structs_are_found() -> None:
    names = [struct.__name__ for struct in structs_in([SplitoView])]
    assert names == ["SplitoView", "SplitoOptions", "SplitoSeat", "SplitoDeal"]
