"""Errors of the arena that the engine cannot have: which bots it may call, and who a message is from."""

from splito_engine.errors import GameError


class BadAddress(GameError):
    """The address of a bot is malformed, cannot be found, or is one that the arena must not call."""

    code = "bad-address"


class LookupFailed(GameError):
    """The name of the bot's host could not be looked up: DNS gave no answer. This is no failure of the bot: try again.

    `theirs` is True if our resolver answers, so that the trouble is with the name servers of this name.
    """

    code = "lookup-failed"

    def __init__(self, message: str, *, field: str | None = "url", theirs: bool = False) -> None:
        super().__init__(message, field=field)
        self.theirs = theirs


class Unreachable(GameError):
    """A bot or a service does not answer at its address, or not as its contract has it."""

    code = "unreachable"


class Unplayable(GameError):
    """A match failed on our own side whenever it was played."""

    code = "unplayable"


class BadSecret(GameError):
    """A secret to sign with is `whsec_` and 24 to 64 bytes in base64."""

    code = "bad-secret"


class BadSignature(GameError):
    """The root of all that can be wrong with a signed message."""

    code = "bad-signature"


class MissingHeader(BadSignature):
    """A header of the signature is missing or malformed."""

    code = "missing-header"


class StaleMessage(BadSignature):
    """The message was signed too long ago, or in the future."""

    code = "stale-message"


class WrongSignature(BadSignature):
    """No signature of the message is by a secret that is known."""

    code = "wrong-signature"


class WrongRecipient(BadSignature):
    """The message was signed for another bot."""

    code = "wrong-recipient"


class Replayed(BadSignature):
    """The message has come before, or there is no room left to remember that it came."""

    code = "replayed"


class BadPlacings(GameError):
    """How a block ended cannot be rated: too few bots, a bot or a block twice, no games, or places that are none."""

    code = "bad-placings"


class BadDump(GameError):
    """A dump of a tournament that cannot be read, does not replay, or was changed."""

    code = "bad-dump"
