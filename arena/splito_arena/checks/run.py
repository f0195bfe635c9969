"""One run of the suite: the bot, the scope of the checks, and the results so far."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from splito_arena.checks.ask import Direct, Timings, Watch, about, opening
from splito_arena.checks.subject import Subject
from splito_arena.match.player import Player
from splito_arena.match.question import Question
from splito_arena.match.seat import Clock
from splito_engine.game import AnyGame
from splito_engine.registry import games

LIMIT = 120.0
"""Seconds for the whole suite."""
GROWTH = 2
"""Multiple of the limit that it may grow by, because the machine was busy."""
OVER = "the time of the checks ran out"
NO_ANSWER = "no plain ask was answered correctly, so the more difficult checks are skipped"


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The scope of the checks."""

    games: tuple[str, ...] = ()
    """Games to check, among those that the bot plays; all of them if empty."""
    quick: bool = False
    """True to play matches only with the least and the greatest number of players of each game."""
    clock: Clock = Clock()
    limit: float = LIMIT


Tell: TypeAlias = Callable[[str], None]
"""Callback for progress, with the name of the next step."""


class CheckRun:
    def __init__(self, subject: Subject, scope: Scope, deadline: float, tell: Tell) -> None:
        self.subject, self.scope, self.deadline, self.tell = subject, scope, deadline, tell
        self.timings = Timings()
        self.player = Watch(subject.player, self.timings)
        self.claimed = [game for game in games().values() if game.INFO.id in _wanted(subject, scope)]
        self.answered: list[AnyGame] = []
        """Games in which the bot has answered a plain ask; the more difficult checks are made only there."""
        self.matches = 0
        self.is_over = False
        """True if the time ended during one of the checks."""
        self._slower = 1
        self._more = GROWTH * scope.limit
        self._before: tuple[list[AnyGame], int, tuple[int, int]] = ([], 0, (0, 0))

    @property
    def direct(self) -> Player:
        """Return a player that can send the same ask again, and many asks at a time."""
        remote = self.subject.remote
        return self.player if remote is None else Watch(Direct(remote.client), self.timings)

    @property
    def clock(self) -> Clock:
        """Return the clock of the asks: that of the scope, longer after a check that a busy machine has spoilt."""
        clock, slower = self.scope.clock, self._slower
        return Clock(clock.turn_ms * slower, clock.bank_ms * slower)

    def mark(self) -> None:
        """Remember the present state, for `undo`."""
        self._before = ([*self.answered], self.matches, self.timings.mark())

    def undo(self, seconds: float) -> None:
        """Return to the state of `mark`, and give the checks these seconds more, and the bot twice the clock."""
        answered, self.matches, timings = self._before
        self.answered[:] = answered
        self.timings.undo(timings)
        self.deadline += seconds
        self.is_over = False
        self._slower *= 2

    def grow(self, seconds: float) -> None:
        """Give the checks more time, because our own process could not run; at most `GROWTH` times the limit."""
        more = min(seconds, self._more)
        self.deadline += more
        self._more -= more

    def plain(self, game: AnyGame) -> Question:
        return about(opening(game), self.clock)


def _wanted(subject: Subject, scope: Scope) -> set[str]:
    claimed = set(subject.info.games)
    return claimed & set(scope.games) if scope.games else claimed
