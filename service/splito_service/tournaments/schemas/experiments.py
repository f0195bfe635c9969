"""Request and response schemas of experiments: two versions that are compared, and the certainty of the result."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeAlias, Union

import msgspec
from msgspec import Meta

from splito_arena.experiments.sequential_test import Design, Reading
from splito_arena.formats import Experiment as Format
from splito_arena.formats.types import MOST_BLOCKS
from splito_arena.match.messages import Moment, OptionsT, named
from splito_arena.match.terms import STRIKES
from splito_engine.game import AnyGame
from splito_engine.registry import find_game
from splito_service.owners.model import Owner
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import BotWord, Hex, Id, Name
from splito_service.tournaments.model import Logged, State, StoredTournament
from splito_service.tournaments.schemas.to_schema import common_fields, entrant_info, owner_info, times_of
from splito_service.tournaments.schemas.tournaments import BotClock, EntrantInfo, Progress, seats_of, tagged

Measure: TypeAlias = Literal["places", "points", "wins"]
Risk: TypeAlias = Annotated[float, Meta(ge=0.0001, lt=0.5)]
Effect: TypeAlias = Annotated[float, Meta(ge=-1, le=1)]

MOST_FIELD = 32


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The question of an experiment, fixed before the first block."""

    low: Effect = Design().low
    """The largest effect that is not worth having: at or below it, the verdict `better` is wrong."""
    high: Effect = Design().high
    """The smallest effect that must not be missed: at or above it, the verdict `not better` is wrong."""
    alpha: Risk = Design().alpha
    """Accepted probability of a wrong `better`."""
    beta: Risk = Design().beta
    """Accepted probability of a wrong `not better`."""
    least: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = Design().least
    """Number of blocks before which nothing is decided."""
    cap: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = Design().cap
    """Number of blocks after which the experiment ends, decided or not."""
    measure: Measure = "places"
    """Measure of a block: mean places, points, or shares of a win."""
    batch: Annotated[int, Meta(ge=1, le=MOST_BLOCKS)] = 16
    """Number of blocks between two evaluations, after the first `least` blocks."""


class NewExperimentOf(msgspec.Struct, Generic[OptionsT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Request to create an experiment: is NEW better than OLD, against this field?"""

    name: Name = "Is it better?"
    players: int
    """Number of players at a table."""
    options: OptionsT
    """Options of the game. Without options the games are played by the standard rules."""
    new: BotWord
    """The new version: a registered bot by its id, or a house bot by its name."""
    old: BotWord
    field: Annotated[list[BotWord], Meta(min_length=1, max_length=MOST_FIELD)]
    """Bots at the other seats, in turn."""
    question: Question = Question()
    clock: BotClock = BotClock()
    strikes: Annotated[int, Meta(ge=1, le=100)] = STRIKES
    """Number of faults in a match after which a house bot replaces the bot."""
    log: Logged = "faults"
    """Asks that the owners of the bots find in their logs: all of them, or only those with a fault."""


class NewExperiment:
    """Request to create an experiment with any game of this service."""


class Experiment:
    """An experiment."""


class ExperimentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment as the list shows it."""

    id: Id
    name: str
    game: str
    players: int
    """Number of players at a table."""
    owner: OwnerInfo | None
    """Owner of the experiment; null for the house."""
    new: BotWord
    old: BotWord
    state: State
    """State of the experiment; `finished` when it has stopped by its own rule."""
    started: Moment
    ended: Moment | None


class ExperimentPage(msgspec.Struct, frozen=True):
    """A page of experiments, newest first."""

    experiments: list[ExperimentSummary]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


class ExperimentOf(msgspec.Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """An experiment and its results so far."""

    id: Id
    name: str
    players: int
    """Number of players at a table."""
    options: OptionsT
    """All options of the game."""
    owner: OwnerInfo | None
    """Owner of the experiment; null for the house."""
    new: EntrantInfo
    old: EntrantInfo
    field: list[EntrantInfo]
    question: Question
    clock: BotClock
    strikes: int
    log: Logged
    commitment: Hex
    """SHA-256 over the id and the secret from which all deals follow. It was fixed before the first deal."""
    secret: str | None
    """The secret, with which any client can check the deals; null until the experiment is over and no game is
    played.
    """
    reading: Reading
    """Reading of the blocks so far, in the order of their numbers."""
    progress: Progress
    started: Moment
    ended: Moment | None


class ExperimentProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Event: the progress of an experiment, and its reading so far."""

    progress: Progress
    reading: Reading


class ExperimentOver(msgspec.Struct, frozen=True, kw_only=True):
    """Event: the experiment is over."""

    progress: Progress
    reading: Reading


@cache
def new_experiment(games: tuple[str, ...]) -> Any:
    """Return the type `NewExperiment` for these games."""
    return Union[tuple(wanted_type(find_game(game)) for game in games)]  # noqa: UP007 (made at run time)


@cache
def experiment(games: tuple[str, ...]) -> Any:
    return Union[tuple(shown_type(find_game(game)) for game in games)]  # noqa: UP007


@cache
def wanted_type(game: AnyGame) -> Any:
    types = {"players": seats_of(game), "options": game.OpenOptions}
    defaults = {"options": game.OpenOptions()}
    return named(game, "NewExperiment", NewExperimentOf[game.OpenOptions], types, fields=defaults, options=tagged(game))


@cache
def shown_type(game: AnyGame) -> Any:
    return named(game, "Experiment", ExperimentOf[game.Options], {"options": game.Options}, options=tagged(game))


def experiment_summary(kept: StoredTournament, owners: Mapping[str, Owner]) -> ExperimentSummary:
    terms = asked_of(kept)
    return ExperimentSummary(
        id=kept.id,
        name=kept.name,
        game=kept.game,
        players=kept.players,
        owner=owner_info(kept.owner, owners),
        new=terms.new,
        old=terms.old,
        state=kept.state,
        **times_of(kept),
    )


def experiment_of(kept: StoredTournament, owners: Mapping[str, Owner], progress: Progress, reading: Reading) -> Any:
    terms = asked_of(kept)
    entrants = {entrant.bot: entrant_info(entrant, owners) for entrant in kept.entrants}
    return shown_type(find_game(kept.game))(
        new=entrants[terms.new],
        old=entrants[terms.old],
        field=[entrants[bot] for bot in terms.field],
        question=Question(**{name: getattr(terms, name) for name in Question.__struct_fields__}),
        reading=reading,
        **common_fields(kept, owners, progress),
    )


def asked_of(kept: StoredTournament) -> Format:
    """Return the format of an experiment. Raise `TypeError` for a tournament, which is never shown as an experiment."""
    if not isinstance(kept.format, Format):
        raise TypeError("a tournament is no experiment")
    return kept.format
