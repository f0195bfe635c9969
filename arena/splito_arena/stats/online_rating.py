"""Online ratings for every version of a bot: Plackett-Luce, updated game by game.

A rating is a belief about the strength of a bot: a mean and its uncertainty, in rating points. It is on the same scale
as the fitted ratings of the published table: 100 points more mean a chance of 64 % to finish ahead in one game, at
tables of every size. The order of the games matters a little, so the blocks are always taken in the order of their ids;
the published table at the end does not depend on it (`splito_arena.stats.fitted_rating`).

The update is one step of Newton's method for each bot, from its belief before the game: its mean moves by how much
better it placed than expected, divided by how exactly its strength is known after the game. What is expected allows for
the uncertainty of all bots at the table: the more of it, the closer to even are the chances.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import exp, hypot, pi, sqrt

import msgspec

from splito_arena.blocks.placings import Placings, check, in_order
from splito_arena.errors import BadPlacings
from splito_arena.stats.intervals import Interval, Z
from splito_arena.stats.orders import orders
from splito_arena.stats.scale import CENTRE, POINTS

UNCERTAINTY = 350.0
"""Uncertainty of a new bot, as a standard deviation in rating points."""
DRIFT = 1.0
"""Uncertainty that every game adds, so that a rating never stands still."""
WIDENED = UNCERTAINTY / 2
"""Uncertainty that a new version adds to that of its predecessor."""

TREND_BLOCKS = 20


class Rating(msgspec.Struct, frozen=True):
    """The rating of one version of a bot."""

    mean: float = CENTRE
    sigma: float = UNCERTAINTY
    games: int = 0
    blocks: int = 0
    before: tuple[float, ...] = ()
    """Means before each of the last blocks, the oldest first."""


class Row(msgspec.Struct, frozen=True):
    """A line of the leaderboard."""

    bot: str
    rating: Interval
    games: int
    blocks: int
    trend: float
    """Change of the rating over the last `TREND_BLOCKS` blocks, or over all blocks if there are fewer."""


def replayed(ledger: Iterable[Placings], predecessors: Mapping[str, str] | None = None) -> dict[str, Rating]:
    """Return the ratings after all these blocks, given in any order. `predecessors` is as in `rated`."""
    ratings = dict[str, Rating]()
    for placings in in_order(ledger):
        ratings |= _moved(ratings, placings, predecessors or {})
    return ratings


def rated(
    ratings: Mapping[str, Rating], placings: Placings, predecessors: Mapping[str, str] | None = None
) -> dict[str, Rating]:
    """Return the new ratings of the bots of one block only.

    `predecessors` maps a version to the one before it, from which it starts if it has no rating of its own.
    """
    check(placings)
    return _moved(ratings, placings, predecessors or {})


def successor(rating: Rating) -> Rating:
    """Return the first rating of a new version: the last mean, with more uncertainty, at most a newcomer's."""
    return Rating(mean=rating.mean, sigma=min(UNCERTAINTY, hypot(rating.sigma, WIDENED)))


def leaderboard(ratings: Mapping[str, Rating]) -> tuple[Row, ...]:
    """Return the leaderboard, the best first; bots with the same rating are in the order of their ids."""
    rows = [_row(bot, rating) for bot, rating in ratings.items()]
    return tuple(sorted(rows, key=lambda row: (-row.rating.mean, row.bot)))


def _moved(ratings: Mapping[str, Rating], placings: Placings, predecessors: Mapping[str, str]) -> dict[str, Rating]:
    old = [_known(bot, ratings, predecessors) for bot in placings.bots]
    means, variances = [rating.mean / POINTS for rating in old], [(rating.sigma / POINTS) ** 2 for rating in old]
    for places in placings.games:
        _play(means, variances, places)
    return {
        bot: _after(rating, POINTS * mean, POINTS * sqrt(variance), len(placings.games))
        for bot, rating, mean, variance in zip(placings.bots, old, means, variances, strict=True)
    }


def _play(means: list[float], variances: list[float], places: tuple[float, ...]) -> None:
    """Move the beliefs about the strengths by one game."""
    blur = 1 / sqrt(1 + pi / 4 * sum(variances) / len(variances))
    top = max(means)
    pulls = [exp(blur * (mean - top)) for mean in means]
    surprise, told = [0.0] * len(means), [0.0] * len(means)
    found = orders(places)
    for order in found:
        _add_order(order, pulls, surprise, told)
    share = blur / len(found)
    for bot, variance in enumerate(variances):
        known = 1 / (variance + (DRIFT / POINTS) ** 2) + share * blur * told[bot]
        variances[bot] = 1 / known
        means[bot] += share * surprise[bot] / known


def _add_order(order: Sequence[int], pulls: Sequence[float], surprise: list[float], told: list[float]) -> None:
    """Add how much better each bot came than expected in this order, and how much the order tells about the bot."""
    left = [*accumulate(pulls[bot] for bot in reversed(order))]
    expected = squares = 0.0
    for place, bot in enumerate(order):
        is_drawn = place < len(order) - 1
        if is_drawn:  # the last bot is not drawn, because nobody else is left
            share = 1 / left[-1 - place]
            expected += share
            squares += share * share
        pull = pulls[bot]
        surprise[bot] += is_drawn - pull * expected
        told[bot] += pull * (expected - pull * squares)


def _known(bot: str, ratings: Mapping[str, Rating], predecessors: Mapping[str, str]) -> Rating:
    """Return the bot's own rating, or the one that starts from its latest rated predecessor."""
    if bot in ratings:
        return ratings[bot]
    line = [bot]
    while (earlier := predecessors.get(line[-1])) is not None:
        if earlier in ratings:
            return successor(ratings[earlier])
        if earlier in line:
            raise BadPlacings(f"{bot} comes before itself", field="predecessors")
        line.append(earlier)
    return Rating()


def _after(rating: Rating, mean: float, sigma: float, games: int) -> Rating:
    return Rating(
        mean=mean,
        sigma=sigma,
        games=rating.games + games,
        blocks=rating.blocks + 1,
        before=(*rating.before, rating.mean)[-TREND_BLOCKS:],
    )


def _row(bot: str, rating: Rating) -> Row:
    return Row(
        bot=bot,
        rating=Interval(rating.mean, Z * rating.sigma),
        games=rating.games,
        blocks=rating.blocks,
        trend=rating.mean - rating.before[0] if rating.before else 0.0,
    )
