"""What the client must know of a game, so that its answers have that game's types."""

from typing import Any, Generic

from msgspec import Struct

from splito_bot.messages import MoveT, OptionsT, SettledT, ViewT


class Game(Struct, Generic[OptionsT, ViewT, MoveT], frozen=True):
    """Make one for a game that is not of the house: `Game("highest", Options, View, Move)`."""

    id: str
    Options: type[OptionsT]
    """What whoever makes a match may choose."""
    View: type[ViewT]
    Move: Any
    """A Struct, or a union of Structs, which is why its type is `Any`."""
    Settled: Any = None
    """The options as a match has them, if there are more than can be chosen."""

    def typed(self, message: Any) -> Any:
        """A generic message, such as `Match`, with the types of this game."""
        types = {OptionsT: self.Options, SettledT: self.Settled or self.Options, ViewT: self.View, MoveT: self.Move}
        return message[tuple(types[parameter] for parameter in message.__parameters__)]
