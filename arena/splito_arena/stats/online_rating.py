"""Ratings while play goes on: Plackett-Luce, block by block, for every version of a bot.

A rating is a belief about how strong a bot is: a mean and how unsure it is. Each block moves the beliefs about its bots
once, by their order over the whole block. One table of ratings is for one game and one number of players. The order of
the blocks matters a little, so they are always taken in the order of their ids; what is published at the end does not
depend on it (`splito_arena.stats.fitted_rating`).
"""

from collections.abc import Iterable, Mapping
from math import hypot

import msgspec
from openskill.models import PlackettLuce, PlackettLuceRating

from splito_arena.blocks.placings import Placings, check, in_order, order
from splito_arena.errors import BadPlacings
from splito_arena.stats.intervals import Interval, Z

MODEL = PlackettLuce()
"""With the numbers of its authors: mean 25, sigma 25/3, beta 25/6, and tau 25/300, which lets no belief set hard."""

WIDENED = MODEL.sigma / 2
"""How unsure a new version makes, on top of what its predecessor left open."""

TREND_BLOCKS = 20


class Rating(msgspec.Struct, frozen=True):
    """What is known of one version of a bot."""

    mean: float = MODEL.mu
    sigma: float = MODEL.sigma
    games: int = 0
    blocks: int = 0
    before: tuple[float, ...] = ()
    """The means before each of the last blocks, the oldest first."""


class Row(msgspec.Struct, frozen=True):
    """A line of the leaderboard."""

    bot: str
    rating: Interval
    games: int
    blocks: int
    trend: float
    """How far the rating has moved over the last `TREND_BLOCKS` blocks, or over all if they are fewer."""


def replayed(ledger: Iterable[Placings], predecessors: Mapping[str, str] | None = None) -> dict[str, Rating]:
    """What all these blocks come to, whatever the order they are given in. `predecessors` is as in `rated`."""
    ratings = dict[str, Rating]()
    for placings in in_order(ledger):
        ratings |= _moved(ratings, placings, predecessors or {})
    return ratings


def rated(
    ratings: Mapping[str, Rating], placings: Placings, predecessors: Mapping[str, str] | None = None
) -> dict[str, Rating]:
    """The new ratings of the bots of one block, and of no others.

    `predecessors` has for a version the one before it, from which it starts if it has no rating of its own.
    """
    check(placings)
    return _moved(ratings, placings, predecessors or {})


def successor(rating: Rating) -> Rating:
    """Where a new version starts: as good as the last one, but less surely so, and never less than a newcomer."""
    return Rating(mean=rating.mean, sigma=min(MODEL.sigma, hypot(rating.sigma, WIDENED)))


def leaderboard(ratings: Mapping[str, Rating]) -> tuple[Row, ...]:
    """The best first; who has the same rating is in the order of the ids."""
    rows = [_row(bot, rating) for bot, rating in ratings.items()]
    return tuple(sorted(rows, key=lambda row: (-row.rating.mean, row.bot)))


def _moved(ratings: Mapping[str, Rating], placings: Placings, predecessors: Mapping[str, str]) -> dict[str, Rating]:
    old = [_known(bot, ratings, predecessors) for bot in placings.bots]
    teams = [[PlackettLuceRating(rating.mean, rating.sigma)] for rating in old]
    # whole numbers: of others `rate` cuts off the fraction, and 1.25 would be tied with 1.75
    new = MODEL.rate(teams, ranks=[*order(placings)])
    games = len(placings.games)
    return {bot: _after(before, belief, games) for bot, before, (belief,) in zip(placings.bots, old, new, strict=True)}


def _known(bot: str, ratings: Mapping[str, Rating], predecessors: Mapping[str, str]) -> Rating:
    """Its own rating, or what the last of its predecessors that has one passes on."""
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


def _after(rating: Rating, belief: PlackettLuceRating, games: int) -> Rating:
    return Rating(
        mean=belief.mu,
        sigma=belief.sigma,
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
