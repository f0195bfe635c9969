"""The installed games, ours and those of other packages, found by the entry point `splito.games`."""

from functools import cache
from importlib.metadata import entry_points

from splito_engine.errors import UnknownGame
from splito_engine.game import AnyGame


@cache
def games() -> dict[str, AnyGame]:
    """Return all registered games by id, in the order of their ids. Raise `UnknownGame` if two have the same id."""
    found: dict[str, AnyGame] = {}
    for entry in sorted(entry_points(group="splito.games"), key=lambda entry: entry.name):
        game: AnyGame = entry.load()
        if game.INFO.id in found:
            raise UnknownGame(f"two games are registered as {game.INFO.id!r}", field="game")
        found[game.INFO.id] = game
    return found


def find_game(game_id: str) -> AnyGame:
    """Return the game of that id. Raise `UnknownGame`."""
    try:
        return games()[game_id]
    except KeyError:
        raise UnknownGame(
            f"there is no game {game_id!r}; installed games: {', '.join(games())}", field="game"
        ) from None
