"""The built-in games, by id."""

from collections.abc import Mapping
from typing import Any

from splito_bot.game import Game
from splito_bot.games.splitit import SPLITIT
from splito_bot.games.splito import SPLITO
from splito_bot.games.splitter import SPLITTER

GAMES: Mapping[str, Game[Any, Any, Any]] = {game.id: game for game in (SPLITO, SPLITIT, SPLITTER)}
