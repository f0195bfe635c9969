"""The errors of the engine: one tree of classes, each with a stable `code`.

An error may name the seat, the card and the field at fault. Codes are part of the API: docs/errors.md lists them, and a
test compares that page with this module.
"""

from typing import ClassVar


class GameError(Exception):
    """The base class of all errors. `code` never changes; the message may.

    A message may quote untrusted input, so characters that could control a terminal are replaced by blanks.
    """

    code: ClassVar[str] = "game-error"

    def __init__(
        self, message: str, *, seat: int | None = None, card: str | None = None, field: str | None = None
    ) -> None:
        self.message = "".join(letter if letter.isprintable() else " " for letter in message)
        super().__init__(self.message)
        self.seat = seat
        self.card = card
        self.field = field

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message,), {"seat": self.seat, "card": self.card, "field": self.field}


class UnknownGame(GameError):
    """No game of that id is registered."""

    code = "unknown-game"


class WrongPlayers(GameError):
    """The game is not for that number of players, or the match has no such seat."""

    code = "wrong-players"


class BadOption(GameError):
    """An option is unknown, of the wrong type or out of range."""

    code = "bad-option"


class BadDeck(GameError):
    """A deck file is missing, malformed or inconsistent."""

    code = "bad-deck"


class BadMove(GameError):
    """Common base of all errors of a move."""

    code = "bad-move"


class NotYourTurn(BadMove):
    """The seat has nothing to decide now."""

    code = "not-your-turn"


class MissingMove(BadMove):
    """A seat that must move has not."""

    code = "missing-move"


class UnknownMove(BadMove):
    """Not a move of this game in any position: a card that does not exist, an unreadable text."""

    code = "unknown-move"


class IllegalMove(BadMove):
    """A move of this game, but not one of this seat's now."""

    code = "illegal-move"


class AlreadySealed(BadMove):
    """The seat has sealed another move for this turn."""

    code = "already-sealed"


class WrongTurn(BadMove):
    """The turn has been revealed with something else, or has not begun."""

    code = "wrong-turn"


class UnknownMatch(GameError):
    """There is no match of that id."""

    code = "unknown-match"


class BadNudge(GameError):
    """Table talk that is off, or not one of the messages allowed now."""

    code = "bad-nudge"


class BadRecord(GameError):
    """A record that cannot be read, does not replay, or was changed."""

    code = "bad-record"


class UnknownVersion(BadRecord):
    """A record of a format or of rules that this program does not have."""

    code = "unknown-version"


class BrokenCommitment(BadRecord):
    """Seed and salt do not give the commitment published before the first turn."""

    code = "broken-commitment"


class BadBot(GameError):
    """No such bot, or one that does not play this game."""

    code = "bad-bot"


class BadSetting(GameError):
    """A setting of the environment that does not exist, or with a value that it cannot have."""

    code = "bad-setting"


class NoServer(GameError):
    """The embedded Redis server cannot be started or does not answer."""

    code = "no-server"
