"""The players that a request seats in a match, and the client that may seat them."""

from splito_arena.bots.find import check_bot
from splito_service.bots.consent import NOBODY, Asker
from splito_service.bots.model import is_registered
from splito_service.http.common import AnyRequest, header
from splito_service.http.services.matches import MatchServices
from splito_service.matches.model import OPEN, Sitter
from splito_service.matches.schemas import NewBot, NewPerson, NewSeat
from splito_service.names import check_name


async def asker_of(request: AnyRequest, services: MatchServices) -> Asker:
    """Return the client that makes the request. Raise `NoKey`, `WrongScope` or `Banned` for a key."""
    authorization = header(request, b"authorization")
    if authorization is None:
        return NOBODY
    holder = await services.keys.read(authorization, "play")
    await services.keys.check_ban(holder)
    return Asker(holder.owner, holder.owner in services.organisers)


async def sitter_of(services: MatchServices, seat: NewSeat, game: str, asker: Asker) -> Sitter:
    match seat:
        case NewPerson(name):
            return Sitter("person", check_name(name))
        case NewBot(bot) if is_registered(bot):
            return await services.bot_turns.sitter(bot, game, asker)
        case NewBot(bot):
            check_bot(bot, game)
            return Sitter("bot", bot, bot)
        case _:
            return OPEN
