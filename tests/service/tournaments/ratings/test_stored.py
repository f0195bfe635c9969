"""Stored online ratings, also those of earlier versions."""

import json
from math import exp, sqrt

import pytest

from splito_arena.stats.online_rating import UNCERTAINTY, Rating
from splito_arena.stats.scale import CENTRE, POINTS
from splito_service.tournaments.ratings.stored import decode, encode

FORMER = {"mean": 31.0, "sigma": 1.5, "games": 24, "blocks": 2, "before": [25.0, 29.0]}
"""A rating as version 0.1.0 stored it."""


def test_a_rating_can_be_read_back() -> None:
    rating = Rating(mean=1612.5, sigma=33.0, games=24, blocks=2, before=(1500.0, 1580.0))
    assert decode(encode(rating), players=4) == rating


@pytest.mark.parametrize("players", [2, 4, 8])
def test_a_rating_of_an_earlier_version_keeps_its_chances(players: int) -> None:
    """The former model divided differences of ratings by the scatter of all results at the table."""
    found = decode(json.dumps(FORMER).encode(), players)
    former = 1 / (1 + exp(-(31.0 - 25.0) / (25 / 6 * sqrt(players))))
    assert 1 / (1 + exp(-(found.mean - CENTRE) / POINTS)) == pytest.approx(former)
    assert (found.games, found.blocks) == (24, 2)
    assert found.before[0] == CENTRE < found.before[1] < found.mean
    assert 0 < found.sigma <= UNCERTAINTY


def test_the_rating_of_a_new_bot_stays_that_of_a_new_bot() -> None:
    found = decode(json.dumps({"mean": 25.0, "sigma": 25 / 3}).encode(), players=2)
    assert (found.mean, found.sigma) == pytest.approx((CENTRE, 245.6), abs=0.1)
