"""Bots for the study of the collusion flag: honest ones with unusual habits, and planted allies.

A table is a text of names, for example `left right greedy greedy`: house bots, and the bots of `HONEST`. A star marks a
bot that helps its ally when both are neighbours; the allies are the first two bots.
"""

from collections.abc import Callable, Mapping
from random import Random

from msgspec import structs

from splito_arena.blocks.ledger import VersionId
from splito_arena.bots.find import find_bot
from splito_engine.game import AnyGame, Seat, shared_of
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game


class Friends:
    """Two bots that recognise each other by the id of the match, which both get."""

    def __init__(self) -> None:
        self._seats = dict[tuple[str, str], Seat]()

    def plays(self, name: str, friend: str, honest: Choose, *, helps: bool) -> Choose:
        """Return a bot that helps its ally beside it if it `helps`, and plays like `honest` elsewhere."""

        def choose(ask: Ask) -> object:
            self._seats[ask.match, name] = ask.seat
            seat = self._seats.get((ask.match, friend))
            if not helps or seat is None or (ask.seat - seat) % ask.players not in (1, ask.players - 1):
                return honest(ask)
            return raised(ask, seat)

        return choose


def raised(ask: Ask, neighbour: Seat) -> object:
    """Return the move after which the zone with that neighbour is worth most, or its points in a game without zones."""
    zone = (ask.seat, neighbour) if (ask.seat + 1) % ask.players == neighbour else (neighbour, ask.seat)

    def worth(game: AnyGame, state: object) -> int:
        shared = shared_of(game)
        return shared(state)[zone] if shared else game.scores(state)[neighbour][0]

    return _best(ask, worth)


def to_the(side: str, usual: Choose) -> Choose:
    """Return an honest bot that chooses like another one among the moves to one side, whichever bot sits there."""

    def choose(ask: Ask) -> object:
        return usual(structs.replace(ask, moves=tuple(move for move in ask.moves if move.side == side)))

    return choose


def follow(ask: Ask) -> object:
    """Return the move that raises the better one of the bot's zones most: an honest bot that joins a good neighbour."""
    game, rng = find_game(ask.game), Random(ask.seed)
    shared = shared_of(game)
    if shared is None:
        raise ValueError(f"nothing is shared in {ask.game}: a bot cannot follow there")
    left, right = (ask.seat - 1) % ask.players, (ask.seat + 1) % ask.players
    zones = shared(game.imagine(ask.view, rng))
    before = {left: zones[left, ask.seat], right: zones[ask.seat, right]}
    return raised(ask, rng.choice([seat for seat, points in before.items() if points == max(before.values())]))


def _best(ask: Ask, worth: Callable[[AnyGame, object], int]) -> object:
    """Return the move after which the state is worth most if all others move at random; one of them in a tie."""
    game, rng = find_game(ask.game), Random(ask.seed)
    state = game.imagine(ask.view, rng)
    others = {seat: rng.choice(game.moves(state, seat)) for seat in game.actors(state) if seat != ask.seat}
    worths = [worth(game, game.apply(state, {**others, ask.seat: game.from_wire(state, move)})) for move in ask.moves]
    return rng.choice([move for move, value in zip(ask.moves, worths, strict=True) if value == max(worths)])


HONEST: Mapping[str, Choose] = {
    "left": to_the("left", find_bot("random")),
    "right": to_the("right", find_bot("random")),
    "greedy-left": to_the("left", find_bot("greedy")),
    "greedy-right": to_the("right", find_bot("greedy")),
    "follow": follow,
}
"""Honest bots of Splito that play only to one side, or to their better side, by name."""


def seated(table: str) -> dict[VersionId, Choose]:
    """Return the bots of a table, named `planner-0@1` and so on by their places in it."""
    names = table.split()
    ids = [f"{name.strip('*')}-{number}@1" for number, name in enumerate(names)]
    bots = {bot: _bot(name.strip("*")) for bot, name in zip(ids, names, strict=True)}
    friends = Friends()
    for bot, friend, name in ((ids[0], ids[1], names[0]), (ids[1], ids[0], names[1])) if "*" in table else ():
        bots[bot] = friends.plays(bot, friend, bots[bot], helps=name.endswith("*"))
    return bots


def _bot(name: str) -> Choose:
    return HONEST[name] if name in HONEST else find_bot(name)
