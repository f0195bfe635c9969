"""Fitted ratings of the published table: one Plackett-Luce fit to all games at once, so that their order cannot matter.

The scale: 1500 is the mean of the bots that can be compared, each counted by how much its games tell about it. A bot
that wins or loses nearly all its games tells little, and so cannot move the others.

The interval: all ratings whose likelihood is not too far below that of the best fit (profile likelihood). How far is
too far follows from the real scatter of the blocks: the games of a block may depend on each other, so whole blocks are
compared (the cluster sandwich), with Student's t for their number. A bot that nobody of the compared ones ever beat has
no upper end, and a bot that never beat any of them no lower end. A bot without both has no rating: its games do not say
how far it is from the compared ones.
"""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from splito_arena.blocks.placings import Placings, in_order
from splito_arena.errors import BadPlacings
from splito_arena.stats.intervals import LEAST_BLOCKS, RatingInterval, Z, student_t
from splito_arena.stats.nearby import nearby, nearby_among, one_end, path_end, rows_by_bot
from splito_arena.stats.plackett_luce import (
    RIDGE,
    Flags,
    Floats,
    Indices,
    Likelihood,
    Orders,
    fitted,
    merged,
    orders_of,
    profile_end,
)
from splito_arena.stats.scale import CENTRE, POINTS

SKEWED = 0.04
"""Skewness of a bot's likelihood up to which its interval is taken as symmetric: its ends move by less than 3 %."""

LEAST_SCATTER = 0.5
"""Least share of the variance of the model that an interval has, however alike the blocks are."""

LARGE = 64
"""Number of bots above which an interval is computed from the games of its bot and a parabola for all other games."""

DIGITS = 6
"""Decimal digits of ratings, and of the strengths by which bots are ordered, because the last bits of a computed figure
depend on the machine and on the order of the sums.
"""


class Strength(msgspec.Struct, frozen=True):
    """A line of the published table."""

    bot: str
    rating: RatingInterval
    games: int
    blocks: int
    group: int
    """Number of the group, from 1, the largest first.

    Bots of two groups never met, not even through other bots, so that they cannot be compared.
    """
    weight: float
    """Weight of the bot in the mean of its group, which is 1500; 0 if it cannot be compared with that mean."""


class _Fit(msgspec.Struct, frozen=True):
    """A fit with all that the intervals of its bots need."""

    likelihood: Likelihood
    strengths: Floats
    curvature: Floats
    covariance: Floats
    """Inverse of the curvature."""
    scatter: Floats
    """Sum over blocks of the products of the surprises of each two bots."""
    blocks: Floats
    """Number of blocks of each bot."""
    skewness: Floats
    """Skewness of the likelihood of each bot."""
    rows: Sequence[Indices]
    """Numbers of the rows of the likelihood with each bot."""
    over: Flags
    """True by bot and bot if the first, or a bot behind it in a chain, finished ahead of the second."""


def refit(ledger: Iterable[Placings]) -> tuple[Strength, ...]:
    """Return the table group by group, the best first.

    The same blocks in any order give the same table to the last digit.
    """
    ordered = in_order(ledger)
    if not ordered:
        raise BadPlacings("there are no blocks to rate", field="block")
    names = sorted({bot for placings in ordered for bot in placings.bots})
    number = {name: index for index, name in enumerate(names)}
    games, blocks = _counts(ordered)
    played = [([number[bot] for bot in placings.bots], placings.games) for placings in ordered]
    fit = _fit(orders_of(played, len(names)), np.array([blocks[name] for name in names], np.float64))
    group = _groups(ordered)
    anchors = _anchors(fit, np.array([group[name] for name in names]))
    rows = [
        Strength(
            bot=name,
            rating=_rating(fit, index, anchors[index]),
            games=games[name],
            blocks=blocks[name],
            group=group[name],
            weight=float(anchors[index][index]),
        )
        for index, name in sorted(
            enumerate(names), key=lambda one: (group[one[1]], -round(float(fit.strengths[one[0]]), DIGITS), one[1])
        )
    ]
    return tuple(rows)


def _fit(orders: Orders, blocks: Floats) -> _Fit:
    likelihood = Likelihood(merged(orders))
    strengths = fitted(likelihood)
    curvature = likelihood.curvature(likelihood.at(strengths))
    whole = Likelihood(orders)
    return _Fit(
        likelihood=likelihood,
        strengths=strengths,
        curvature=curvature,
        covariance=np.asarray(np.linalg.inv(curvature), np.float64),
        scatter=whole.scatter(whole.at(strengths)),
        blocks=blocks,
        skewness=likelihood.skewness(likelihood.at(strengths)),
        rows=rows_by_bot(likelihood.orders),
        over=_chained(likelihood.ahead()),
    )


