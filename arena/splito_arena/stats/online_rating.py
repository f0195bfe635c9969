"""Online ratings for every version of a bot: Plackett-Luce, updated block by block.

A rating is a belief about the strength of a bot: a mean and its uncertainty. Each block moves the beliefs about its
bots once, by their order over the whole block. One table of ratings is for one game and one number of players. The
order of the blocks matters a little, so they are always taken in the order of their ids; the published table at the end
does not depend on it (`splito_arena.stats.fitted_rating`).
"""

from collections.abc import Iterable, Mapping
from math import hypot

import msgspec
from openskill.models import PlackettLuce, PlackettLuceRating

from splito_arena.blocks.placings import Placings, check, in_order, order
from splito_arena.errors import BadPlacings
from splito_arena.stats.intervals import Interval, Z

MODEL = PlackettLuce()
"""The rating model, with its authors' numbers: mean 25, sigma 25/3, beta 25/6, and tau 25/300, which keeps sigma above
0.
"""

WIDENED = MODEL.sigma / 2
"""Uncertainty that a new version adds to that of its predecessor."""

TREND_BLOCKS = 20


class Rating(msgspec.Struct, frozen=True):
    """The rating of one version of a bot."""

    mean: float = MODEL.mu
    sigma: float = MODEL.sigma
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
    return Rating(mean=rating.mean, sigma=min(MODEL.sigma, hypot(rating.sigma, WIDENED)))


def leaderboard(ratings: Mapping[str, Rating]) -> tuple[Row, ...]:
    """Return the leaderboard, the best first; bots with the same rating are in the order of their ids."""
    rows = [_row(bot, rating) for bot, rating in ratings.items()]
    return tuple(sorted(rows, key=lambda row: (-row.rating.mean, row.bot)))


def _moved(ratings: Mapping[str, Rating], placings: Placings, predecessors: Mapping[str, str]) -> dict[str, Rating]:
    old = [_known(bot, ratings, predecessors) for bot in placings.bots]
    teams = [[PlackettLuceRating(rating.mean, rating.sigma)] for rating in old]
    # whole numbers, because `rate` truncates fractions, and 1.25 would be tied with 1.75
    new = MODEL.rate(teams, ranks=[*order(placings)])
    games = len(placings.games)
    return {bot: _after(before, belief, games) for bot, before, (belief,) in zip(placings.bots, old, new, strict=True)}


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
