"""Requests and answers of the service about matches, under the names of its OpenAPI document.

Messages that differ from game to game are generic: `Match[SplitoView, SplitoMove]` is `SplitoMatch` in the document.
The service checks limits, such as the length of a name. Fields that a newer service adds are ignored. The types
themselves are generated, in `splito_bot.schemas`; here they get what is convenient in Python.
"""

from typing import Generic, TypeAlias

from splito_bot.schemas import matches
from splito_bot.schemas.catalogue import (
    Cards,
    CardText,
    Explanation,
    Games,
    GameSummary,
    House,
    Language,
    Problem,
    ProblemKind,
    Problems,
    Reason,
    RulesText,
    Section,
    Titles,
)
from splito_bot.schemas.matches import (
    BankClock,
    BotJoining,
    BotSeated,
    Clock,
    Decision,
    Joined,
    Joining,
    Kind,
    Match,
    MatchPage,
    MatchSummary,
    MoveProblem,
    NewBot,
    NewMatch,
    NewOpen,
    NewPerson,
    NewSeat,
    NoClock,
    Over,
    Revealed,
    Sealed,
    SeatInfo,
    Seats,
    Status,
    Turn,
    TurnClock,
    Turns,
)
from splito_bot.schemas.parameters import (
    MoveT,
    OptionsT,
    SettledT,
    ViewT,
)

__all__ = [
    "BankClock",
    "BotJoining",
    "BotSeated",
    "CardText",
    "Cards",
    "Clock",
    "Decision",
    "Explanation",
    "GameSummary",
    "Games",
    "House",
    "Joined",
    "Joining",
    "Kind",
    "Language",
    "Match",
    "MatchCreated",
    "MatchPage",
    "MatchSummary",
    "MoveProblem",
    "MoveT",
    "NewBot",
    "NewMatch",
    "NewOpen",
    "NewPerson",
    "NewSeat",
    "NoClock",
    "OptionsT",
    "Over",
    "Points",
    "Problem",
    "ProblemKind",
    "Problems",
    "Reason",
    "Revealed",
    "RulesText",
    "Sealed",
    "Seat",
    "SeatInfo",
    "Seats",
    "Section",
    "SettledT",
    "Status",
    "Titles",
    "Turn",
    "TurnClock",
    "Turns",
    "ViewT",
]

Seat: TypeAlias = int
Points: TypeAlias = list[int]
"""Points first, then tie-breakers; larger is better."""


class MatchCreated(matches.MatchCreated[ViewT, MoveT], Generic[ViewT, MoveT], frozen=True):
    """A new match and the tokens of its persons."""

    def token(self, seat: Seat) -> str:
        """Return the token of a person's seat. Raise `KeyError` if the seat is no person's."""
        token = self.tokens[seat]
        if token is None:
            raise KeyError(f"seat {seat} is not a person's, so it has no token")
        return token
