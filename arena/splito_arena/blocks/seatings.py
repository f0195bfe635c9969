"""Seatings of a block, balanced so that neither a seat nor a neighbour favours a bot.

Seats stand in a circle, and the right neighbour of seat i is seat i + 1. In G games of n bots there are G * n pairs
(bot, its right neighbour), shared by n * (n - 1) ordered pairs of bots: all have the same number only if n - 1 divides
G, and all bots have every seat equally often only if n divides G. Both together take n * (n - 1) games, or half of them
if n is odd and only neighbours count, not sides. So the tables below have all pairs equal where three games per seat
are enough for it, and no two pairs differ by more than one in two games per seat elsewhere. docs/blocks.md lists the
balance for each number of seats.

A design is a few orders of the bots and a step: each order is played again with every bot's number raised by the step,
modulo n, until it comes back. With step 1 that alone puts every bot once into every seat.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from splito_engine.chance import shuffled
from splito_engine.errors import WrongPlayers

Seating: TypeAlias = tuple[int, ...]
"""Number of the bot in each seat."""


class Design(NamedTuple):
    step: int
    orders: tuple[Seating, ...]


def seatings(size: int) -> tuple[Seating, ...]:
    """Return the seatings of a block of `size` bots, no two of them alike."""
    if size < 1:
        raise WrongPlayers(f"a block needs at least one bot, not {size}", field="players")
    return _developed(size)


def relabelled(games: Sequence[Seating], bots: int, seed: str, fixed: int = 0) -> tuple[Seating, ...]:
    """Return the seatings with the bots numbered anew by a seed, so that the imbalance of a design evens out over many
    blocks.

    The first `fixed` bots keep their numbers.
    """
    numbers = [*range(fixed), *shuffled(range(fixed, bots), seed, "seatings")]
    return tuple(tuple(numbers[bot] for bot in game) for game in games)


def is_relabelled(games: Sequence[Seating], design: Sequence[Seating], bots: int, fixed: int = 0) -> bool:
    """Return True if some seed of `relabelled` turns the design into these seatings."""
    if list(map(len, games)) != list(map(len, design)):
        return False
    pairs = {pair for seats in zip(design, games, strict=True) for pair in zip(*seats, strict=True)}
    before, after = ({pair[side] for pair in pairs} for side in (0, 1))
    one_to_one = len(pairs) == len(before) == len(after)
    return one_to_one and after <= {*range(bots)} and all(bot == number for bot, number in pairs if bot < fixed)


def zigzag(size: int) -> Design:
    """Return Williams' design for any number of seats: 0, n - 1, 1, n - 2 and so on.

    All steps from one seat to the next are different if n is even; so n games have every ordered pair once, but those n
    / 2 apart twice. If n is odd, every step comes twice or not at all, and the same order from the other side has the
    rest: 2n games have every ordered pair twice, but those (n - 1) / 2 apart, either way, three times.
    """
    order = tuple(-(place + 1) // 2 % size if place % 2 else place // 2 for place in range(size))
    return Design(1, (order,) if size % 2 == 0 or size == 1 else (order, order[::-1]))


@cache
def _developed(size: int) -> tuple[Seating, ...]:
    step, orders = DESIGNS.get(size) or zigzag(size)
    return tuple(tuple((bot + turn) % size for bot in order) for order in orders for turn in range(0, size, step))


def _design(step: int, orders: str) -> Design:
    """Return a design from its text, in which each bot is one character: 0 to 9, a, b."""
    return Design(step, tuple(tuple(int(bot, 36) for bot in order) for order in orders.split()))


DESIGNS = {
    4: _design(2, "0132 1203 2013 1302 1032 2301"),
    5: _design(5, "31240 03412 21304 32014 40231 02431 13042 40123 14320 24103"),
    6: _design(2, "501324 420315 350214 253041"),
    7: _design(1, "3154620 2160453 4632501"),
    8: _design(2, "40352176 15463027 07621453 56370142"),
    12: _design(2, "534a678b2910 6273541a980b 258a1b396704 b6138a427095"),
}
"""Designs by number of seats, found by simulated annealing; the tests check their balance."""
