"""Faults of bots with everything that explains them: the ask, the answer or the traceback.

An answer that a second try corrects is no fault, so a first try is held back until the second one is judged.
"""

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from splito_arena.bots.ask_log import LoggedAsk, logged
from splito_arena.faults import FAULTS, cut
from splito_arena.match.seat import Exchange
from splito_engine.errors import BadBot

MOST_OF_A_KIND = 100
"""Number of faults of one kind of one bot that are reported; the others are only counted in the tables."""
LONGEST = 64 * 1024
"""Bytes of an answer that are kept with its fault."""


class BotFault(LoggedAsk, frozen=True, kw_only=True):
    """A logged ask that ended in a fault. It can be sent again like any other."""

    traceback: str = ""
    """Traceback of the function from its author's first frame on; empty for a bot at a URL."""


OnFault: TypeAlias = Callable[[BotFault], None]


class BotFailed(BadBot):
    """A bot failed where a fault ends everything, because there is no clock and no second try."""

    fault: BotFault | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message,), {"seat": self.seat, "field": self.field, "fault": self.fault}


class FaultLog:
    """Log of exchanges that passes on the faults, at most `MOST_OF_A_KIND` of each kind of a bot."""

    def __init__(self, game: str, tell: OnFault) -> None:
        self._game, self._tell = game, tell
        self._held: dict[str, tuple[str, Exchange]] = {}
        """First tries with a fault, by their asks; the second try decides."""
        self._counts = Counter[tuple[str, str]]()

    def take(self, bot: str, exchange: Exchange) -> None:
        fault, was_held = exchange.fault, self._held.pop(exchange.id, None) is not None
        if fault is None:
            return
        if FAULTS[fault.code].again and not was_held:
            self._held[exchange.id] = bot, exchange
        else:
            self._pass_on(bot, exchange)

    def close(self) -> None:
        """Pass on the faults for which no time was left for a second try."""
        while self._held:
            self._pass_on(*self._held.pop(next(iter(self._held))))

    def _pass_on(self, bot: str, exchange: Exchange) -> None:
        code = exchange.fault.code if exchange.fault else ""
        self._counts[bot, code] += 1
        if self._counts[bot, code] <= MOST_OF_A_KIND:
            self._tell(fault_of(bot, self._game, exchange))


def fault_of(bot: str, game: str, exchange: Exchange) -> BotFault:
    asked = msgspec.structs.asdict(logged(bot, game, exchange))
    asked["response"] = cut(asked["response"], LONGEST)
    return BotFault(**asked, traceback=exchange.traceback)
