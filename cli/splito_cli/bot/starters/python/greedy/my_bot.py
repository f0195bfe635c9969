"""A bot that collects the cards that the moons and stars of its zones count; a score is left zone × right zone."""

from random import Random

from splito_bot import AnyAsk, AnyMove, BotInfo

INFO = BotInfo(name="MY-BOT", author="me", version="1", games=["splito", "splitit", "splitter"])


def choose(ask: AnyAsk) -> AnyMove:
    if ask.game != "splito":
        return Random(ask.seed).choice(ask.moves)
    return max(ask.moves, key=lambda move: hope(ask, move, "left") * hope(ask, move, "right"))


def hope(ask: AnyAsk, move: AnyMove, side: str) -> int:
    zone = ask.view.zones[getattr(ask.view.seats[ask.seat], side)] + (move.card,) * (move.side == side)
    wanted = [card[5:].replace("black", "k")[0] for card in zone + ask.view.commons if card[:5] in ("moon-", "star-")]
    return 1 + sum(sign in card for sign in wanted for card in zone if "-" not in card)
