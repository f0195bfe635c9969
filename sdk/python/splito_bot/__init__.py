"""Bots for a Splito Arena, and clients of its service. The types of the games are in `games`."""

from splito_bot.bot import Bot, load_bot
from splito_bot.client import Client, Position
from splito_bot.contract import (
    Answer,
    AnyAsk,
    AnyMove,
    Ask,
    BotInfo,
    Cost,
    Ended,
    Rejection,
    Started,
    Time,
    read_ask,
    read_asks,
)
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
from splito_bot.owner import Owner
from splito_bot.ranked import NewExperiment, NewTournament

__all__ = [
    "GAMES",
    "SPLITIT",
    "SPLITO",
    "SPLITTER",
    "Answer",
    "AnyAsk",
    "AnyMove",
    "Ask",
    "BankClock",
    "Bot",
    "BotInfo",
    "Client",
    "Cost",
    "Ended",
    "Event",
    "Explanation",
    "Game",
    "Match",
    "MatchCreated",
    "NewBot",
    "NewExperiment",
    "NewOpen",
    "NewPerson",
    "NewTournament",
    "NoClock",
    "Over",
    "Owner",
    "Position",
    "Refused",
    "Rejection",
    "Seats",
    "Started",
    "Time",
    "Turn",
    "TurnClock",
    "load_bot",
    "read_ask",
    "read_asks",
]
