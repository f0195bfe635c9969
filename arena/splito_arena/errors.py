"""Errors of the arena beyond those of the engine: addresses, signatures, placings and dumps."""

from splito_engine.errors import GameError


class BadAddress(GameError):
    """The address of a bot is malformed, cannot be found, or is one that the arena must not call."""

    code = "bad-address"


class LookupFailed(GameError):
    """The host name of a bot could not be looked up. This is not a fault of the bot: try again.

    `theirs` is True if our resolver answers, so that the name servers of this name are to blame.
    """

    code = "lookup-failed"

    def __init__(self, message: str, *, field: str | None = "url", theirs: bool = False) -> None:
        super().__init__(message, field=field)
        self.theirs = theirs


class Unreachable(GameError):
    """A bot or a service does not answer at its address, or not as its contract requires."""

    code = "unreachable"


class Unplayable(GameError):
    """A match failed by an error of the arena every time it was played."""

    code = "unplayable"


class BadSecret(GameError):
    """A signing secret is malformed: it must be `whsec_` and 24 to 64 bytes in base64."""

    code = "bad-secret"


class BadSignature(GameError):
    """Common base of all errors of a signed message."""

    code = "bad-signature"


class MissingHeader(BadSignature):
    """A header of the signature is missing or malformed."""

    code = "missing-header"


class StaleMessage(BadSignature):
    """The message was signed too long ago, or in the future."""

    code = "stale-message"


class WrongSignature(BadSignature):
    """No signature of the message was made with a known secret."""

    code = "wrong-signature"


class WrongRecipient(BadSignature):
    """The message was signed for another bot."""

    code = "wrong-recipient"


class Replayed(BadSignature):
    """The message was received before, or the store of received message ids is full."""

    code = "replayed"


class BadPlacings(GameError):
    """The placings of a block cannot be rated: too few bots, a repeated bot or block, no games, or bad places."""

    code = "bad-placings"


class BadDump(GameError):
    """A dump of a tournament cannot be read, does not replay, or was changed."""

    code = "bad-dump"
