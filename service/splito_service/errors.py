"""Errors of the service that the engine cannot have: who may do what, and what is out of reach."""

from splito_engine.errors import BadMove, GameError


class Unavailable(GameError):
    """Redis does not answer or refuses writes; nothing is known to have been done: try again."""

    code = "unavailable"


class BadRequest(GameError):
    """The request is not what the contract says: malformed JSON, a wrong type, an unknown field."""

    code = "bad-request"


class BadName(GameError):
    """A name must show something, have 1 to 64 printable characters, and not be that of a bot of the house."""

    code = "bad-name"


class NoToken(GameError):
    """Only who sits there may do this, and the request has no token of the seat, or a false one."""

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
    """Only an owner may do this, and the request has no key of one, or a false or deleted one."""

    code = "no-key"


class WrongScope(GameError):
    """The key is not for this: it lacks the scope, or would pass on one that it lacks."""

    code = "wrong-scope"


class WrongOwner(GameError):
    """The bot, the tournament or the experiment belongs to another owner."""

    code = "wrong-owner"


class NotAllowed(GameError):
    """The owner of the bot does not let you enter or seat it; the owner opens it with `open_to`."""

    code = "not-allowed"


class UnknownKey(GameError):
    """You have no key of that id."""

    code = "unknown-key"


class UnknownBot(GameError):
    """No bot of that id is registered."""

    code = "unknown-bot"


class UnknownCheck(GameError):
    """There is no check of that id of this bot, or it has been forgotten."""

    code = "unknown-check"


class UnknownTournament(GameError):
    """There is no tournament or experiment of that id."""

    code = "unknown-tournament"


class UnknownBlock(GameError):
    """The tournament has no block of that id that is over, or it has been forgotten."""

    code = "unknown-block"


class UnknownHook(GameError):
    """You have no hook of that id."""

    code = "unknown-hook"


class UnknownDelivery(GameError):
    """Nothing of that id was to be delivered to this hook, or it has been forgotten."""

    code = "unknown-delivery"


class WrongKind(GameError):
    """Only for bots of the other kind: push bots are called by the arena, pull bots ask it."""

    code = "wrong-kind"


class NotProved(GameError):
    """The bot or the hook did not answer as its contract says, so its address is not known to be yours."""

    code = "not-proved"


class NotReady(GameError):
    """The bot has not proved itself, or has not been described, so nothing is known of it."""

    code = "not-ready"


class NoRoom(GameError):
    """There are as many keys, bots, hooks, deliveries, tournaments, matches or owners as there may be."""

    code = "no-room"


class UnknownSeat(GameError):
    """The match has no such seat."""

    code = "unknown-seat"


class SeatTaken(GameError):
    """The seat, or every seat, is taken."""

    code = "seat-taken"


class NotBegun(BadMove):
    """The match has not begun: seats are still open."""

    code = "not-begun"


class NotOver(GameError):
    """The match is not over yet: this would give hidden cards away. A tournament that is not over stays."""

    code = "not-over"


class AlreadyOver(GameError):
    """The tournament or experiment is over, so nothing of it can be changed."""

    code = "already-over"


class TooManyGames(GameError):
    """The tournament would come to more games than one may have."""

    code = "too-many-games"


class OutOfTime(BadMove):
    """The clock of the seat ran out before the move came; the default move is sealed instead."""

    code = "out-of-time"


class UnknownAsk(GameError):
    """No bot of yours has been asked this, or the ask has been forgotten."""

    code = "unknown-ask"


class AlreadyAnswered(GameError):
    """The ask has been answered otherwise, and the first good answer stands."""

    code = "already-answered"


class WrongAsk(GameError):
    """The answer names another ask than the address does."""

    code = "wrong-ask"


class WrongSchema(GameError):
    """The answer names neither a move nor an index, or both."""

    code = "wrong-schema"


class NotFound(GameError):
    """There is nothing at this address."""

    code = "not-found"


class WrongMethod(GameError):
    """There is something at this address, but it does not know this method."""

    code = "wrong-method"


class TooLarge(GameError):
    """The body of the request is larger than any request needs."""

    code = "too-large"


class WrongType(GameError):
    """The body of the request is not declared as JSON."""

    code = "wrong-type"


class TooMany(GameError):
    """More requests than one client may make in this time."""

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
    """The service has as much to do as it takes on at a time; nothing was done: try again."""

    code = "busy"


class Unexpected(GameError):
    """A fault of ours. It has been logged."""

    code = "unexpected"


class NoPort(GameError):
    """The service cannot listen at that address: the port is taken, or not ours to take."""

    code = "no-port"


class NoWorker(GameError):
    """A process of the service ended before it could answer; what it said stands above."""

    code = "no-worker"
