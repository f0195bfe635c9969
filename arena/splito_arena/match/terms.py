"""The terms of a match: how it is played, and which match it is."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from splito_arena.match.seat import Clock, Exchange
from splito_engine.game import AnyGame

STRIKES = 3
"""Number of faults after which a house bot plays on for a seat."""

BotLog: TypeAlias = Callable[[str, Exchange], None]
"""Callback for each exchange, with the name of the bot; in a tournament that is the id of its version."""


class PlayTerms(msgspec.Struct, frozen=True, kw_only=True):
    """How the matches of a series, an experiment or a tournament are played."""

    clock: Clock = Clock()
    strikes: int = STRIKES
    """Number of faults after which a house bot plays on for a seat."""
    log: BotLog | None = None
    """Log of the exchanges with the bots; None for no log."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of one match. The seed fixes the deal; the salt keeps the commitment to it secret."""

    game: AnyGame
    match: str
    """Id of the match, which is all that a bot learns about which match it plays."""
    seed: str
    salt: str
    dice: str | None = None
    """Text from which the seeds of the bots' dice follow; None for the id of the match. The two games of a pair in an
    experiment share it.
    """
    options: Mapping[str, object] | msgspec.Struct | None = None
    play: PlayTerms = PlayTerms()
    names: tuple[str, ...] | None = None
    """Names in the record, in the order of the seats; None for the names of the players."""
    logged_as: tuple[str, ...] | None = None
    """Names in the log, in the order of the seats; None for the names in the record."""


def sent_only(log: BotLog | None) -> BotLog | None:
    """Return a log that leaves out asks that were not sent as bytes, such as asks to a stand-in in this process."""
    if log is None:
        return None
    return lambda name, exchange: log(name, exchange) if exchange.request else None
