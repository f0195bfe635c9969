"""Unions of Structs that several schemas share: each is a component of its own and referred to by name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from splito_arena.formats import Elimination, Gauntlet, Ladder, RoundRobin, Swiss
from splito_engine.game import AnyGame
from splito_service.http.contract.json_schemas import PLACE, objects_in, union_of
from splito_service.http.examples.example import Json
from splito_service.matches.model import Clock
from splito_service.matches.schemas import NewSeat

SHARED: Mapping[str, tuple[Any, str]] = {
    "NewSeat": (
        NewSeat,
        "A seat of a new match; `kind` says whether a person, a bot or any person who joins takes it.",
    ),
    "MatchClock": (Clock, "The clock of the persons in a match; `kind` says how time is counted."),
    "Format": (
        RoundRobin | Swiss | Elimination | Gauntlet | Ladder,
        "The format of a tournament; `kind` says how tables are made.",
    ),
}
"""Unions of the service that are not of one game, by name, with their descriptions."""


def name_unions(components: dict[str, Json], games: Sequence[AnyGame]) -> None:
    """Replace each shared union in the components by a reference to a component of its own."""
    moves = {
        f"{game.INFO.id.capitalize()}Move": (game.Move, f"A move of {game.INFO.titles['en']}; `do` names its kind.")
        for game in games
    }
    for name, (kinds, description) in {**moves, **SHARED}.items():
        union = union_of(kinds)
        if "anyOf" in union and refer(components.values(), union, name):
            components[name] = {"description": description, **union}


def refer(schemas: Iterable[Json], union: Json, name: str) -> bool:
    """Replace every copy of the union by a reference; True if there was one."""
    copies = [
        part for schema in schemas for part in objects_in(schema) if all(part.get(key) == union[key] for key in union)
    ]
    for part in copies:
        for key in union:
            del part[key]
        part["$ref"] = PLACE + name
    return bool(copies)
