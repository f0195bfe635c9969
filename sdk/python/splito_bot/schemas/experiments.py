"""Experiments: is a new version of a bot better than the old one?

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from splito_bot.schemas.bots import OwnerInfo
from splito_bot.schemas.tournaments import BotClock, EntrantInfo, Interval, Progress

Verdict: TypeAlias = Literal["better", "cap", "not better", "undecided"]

Measure: TypeAlias = Literal["places", "points", "wins"]


class Question(Struct, frozen=True, kw_only=True):
    """The question of an experiment, fixed before the first block."""

    low: float = 0.0
    """The largest effect that is not worth having: at or below it, the verdict `better` is wrong."""
    high: float = 0.2
    """The smallest effect that must not be missed: at or above it, the verdict `not better` is wrong."""
    alpha: float = 0.05
    """Accepted probability of a wrong `better`."""
    beta: float = 0.05
    """Accepted probability of a wrong `not better`."""
    least: int = 30
    """Number of blocks before which nothing is decided."""
    cap: int = 1000
    """Number of blocks after which the experiment ends, decided or not."""
    measure: Measure = "places"
    """Measure of a block: mean places, points, or shares of a win."""
    batch: int = 16
    """Number of blocks between two evaluations, after the first `least` blocks."""


class NewExperiment(Struct, frozen=True, kw_only=True):
    """Request to create an experiment: is NEW better than OLD, against this field?"""

    game: str
    """Id of the game."""
    name: str = "Is it better?"
    players: int
    """Number of players at a table."""
    options: dict[str, Any] | UnsetType = UNSET
    """Options of the game. Without options the games are played by the standard rules."""
    new: str
    """The new version: a registered bot by its id, or a house bot by its name."""
    old: str
    field: list[str]
    """Bots at the other seats, in turn."""
    question: Question | UnsetType = UNSET
    clock: BotClock | UnsetType = UNSET
    strikes: int = 3
    """Number of faults in a match after which a house bot replaces the bot."""
    log: Literal["all", "faults"] = "faults"
    """Asks that the owners of the bots find in their logs: all of them, or only those with a fault."""


class MeanInterval(Struct, frozen=True):
    """Means of the difference that the test does not reject, in the unit of the measure."""

    low: float | None
    """Lower end; None if there are too few blocks to reject any lower mean."""
    high: float | None
    """Upper end; None if there are too few blocks to reject any higher mean."""


class Reading(Struct, frozen=True, kw_only=True):
    """The report of an experiment, while it runs and at its end."""

    verdict: Verdict
    blocks: int
    llr: float
    lower: float
    upper: float
    estimate: Interval
    """Mean difference, in the unit of the measure, with a 95 % margin that is valid at any time but does not depend on
    the question. `interval` is the one that agrees with the verdict.
    """
    effect: float | None
    """Mean difference in standard deviations; None while there is no scatter."""
    interval: MeanInterval | None = None
    """Interval of the mean difference, from the test that decides and valid at any time: with `low` 0 the verdict is
    `better` exactly when the whole interval is above 0. None before `least` blocks, and while there is no scatter.
    """
    variance_ratio: float | None = None
    """Variance of the difference if the games of NEW and OLD were not paired, over the variance of the paired
    difference: without pairing the experiment would take that many times as many blocks. None while there is no
    scatter.
    """


class Experiment(Struct, frozen=True, kw_only=True):
    """An experiment and its results so far."""

    id: str
    name: str
    players: int
    """Number of players at a table."""
    owner: OwnerInfo | None
    """Owner of the experiment; None for the house."""
    new: EntrantInfo
    old: EntrantInfo
    field: list[EntrantInfo]
    question: Question
    clock: BotClock
    strikes: int
    log: Literal["all", "faults"]
    commitment: str
    """SHA-256 over the id and the secret from which all deals follow. It was fixed before the first deal."""
    secret: str | None
    """The secret, with which any client can check the deals; None until the experiment is over and no game is played.
    """
    reading: Reading
    """Reading of the blocks so far, in the order of their numbers."""
    progress: Progress
    started: datetime
    ended: datetime | None
    game: str
    """Id of the game."""
    options: dict[str, Any]
    """All options of the game."""


class ExperimentProgress(Struct, frozen=True):
    """Event: the progress of an experiment, and its reading so far."""

    progress: Progress
    reading: Reading
