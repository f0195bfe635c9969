"""What travels about experiments: two versions to be compared, and how sure it is by now which is better."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeAlias, Union

import msgspec
from msgspec import Meta

from splito_arena.experiments.sequential_test import Design, Reading
from splito_arena.formats import Experiment as Format
from splito_arena.formats.types import MOST_BLOCKS
from splito_arena.match.messages import Moment, OptionsT, named
from splito_arena.match.referee import STRIKES
from splito_engine.game import AnyGame
from splito_engine.registry import find_game
from splito_service.owners.model import Owner
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import BotWord, Hex, Id, Name
from splito_service.tournaments.model import Logged, State, StoredTournament
from splito_service.tournaments.schemas import BotClock, EntrantInfo, Progress, seats_of, tagged
from splito_service.tournaments.to_schema import common_fields, entrant_info, owner_info, times_of

Measure: TypeAlias = Literal["places", "points", "wins"]
Risk: TypeAlias = Annotated[float, Meta(ge=0.0001, lt=0.5)]
Effect: TypeAlias = Annotated[float, Meta(ge=-1, le=1)]

MOST_FIELD = 32


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is asked, and fixed before the first block."""

    low: Effect = Design().low
    """The effect that is not worth having: at or below it, `better` is wrong."""
    high: Effect = Design().high
    """The effect that must not be missed: at or above it, `not better` is wrong."""
    alpha: Risk = Design().alpha
    """How often `better` may be wrong."""
    beta: Risk = Design().beta
    """How often `not better` may be wrong."""
    least: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = Design().least
    """Before so many blocks nothing is decided."""
    cap: Annotated[int, Meta(ge=2, le=MOST_BLOCKS)] = Design().cap
    """After so many blocks it ends, decided or not."""
    measure: Measure = "places"
    """What counts in a block: mean places, points, or shares of a win."""
    batch: Annotated[int, Meta(ge=1, le=MOST_BLOCKS)] = 16
    """How many blocks are played between two looks, once the first `least` have been."""


class NewExperimentOf(msgspec.Struct, Generic[OptionsT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An experiment to be made: is NEW better than OLD, among these others?"""

    name: Name = "Is it better?"
    players: int
    """How many sit at a table."""
    options: OptionsT
    """Those of the game. Without any, it is played as its rules have it."""
    new: BotWord
    """A registered bot by its id, or one of the house by its name."""
    old: BotWord
    field: Annotated[list[BotWord], Meta(min_length=1, max_length=MOST_FIELD)]
    """Who sits at the other seats, in turn."""
    question: Question = Question()
    clock: BotClock = BotClock()
    strikes: Annotated[int, Meta(ge=1, le=100)] = STRIKES
    """Faults in a match after which a bot of the house plays on."""
    log: Logged = "faults"
    """What the owners of bots find in their logs: every ask, or only those that went wrong."""


class NewExperiment:
    """An experiment with any game that is played here."""


class Experiment:
    """An experiment."""


class ExperimentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list shows of an experiment."""

    id: Id
    name: str
    game: str
    players: int
    """How many sit at a table."""
    owner: OwnerInfo | None
    """Who wants to know; nobody, if it is the house."""
    new: BotWord
    old: BotWord
    state: State
    """`finished` when it has stopped by itself."""
    started: Moment
    ended: Moment | None


class ExperimentPage(msgspec.Struct, frozen=True):
    """Experiments, the newest first."""

    experiments: list[ExperimentSummary]
    next: Id | None
    """The `cursor` of the next page; nothing on the last one."""


class ExperimentOf(msgspec.Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """An experiment, and what is known by now."""

    id: Id
    name: str
    players: int
    """How many sit at a table."""
    options: OptionsT
    """Those of the game, all of them."""
    owner: OwnerInfo | None
    """Who wants to know; nobody, if it is the house."""
    new: EntrantInfo
    old: EntrantInfo
    field: list[EntrantInfo]
    question: Question
    clock: BotClock
    strikes: int
    log: Logged
    commitment: Hex
    """SHA-256 over the id and the secret from which all deals follow: it was fixed before the first one."""
    secret: str | None
    """When it is over and nothing is played any more, so that everybody can check the deals."""
    reading: Reading
    """What the blocks say so far, in the order of their numbers."""
    progress: Progress
    started: Moment
    ended: Moment | None


class ExperimentProgress(msgspec.Struct, frozen=True, kw_only=True):
    """An event: how far an experiment is, and what it says so far."""

    progress: Progress
    reading: Reading


class ExperimentOver(msgspec.Struct, frozen=True, kw_only=True):
    """An event: the experiment is over."""

    progress: Progress
    reading: Reading


@cache
def new_experiment(games: tuple[str, ...]) -> Any:
    """One with any of these games."""
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
    """Raises `TypeError` for a tournament, which is never shown as an experiment."""
    if not isinstance(kept.format, Format):
        raise TypeError("a tournament is no experiment")
    return kept.format
