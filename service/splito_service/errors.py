"""Errors of the service, beside those of the engine: permissions, unknown things, limits and availability."""

from splito_engine.errors import BadMove, GameError


class Unavailable(GameError):
    """Redis does not answer or refuses writes; the request may not have been carried out: try again."""

    code = "unavailable"


class BadRequest(GameError):
    """The request is not what the contract says: malformed JSON, a wrong type, an unknown field."""

    code = "bad-request"


class BadName(GameError):
    """A name must be visible, have 1 to 64 printable characters, and differ from the names of house bots."""

    code = "bad-name"


class NoToken(GameError):
    """Only the player of the seat may do this, and the request has no valid token of the seat."""

    code = "no-token"


class WrongToken(GameError):
    """The token is of another seat, or of a player who has left it."""

    code = "wrong-token"


def wrong_token(seat: int) -> WrongToken:
    """Return the refusal of a token whose holder does not sit at the seat now.

    It is the only wording for tokens of other seats and of former players, so that a refusal tells nothing about the
    match. It never depends on the move.
    """
    return WrongToken(f"this token is not of the player who has seat {seat} now", seat=seat)


class NoKey(GameError):
    """Only an owner may do this, and the request has no valid key of an owner."""

    code = "no-key"


class WrongScope(GameError):
    """The key lacks the scope of this operation, or a scope of the key that it would create."""

    code = "wrong-scope"


class WrongOwner(GameError):
    """The bot, the tournament or the experiment belongs to another owner."""

    code = "wrong-owner"


class NotAllowed(GameError):
    """The owner of the bot does not let you enter or seat it; the owner opens it with `open_to`."""

    code = "not-allowed"


class Banned(GameError):
    """The organisers of the arena have banned you or your bot; the detail has their reason."""

    code = "banned"


class Protected(GameError):
    """Organisers cannot ban each other or remove a house ladder; the operator can."""

    code = "protected"


class UnknownOwner(GameError):
    """There is no owner with that id."""

    code = "unknown-owner"


class NotBanned(GameError):
    """The owner or bot is not banned, so there is no ban to lift."""

    code = "not-banned"


class UnknownKey(GameError):
    """You have no key with that id."""

    code = "unknown-key"


class UnknownBot(GameError):
    """No bot with that id is registered."""

    code = "unknown-bot"


class UnknownCheck(GameError):
    """This bot has no check with that id, or the check has expired."""

    code = "unknown-check"


class UnknownTournament(GameError):
    """There is no tournament or experiment with that id."""

    code = "unknown-tournament"


class UnknownSeries(GameError):
    """There is no series with that id."""

    code = "unknown-series"


class UnknownBlock(GameError):
    """The tournament has no finished block with that id, or the block has been removed."""

    code = "unknown-block"


class UnknownHook(GameError):
    """You have no webhook with that id."""

    code = "unknown-hook"


class UnknownDelivery(GameError):
    """This webhook has no delivery with that id, or the delivery has expired."""

    code = "unknown-delivery"


class WrongKind(GameError):
    """The operation is for bots of the other kind: the arena calls push bots, and pull bots poll the arena."""

    code = "wrong-kind"


class NotProved(GameError):
    """The bot or the webhook did not answer the challenge as the contract says, so its address may not be yours."""

    code = "not-proved"


class NotReady(GameError):
    """The bot cannot play yet: it is not proved or described, is disabled, or has not passed its checks."""

    code = "not-ready"


class NoRoom(GameError):
    """The limit of keys, bots, webhooks, deliveries, tournaments, matches, owners, bans or log entries is reached."""

    code = "no-room"


class UnknownSeat(GameError):
    """The match has no such seat."""

    code = "unknown-seat"


class SeatTaken(GameError):
    """The seat, or every seat, is taken."""

    code = "seat-taken"


class NotBegun(BadMove):
    """The match has not begun: seats are still open; or the tournament has not begun."""

    code = "not-begun"


class NotOver(GameError):
    """The match is not over, so this would show hidden cards; or the tournament is not over, so it stays."""

    code = "not-over"


class AlreadyBegun(GameError):
    """The tournament has begun, so its times cannot be changed."""

    code = "already-begun"


class NotOpen(GameError):
    """The tournament takes no bots now: its sign-up has not begun, or has ended."""

    code = "not-open"


class AlreadyOver(GameError):
    """The tournament or experiment is over, so it cannot be changed."""

    code = "already-over"


class TooManyGames(GameError):
    """The tournament would have more games than a tournament may have."""

    code = "too-many-games"


class OutOfTime(BadMove):
    """The clock of the seat ran out before the move arrived; the default move is sealed instead."""

    code = "out-of-time"


class UnknownAsk(GameError):
    """None of your bots has an ask with that id, or the ask has expired."""

    code = "unknown-ask"


class AlreadyAnswered(GameError):
    """The ask already has another answer, and the first legal answer counts."""

    code = "already-answered"


class WrongAsk(GameError):
    """The answer names another ask than the address of the request."""

    code = "wrong-ask"


class WrongSchema(GameError):
    """The answer names neither a move nor an index, or both."""

    code = "wrong-schema"


class NotFound(GameError):
    """There is nothing at this address."""

    code = "not-found"


class WrongMethod(GameError):
    """This address does not support this method."""

    code = "wrong-method"


class TooLarge(GameError):
    """The body of the request is larger than any request needs."""

    code = "too-large"


class WrongType(GameError):
    """The body of the request is not declared as JSON."""

    code = "wrong-type"


class TooMany(GameError):
    """The client has made more requests than one client may make in a minute."""

    code = "too-many-requests"


class TooManyMatches(GameError):
    """The client has as many matches among bots alone running as one client may have at a time."""

    code = "too-many-matches"


class TooManyStreams(GameError):
    """The client has as many event streams and long-polls open as one client may have at a time."""

    code = "too-many-streams"


class TooManyConnections(GameError):
    """The client has as many requests open as one client may have at a time."""

    code = "too-many-connections"


class TooSlow(GameError):
    """The body of the request did not arrive in time."""

    code = "too-slow"


class Busy(GameError):
    """The service is at the limit of its work, and the request was not carried out: try again."""

    code = "busy"


class Unexpected(GameError):
    """The service has an internal error, which it has logged."""

    code = "unexpected"


class NoPort(GameError):
    """The service cannot listen at that address: the port is in use, or the user may not open it."""

    code = "no-port"


class NoWorker(GameError):
    """A process of the service ended before it could answer; its error message is above."""

    code = "no-worker"
