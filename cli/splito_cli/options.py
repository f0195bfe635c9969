"""Groups of options that several commands have: the options of the game, and how its matches are played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cyclopts import Parameter

from splito_arena.match.terms import STRIKES, PlayTerms
from splito_cli.arguments import ClockText, Pairs, Seed, Strikes, read_clock, read_pairs
from splito_engine.chance import new_seed
from splito_engine.registry import find_game


@Parameter(name="*")
@dataclass(frozen=True)
class GameOptions:
    """The options that choose cards or dice, and the options of the game itself."""

    seed: Seed = None
    option: Pairs = ()

    def seed_or(self, saved: str | None) -> str:
        """Return the seed of the command line; without it the saved one, or a new one."""
        return self.seed or saved or new_seed()

    def pairs(self) -> dict[str, Any]:
        """Return the options of the game by name. Raise `BadOption` for a wrong or repeated one."""
        return read_pairs(self.option)


@Parameter(name="*")
@dataclass(frozen=True)
class PlayOptions(GameOptions):
    """The options of the game, and the terms of play: the clock and the faults that are allowed."""

    clock: ClockText = "1000,5000"
    strikes: Strikes = STRIKES

    def terms(self) -> PlayTerms:
        """Return the terms of play. Raise `BadOption` for a wrong clock."""
        return PlayTerms(clock=read_clock(self.clock), strikes=self.strikes)


def seats_for(game: str, players: int | None, bots: Sequence[str]) -> int:
    """Return the number of players; without it a seat for each bot, or more if the game needs them.

    Raise `UnknownGame`.
    """
    least = find_game(game).INFO.min_players
    return players or max(least, len(bots))


USUAL_GAME = GameOptions()
"""A new seed and no option of the game."""
USUAL_PLAY = PlayOptions()
"""A new seed, no option of the game, and the usual clock."""
