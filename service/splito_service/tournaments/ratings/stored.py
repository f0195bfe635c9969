"""Stored form of online ratings.

Ratings that were stored before version 0.2.0 are on another scale, on which a new bot had 25. They are converted when
they are read, so that no rating is lost by an upgrade.
"""

from math import sqrt

import msgspec
from msgspec.structs import asdict

from splito_arena.stats.online_rating import UNCERTAINTY, Rating
from splito_arena.stats.scale import CENTRE, POINTS

FORMER, IN_POINTS = 0, 1
"""Numbers of the scales: the one before version 0.2.0, and rating points."""
FORMER_CENTRE, FORMER_SCATTER = 25.0, 25 / 6
"""Rating of a new bot, and scatter of a bot's results, on the former scale."""


class StoredRating(Rating, frozen=True):
    """An online rating with the number of its scale."""

    scale: int = FORMER


def encode(rating: Rating) -> bytes:
    return msgspec.json.encode(StoredRating(**asdict(rating), scale=IN_POINTS))


def decode(raw: bytes, players: int) -> Rating:
    """Return a stored rating of a table with this number of players, in rating points."""
    stored = _decode(raw)
    if stored.scale == IN_POINTS:
        return _rating(stored, stored.mean, stored.sigma, stored.before)
    unit = POINTS / (FORMER_SCATTER * sqrt(players))  # the former model divided differences by this scatter
    before = tuple(CENTRE + unit * (mean - FORMER_CENTRE) for mean in stored.before)
    sigma = min(UNCERTAINTY, unit * stored.sigma)
    return _rating(stored, CENTRE + unit * (stored.mean - FORMER_CENTRE), sigma, before)


def _rating(stored: StoredRating, mean: float, sigma: float, before: tuple[float, ...]) -> Rating:
    return Rating(mean=mean, sigma=sigma, games=stored.games, blocks=stored.blocks, before=before)


_decode = msgspec.json.Decoder(StoredRating).decode
