"""One table: bots in this process play a match to its end.

There is no clock and no second chance here: a bot that fails or answers with anything but one of its legal moves ends
the match with a `BadBot`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from splito_arena.bots.find import find_bot
from splito_engine.errors import BadBot
from splito_engine.game import AnyGame, Seat
from splito_engine.match import Match, play, start
from splito_engine.player import Ask, Choose, ask

HOUSE = ("planner", "greedy", "random")
"""Names of the house bots, the strongest first. They are looked up by name; none of them has to be installed."""


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
    """Return the bot's legal move for this turn. Raise `BadBot` if the bot fails or answers anything else."""
    asked = question(match, seat)
    who = f"bot {bot.name!r} in seat {seat}, turn {len(match.turns)}"
    try:
        move = bot.choose(asked)
    except BadBot as error:
        raise BadBot(f"{who}: {error.message}", seat=seat, field="bot") from error
    except Exception as error:  # a bot may be any author's code
        raise BadBot(f"{who} failed with {type(error).__name__}: {error}", seat=seat, field="bot") from error
    if move not in asked.moves:
        raise BadBot(f"{who} answered {_cut(repr(move))}, which is not one of its moves", seat=seat, field="bot")
    return move


def question(match: Match, seat: Seat) -> Ask:
    """Return the ask for a bot in that seat, with the seed of its dice in this turn."""
    return ask(match.game, match.state, seat, match.players, dice_seed(match, seat))


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


def _cut(text: str, length: int = 80) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
