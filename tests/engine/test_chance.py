"""The random stream: it is part of every record, so it must never change, and it must be fair."""

from collections import Counter

import pytest

from splito_engine.chance import check_seed, dice, draw, new_seed, shuffled, words
from splito_engine.errors import BadOption


def test_the_stream_is_the_one_that_is_documented_and_never_changes() -> None:
    """The expected values come from another language: Node's crypto and the docstrings of `splito_engine.chance`."""
    assert words(3, "seed", "test") == (6608616326470531699, 8046932485583417409, 3339382008635979958)
    assert "".join(shuffled("abcdefgh", "seed", "test")) == "dfgbcahe"
    assert dice(12, "seed", "test") == [2, 3, 2, 5, 5, 2, 3, 2, 4, 5, 1, 5]


def test_a_longer_draw_begins_like_a_shorter_one() -> None:
    assert words(50, "seed", "test")[:7] == words(7, "seed", "test")
    assert dice(500, "seed", "test")[:40] == dice(40, "seed", "test")


def test_purposes_and_seeds_are_streams_of_their_own() -> None:
    streams = {words(4, seed, purpose) for seed in ("1", "2") for purpose in ("a", "b")}
    assert len(streams) == 4


def test_drawing_takes_the_card_at_each_words_remainder_out_of_the_pack() -> None:
    pack = list("abcde")
    assert draw(pack, [7, 0, 5]) == ["c", "a", "e"]
    assert pack == ["b", "d"]


def test_every_order_of_four_cards_is_about_as_likely() -> None:
    orders = Counter("".join(shuffled("abcd", str(seed), "test")) for seed in range(24_000))
    assert len(orders) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in orders.values()) < 60  # chi-squared, 23 degrees: p < 0.0001


def test_dice_are_fair() -> None:
    faces = Counter(dice(60_000, "fair", "test"))
    assert sorted(faces) == [1, 2, 3, 4, 5, 6]
    assert sum((count - 10_000) ** 2 / 10_000 for count in faces.values()) < 30  # 5 degrees: p < 0.0001


@pytest.mark.parametrize("seed", ["", "x" * 129, "tab\t", "naïve", "new\nline"])
def test_a_seed_that_could_be_misread_is_refused(seed: str) -> None:
    with pytest.raises(BadOption) as caught:
        check_seed(seed)
    assert caught.value.field == "seed"


def test_new_seeds_are_good_seeds_and_never_the_same() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100
    for seed in seeds:
        check_seed(seed)