def _rating(fit: _Fit, bot: int, anchor: Floats) -> RatingInterval:
    """Return the rating of a bot relative to the anchor, which has the weight of each compared bot."""
    contrast = -anchor
    contrast[bot] += 1
    value, compared = float(contrast @ fit.strengths), anchor > 0
    has_low, has_high = bool(fit.over[bot, compared].all()), bool(fit.over[compared, bot].all())
    if has_low and has_high:
        return _bounded(fit, bot, contrast, value)
    low = _one_end(fit, bot, contrast, -1.0) if has_low else None
    high = _one_end(fit, bot, contrast, 1.0) if has_high else None
    return RatingInterval(low if low is not None else high, low, high)


def _bounded(fit: _Fit, bot: int, contrast: Floats, value: float) -> RatingInterval:
    """Return a rating with both ends, or with none after too few blocks."""
    blocks = int(fit.blocks[bot])
    if blocks < LEAST_BLOCKS or not contrast.any():
        return RatingInterval(_points(value), None, None)
    ways = fit.covariance @ contrast
    by_model = float(contrast @ ways)
    by_blocks = float(ways @ fit.scatter @ ways) * blocks / (blocks - 1)
    drop = student_t(blocks - 1) ** 2 / 2 * max(LEAST_SCATTER, by_blocks / by_model)
    reach = (2 * drop * by_model) ** 0.5
    if abs(float(fit.skewness[bot])) < SKEWED:
        return RatingInterval(_points(value), _points(value - reach), _points(value + reach))
    if len(contrast) > LARGE:
        own = nearby(fit.likelihood.orders, fit.rows[bot], fit.strengths)
        low, high = (value + path_end(own, ways / by_model, by_model, side, drop) for side in (-1.0, 1.0))
    else:
        low, high = (
            profile_end(fit.likelihood, fit.strengths, contrast, value + side * reach, drop) for side in (-1.0, 1.0)
        )
    return RatingInterval(_points(value), _points(low), _points(high))


def _one_end(fit: _Fit, bot: int, contrast: Floats, side: float) -> float | None:
    """Return the only end of the interval of a bot whose strength is unlimited on the other side.

    The search begins where the bot would be as strong as the strongest compared one, or as weak as the weakest. In a
    large group there is no end if the bot met none of the compared ones.
    """
    others = fit.strengths[(contrast < 0) & (np.arange(len(contrast)) != bot)]
    level = float(others.max() if side < 0 else others.min())
    begin = float(contrast @ fit.strengths) + (level - float(fit.strengths[bot])) * float(contrast[bot])
    if len(contrast) <= LARGE:
        return _points(profile_end(fit.likelihood, fit.strengths, contrast, begin, Z**2 / 2))
    among = contrast != 0
    own = nearby_among(fit.likelihood.orders, fit.rows[bot], fit.strengths, among)
    if bot not in own.bots:
        return None
    return _points(one_end(own, (fit.strengths, fit.covariance), contrast, begin, Z**2 / 2))


def _points(strength: float) -> float:
    return round(CENTRE + POINTS * strength, DIGITS)


def _anchors(fit: _Fit, group: Indices) -> list[Floats]:
    """Return the weights of the compared bots of each bot's group: by how much their games tell about them.

    The compared bots are the largest set in which each bot finished ahead of each other one, directly or in a chain. If
    there is none, they are all bots of the group, in equal parts: nothing that bots which never lose to each other play
    tells how far they are apart.
    """
    told = np.diag(fit.curvature) - RIDGE
    mutual = fit.over & fit.over.T | np.eye(len(group), dtype=bool)
    by_group = dict[int, Floats]()
    for number in {*group.tolist()}:
        members = group == number
        sizes = np.where(members, mutual.sum(axis=1), 0)
        is_scaled = bool(sizes.max() > 1)
        weights = np.where(mutual[int(sizes.argmax())], told, 0.0) if is_scaled else members.astype(np.float64)
        by_group[number] = weights / weights.sum()
    return [by_group[number].copy() for number in group.tolist()]


def _chained(ahead: Floats) -> Flags:
    """Return True by bot and bot if a chain of bots that finished ahead leads from the first to the second."""
    over = ahead > 0
    while True:
        further = over | (over.astype(np.float32) @ over.astype(np.float32) > 0)
        if bool((further == over).all()):
            return further | np.eye(len(over), dtype=bool)
        over = further


def _groups(ledger: Sequence[Placings]) -> dict[str, int]:
    """Return the group of each bot: bots that met, directly or through other bots, are in one group."""
    together = {bot: frozenset({bot}) for placings in ledger for bot in placings.bots}
    for placings in ledger:
        if not together[placings.bots[0]].issuperset(placings.bots):
            merged = frozenset[str]().union(*(together[bot] for bot in placings.bots))
            together |= dict.fromkeys(merged, merged)
    ordered = sorted({*together.values()}, key=lambda group: (-len(group), min(group)))
    return {bot: number for number, group in enumerate(ordered, 1) for bot in group}


def _counts(ledger: Sequence[Placings]) -> tuple[dict[str, int], dict[str, int]]:
    games, blocks = dict[str, int](), dict[str, int]()
    for placings in ledger:
        for bot in placings.bots:
            games[bot] = games.get(bot, 0) + len(placings.games)
            blocks[bot] = blocks.get(bot, 0) + 1
    return games, blocks
