"""A game as the client knows it: its id and its types."""

from typing import Any, Generic

from msgspec import Struct

from splito_bot.schemas.parameters import MoveT, OptionsT, SettledT, ViewT


class Game(Struct, Generic[OptionsT, ViewT, MoveT], frozen=True):
    """The types of a game. Make one for a game that is not built in: `Game("highest", Options, View, Move)`."""

    id: str
    Options: type[OptionsT]
    """Options that the creator of a match may choose."""
    View: type[ViewT]
    Move: Any
    """A Struct, or a union of Structs, which is why its type is `Any`."""
    Settled: Any = None
    """All options of a match, if it has more than its creator may choose."""

    def typed(self, message: Any) -> Any:
        """Return a generic message type, such as `Match`, with the types of this game."""
        types = {OptionsT: self.Options, SettledT: self.Settled or self.Options, ViewT: self.View, MoveT: self.Move}
        return message[tuple(types[parameter] for parameter in message.__parameters__)]
