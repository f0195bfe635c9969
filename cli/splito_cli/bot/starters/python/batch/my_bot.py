"""A bot that answers several asks in one request: it collects the cards that moons and stars of its zones count."""

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Any

ABOUT: dict[str, Any] = {
    "name": "MY-BOT",
    "author": "me",
    "version": "1",  # the ratings treat a new version as a new bot
    "games": ["splito", "splitit", "splitter"],
    "batch": 64,  # asks in one request
    "concurrency": 4,  # requests at the same time
}


def choose(ask: Any) -> Any:
    return choose_all([ask])[0]


def choose_all(asks: Sequence[Any]) -> list[Any]:
    """Return one of its `moves` for each ask. All moves of all asks are valued in one call."""
    values = iter(worths([(ask, move) for ask in asks for move in ask.moves]))
    mine = [[*islice(values, len(ask.moves))] for ask in asks]
    return [ask.moves[worth.index(max(worth))] for ask, worth in zip(asks, mine, strict=True)]


def worths(rows: Sequence[tuple[Any, Any]]) -> list[float]:
    """Return the worth of each move. A neural network would compute all of them in one call here."""
    return [
        hope(ask, move, "left") * hope(ask, move, "right")
        if ask.game == "splito"
        else Random(f"{ask.seed}{move}").random()
        for ask, move in rows
    ]


def hope(ask: Any, move: Any, side: str) -> int:
    zone = [*ask.view.zones[getattr(ask.view.seats[ask.seat], side)], *[move.card] * (move.side == side)]
    objectives = [card for card in (*zone, *ask.view.commons) if card[:5] in ("moon-", "star-")]
    signs = [objective[5:].replace("black", "k")[0] for objective in objectives]
    return 1 + sum(sign in card for sign in signs for card in zone if "-" not in card)
