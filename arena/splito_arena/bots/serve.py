"""A local function as a bot of the SDK, for `splito bot serve`.

The SDK's server speaks HTTP. This module decodes asks with the types of the engine, so that a bot gets over HTTP the
very `Ask` that it gets as a plugin, and house bots play the same in both.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from splito_arena.match.messages import messages_of
from splito_bot.bot import Bot
from splito_bot.contract import AnyAsk, BotInfo
from splito_bot.contract import Ask as SentAsk
from splito_bot.running.routes import Refusal
from splito_engine.errors import BadDeck, UnknownGame
from splito_engine.files import no_files
from splito_engine.match import Turn
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game


def as_bot(choose: Choose, info: BotInfo) -> Bot:
    """Return a bot of the SDK that asks the function."""

    def answer(sent: AnyAsk) -> Any:
        with no_files():
            return choose(ask_in(sent))

    return Bot(answer, info, read=read_ask)


def read_ask(body: bytes | msgspec.Raw) -> AnyAsk:
    """Return the ask with views and moves of the engine's types. Raise `Refusal` if no game or deck here fits it."""
    game = msgspec.json.decode(body, type=_Tag).game
    try:
        with no_files():
            sent = _decoder(game)(body)
    except UnknownGame as error:
        raise Refusal(400, error.code, error.message) from None
    except BadDeck as error:
        raise Refusal(400, error.code, error.message) from None
    return SentAsk(game=game, **{name: getattr(sent, name) for name in sent.__struct_fields__})


def ask_in(sent: Any) -> Ask:
    """Return the ask of a plugin with the content of an ask from `read_ask`."""
    return Ask(
        game=sent.game,
        seat=sent.seat,
        players=sent.players,
        view=sent.view,
        moves=tuple(sent.moves),
        seed=sent.seed,
        match=sent.match,
        turn=sent.turn,
        nudges=sent.nudges,
        turns=tuple(_turn_in(turn) for turn in sent.history),
        time=sent.time,
        last=sent.last,
        rejected=sent.rejected,
    )


def _turn_in(turn: Any) -> Turn:
    talk = {revealed.seat: revealed.nudge for revealed in turn.moves if revealed.nudge is not None}
    return Turn({revealed.seat: revealed.move for revealed in turn.moves}, talk)


class _Tag(msgspec.Struct):
    game: str


@cache
def _decoder(game: str) -> Callable[[bytes | msgspec.Raw], Any]:
    return msgspec.json.Decoder(messages_of(find_game(game)).Ask).decode
