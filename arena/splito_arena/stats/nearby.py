"""Ends of intervals in large groups, from the games of one bot and a parabola in place of all other games.

The profile of a bot needs the strengths of all bots again at each step, which takes minutes for a thousand bots. Only
the games of the bot itself make its likelihood skewed, so these are computed exactly.
"""

from typing import NamedTuple

import numpy as np

from splito_arena.stats.plackett_luce import Flags, Floats, Indices, Likelihood, Orders, Rest, profile_end, where_lost


class Nearby(NamedTuple):
    """The games of a bot, and what is known of the bots in them."""

    games: Likelihood
    """Likelihood of these games; the bots are numbered as in `bots`."""
    bots: Indices
    strengths: Floats


def rows_by_bot(found: Orders) -> list[Indices]:
    """Return the numbers of the rows with each bot."""
    order = np.argsort(found.rows, axis=None, kind="stable")
    ends = np.searchsorted(found.rows.ravel()[order], np.arange(found.bots + 1))
    return [part // found.rows.shape[1] for part in np.split(order, ends[1:])[:-1]]


def nearby(found: Orders, rows: Indices, strengths: Floats) -> Nearby:
    """Return the games in these rows, without a ridge."""
    return _renumbered(found, found.rows[rows], found.weight[rows], strengths)


def nearby_among(found: Orders, rows: Indices, strengths: Floats, among: Flags) -> Nearby:
    """Return the games in these rows as if only the bots marked in `among` had played.

    The model allows that: the order of some bots of a game is drawn in the same way as the order of all.
    """
    there = np.where(np.append(among, False)[found.rows[rows]], found.rows[rows], found.bots)
    there = np.take_along_axis(there, np.argsort(there == found.bots, axis=1, kind="stable"), axis=1)
    told = there[:, 1] < found.bots  # a bot alone tells nothing
    return _renumbered(found, there[told], found.weight[rows][told], strengths)


def _renumbered(found: Orders, there: Indices, weight: Floats, strengths: Floats) -> Nearby:
    bots = np.unique(there)
    bots = bots[bots < found.bots]
    number = np.full(found.bots + 1, len(bots), np.intp)
    number[bots] = np.arange(len(bots))
    own = Orders(len(bots), number[there], weight, np.zeros(len(there), np.intp))
    return Nearby(Likelihood(own, _nothing(len(bots))), bots, strengths[bots])


def path_end(own: Nearby, path: Floats, by_model: float, side: float, drop: float) -> float:
    """Return how far a contrast is from its best value where the likelihood is `drop` lower.

    All strengths change along the path on which a parabola would lose least. `by_model` is the variance of the
    contrast.
    """
    along, at = path[own.bots], own.games.at(own.strengths)
    slope = float(along @ own.games.slope(at, own.strengths))
    others = max(0.0, 1 / by_model - float(along @ own.games.curvature(at) @ along))

    def lost(step: float) -> tuple[float, float]:
        strengths = own.strengths + along * step
        here = own.games.at(strengths)
        steepness = slope - float(along @ own.games.slope(here, strengths)) + others * step
        return at.value - here.value + slope * step + others * step**2 / 2, steepness

    return where_lost(lost, 0.0, side * (2 * drop * by_model) ** 0.5, drop)


def one_end(own: Nearby, fit: tuple[Floats, Floats], contrast: Floats, begin: float, drop: float) -> float:
    """Return the end of the profile interval of a contrast, as `profile_end` does, with the other games as a parabola.

    `fit` has the strengths and the covariance of all bots; `begin` is a guess of the end.
    """
    strengths, covariance = fit
    precision = np.asarray(np.linalg.inv(covariance[np.ix_(own.bots, own.bots)]), np.float64)
    at = own.games.at(own.strengths)
    rest = Rest(own.strengths, -own.games.slope(at, own.strengths), precision - own.games.curvature(at))
    near = np.asarray(precision @ (covariance[own.bots] @ contrast), np.float64)
    shift = float(contrast @ strengths) - float(near @ own.strengths)
    return shift + profile_end(Likelihood(own.games.orders, rest), own.strengths, near, begin - shift, drop)


def _nothing(bots: int) -> Rest:
    return Rest(np.zeros(bots), np.zeros(bots), np.zeros((bots, bots)))
