"""One table: bots in this process play a match to its end.

There is no clock and no second chance here: a bot that fails or answers with anything but one of its legal moves ends
the match with a `BotFailed`, which holds the ask and the traceback.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from splito_arena.bots.fault_log import BotFailed, fault_of
from splito_arena.bots.find import find_bot
from splito_arena.bots.functions.tracebacks import of_error
from splito_arena.bots.in_process import as_answer
from splito_arena.faults import Fault, FaultNote, cut
from splito_arena.match.question import History, Sheet, encode
from splito_arena.match.seat import Clock, Exchange
from splito_engine.errors import BadBot
from splito_engine.game import AnyGame, Seat
from splito_engine.match import Match, play, start
from splito_engine.player import Ask, Choose, Time, ask

HOUSE = ("planner", "greedy", "random")
"""Names of the house bots, the strongest first. They are looked up by name; none of them has to be installed."""

_CLOCK = Clock()
_TIME = Time(_CLOCK.turn_ms + _CLOCK.bank_ms, _CLOCK.turn_ms, _CLOCK.bank_ms)
"""Time of an ask that is sent again; there is no clock here."""


class Bot(msgspec.Struct, frozen=True):
    """A bot in a seat: its name and its function."""

    name: str
    choose: Choose


def play_match(
    game: AnyGame,
    bots: Sequence[Bot],
    seed: str,
    options: Mapping[str, object] | msgspec.Struct | None = None,
) -> Match:
    """Play a whole match and return it; the bots are given in the order of their seats."""
    match = start(game, len(bots), seed, options)
    while actors := match.actors:
        match = play(match, {seat: ask_bot(match, seat, bots[seat]) for seat in actors})
    return match


def ask_bot(match: Match, seat: Seat, bot: Bot) -> Any:
    """Return the bot's legal move for this turn. Raise `BotFailed` if the bot fails or answers anything else."""
    asked = _whole_question(match, seat)
    moves = asked.moves
    try:
        said = bot.choose(asked)
        move = said if said in moves else as_answer(said, moves).move  # the common case, without a call of `as_answer`
    except Fault as fault:
        raise _failed(match, bot, asked, f"{_who(bot, asked)}: {fault}", fault) from fault
    except BadBot as error:  # the bot declines the game
        raise _failed(
            match, bot, asked, f"{_who(bot, asked)}: {error.message}", _crashed(error, error.message)
        ) from error
    except Exception as error:  # a bot may be any author's code
        said = f"{type(error).__name__}: {error}"
        raise _failed(match, bot, asked, f"{_who(bot, asked)} failed with {said}", _crashed(error, said)) from error
    if move not in moves:
        said = f"{_cut(repr(move))}, which is not one of its moves"
        raise _failed(match, bot, asked, f"{_who(bot, asked)} answered {said}", Fault("illegal-move", said))
    return move


def question(match: Match, seat: Seat) -> Ask:
    """Return the ask for a bot in that seat, with the seed of its dice in this turn."""
    return ask(match.game, match.state, seat, match.players, dice_seed(match, seat))


def _whole_question(match: Match, seat: Seat) -> Ask:
    """Return the ask with all that an ask of the arena has, but for the clock."""
    game, state = match.game, match.state
    return Ask(
        game.INFO.id,
        seat,
        match.players,
        game.view(state, seat),
        tuple(game.to_wire(state, game.moves(state, seat))),  # a tuple, because no bot may change it
        dice_seed(match, seat),
        _match_id(match.seed),
        len(match.turns),
        game.nudges(state, seat),
        match.turns,
    )


@lru_cache(maxsize=64)
def _match_id(seed: str) -> str:
    return hashlib.sha256(f"splito/1/direct/{seed}".encode()).hexdigest()[:24]


def dice_seed(match: Match, seat: Seat) -> str:
    """Return the seed of a bot's own dice in this turn: the same in a replay, unrelated to the seed of the match."""
    return hashlib.sha256(f"splito/1/bot/{match.seed}/{len(match.turns)}/{seat}".encode()).hexdigest()


def house_bot(match: Match) -> Bot:
    """Return the strongest house bot that plays this game, tried on the current position.

    Raise `BadBot` if there is none.
    """
    faults: list[str] = []
    for name in HOUSE:
        try:
            bot = Bot(name, find_bot(name))
            ask_bot(match, match.actors[0], bot)
        except BadBot as error:
            faults.append(error.message)
        else:
            return bot
    raise BadBot(f"no house bot plays {match.game.INFO.id}: {'; '.join(faults)}", field="bot")


def _who(bot: Bot, asked: Ask) -> str:
    return f"bot {bot.name!r} in seat {asked.seat}, turn {asked.turn}"


def _crashed(error: Exception, said: str) -> Fault:
    return Fault("crashed", cut(said, 300), of_error(error))


def _failed(match: Match, bot: Bot, asked: Ask, message: str, fault: Fault) -> BotFailed:
    """Return the error, with the ask as HTTP would have carried it, so that it can be sent again."""
    failed = BotFailed(message, seat=asked.seat, field="bot")
    sent = Sheet(match, asked.match, History()).question(asked.seat, _TIME)
    request = msgspec.structs.replace(sent.to_wire(datetime.now(UTC)), seed=asked.seed)
    exchange = Exchange(
        id=sent.id,
        match=asked.match,
        turn=sent.turn,
        seat=asked.seat,
        request=encode(request),
        response=b"",
        elapsed_ms=0.0,
        fault=FaultNote(sent.turn, fault.code, str(fault)),
        debug=None,
        traceback=fault.traceback,
    )
    failed.fault = fault_of(bot.name, asked.game, exchange)
    return failed


def _cut(text: str, length: int = 80) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
