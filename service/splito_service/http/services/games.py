"""The games that this service plays."""

import msgspec

from splito_engine.errors import UnknownGame
from splito_engine.game import AnyGame
from splito_engine.registry import find_game


class PlayedGames(msgspec.Struct, frozen=True):
    """The games that this service plays, by id."""

    ids: tuple[str, ...]

    def find(self, game_id: str) -> AnyGame:
        """Return a game. Raise `UnknownGame` if it is not played here."""
        if game_id not in self.ids:
            raise UnknownGame(f"there is no game {game_id!r}: use one of {', '.join(self.ids)}", field="game")
        return find_game(game_id)
