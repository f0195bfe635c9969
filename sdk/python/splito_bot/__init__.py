"""Talk to a Splito Arena from Python. All that a program needs is here; the views of the games are in `games`."""

from splito_bot.client import Client, Position
from splito_bot.errors import Refused
from splito_bot.events import Event
from splito_bot.game import Game
from splito_bot.games import GAMES
from splito_bot.games.splitit import SPLITIT
from splito_bot.games.splito import SPLITO
from splito_bot.games.splitter import SPLITTER
from splito_bot.messages import (
    BankClock,
    Explanation,
    Match,
    MatchCreated,
    NewBot,
    NewOpen,
    NewPerson,
    NoClock,
    Over,
    Seats,
    Turn,
    TurnClock,
)

__all__ = [
    "GAMES",
    "SPLITIT",
    "SPLITO",
    "SPLITTER",
    "BankClock",
    "Client",
    "Event",
    "Explanation",
    "Game",
    "Match",
    "MatchCreated",
    "NewBot",
    "NewOpen",
    "NewPerson",
    "NoClock",
    "Over",
    "Position",
    "Refused",
    "Seats",
    "Turn",
    "TurnClock",
]
