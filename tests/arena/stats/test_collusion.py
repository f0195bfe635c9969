"""The collusion flag: planted allies are found, honest bots are not, and the stated rate of false alarms is kept."""

from functools import cache
from itertools import combinations, permutations
from random import Random

import msgspec
import pytest

from benchmarks.studies.colluders import seated
from benchmarks.studies.collusion import SHAPES, at_the_edge, chances_at_the_edge, drawn, flagged, pool_of, share
from benchmarks.studies.sequential import most_by_chance
from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id
from splito_arena.blocks.seatings import Seating
from splito_arena.stats.collusion import (
    FALSE_ALARMS,
    LEAST_BLOCKS,
    SAFETY,
    Evidence,
    chance_of,
    gathered,
    judged,
    student_tail,
    suspicions,
)
from splito_arena.stats.pair_reasons import Told, told_by_zones
from splito_engine.games import splito
from splito_engine.record import replay
from tests.arena.tournaments import ledger
from tests.conftest import QUICK

TAILS = [
    (2.0, 5, 0.050970),
    (4.0, 4, 0.008065),
    (1.0, 1, 0.25),
    (3.0, 2, 0.047733),
    (-1.5, 9, 0.916065),
    (6.0, 30, 6.971e-7),
]
"""From the tables."""


@pytest.mark.parametrize(("t", "degrees", "tail"), TAILS)
def test_tail_probabilities_are_those_of_published_tables(t: float, degrees: int, tail: float) -> None:
    assert student_tail(t, degrees) == pytest.approx(tail, rel=1e-3)


def test_equal_blocks_give_a_chance_of_0_or_1() -> None:
    assert (chance_of([1.0] * 6), chance_of([0.0] * 6), chance_of([-1.0] * 6)) == (0, 1, 1)


def test_skewness_does_not_hide_a_large_effect() -> None:
    values = [5, 8, 9, 10, 10, 10, 11, 8]
    assert chance_of(values) < 1e-4
    chances = [chance_of([value + shift for value in values]) for shift in range(-12, 12)]
    assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blocks", [LEAST_BLOCKS, 16])
def test_false_alarms_keep_to_their_rate_even_at_the_edge(shape: str, blocks: int) -> None:
    assert share(chances_at_the_edge(shape, blocks, 300), FALSE_ALARMS) <= most_by_chance(300, FALSE_ALARMS)


def test_the_chance_of_a_tournament_counts_all_its_pairs() -> None:
    chance = Random(2)
    found = judged([at_the_edge("abcd", SHAPES["normal"], chance) for _ in range(LEAST_BLOCKS)])
    assert [pair.tournament_chance for pair in found] == [min(1, pair.chance * 6 * SAFETY) for pair in found]


def test_a_stricter_rate_for_a_season_flags_only_pairs_below_it() -> None:
    pool = planted("random" if QUICK else "both")
    (first, *_) = judged(pool)
    assert flagged(judged(pool, first.tournament_chance))
    assert not flagged(judged(pool, first.tournament_chance / 2))


RIGHT, LEFT = {"a": 3.0, "b": 3.5, "c": 1.0, "d": 1.5}, {"a": 2.5, "b": 3.0, "c": 1.5, "d": 1.0}
"""Effects of bots on their right and left zones: `a` and `b` raise both."""


def test_zones_in_which_the_effects_of_bots_add_up_are_not_beyond_a_sum() -> None:
    zones = {(one, other): RIGHT[one] + LEFT[other] for one, other in permutations("abcd", 2)}
    assert [told.reasons[-2] for told in told_by_zones(zones, "abcd").values()] == pytest.approx([0] * 6)


def test_zones_in_which_the_effects_of_bots_multiply_are_beyond_a_sum_but_not_beyond_a_product() -> None:
    zones = {(one, other): RIGHT[one] * LEFT[other] for one, other in permutations("abcd", 2)}
    *others, beyond_sum, beyond_product = told_by_zones(zones, "abcd")["a", "b"].reasons
    assert min(*others, beyond_sum) > 0
    assert beyond_product < 0.05
    assert told_by_zones({**zones, ("a", "b"): 20, ("b", "a"): 20}, "abcd")["a", "b"].reasons[-1] > 0.5


def test_zones_without_points_give_no_reason() -> None:
    told = told_by_zones(dict.fromkeys(permutations("abcd", 2), 0.0), "abcd")
    assert {one.reasons for one in told.values()} == {(0.0,) * 8}


MIRRORS = ["left right random random", "left right left right", "left right greedy random"]
"""Tables with bots that play every card to the left, or every card to the right."""
HONEST = ["greedy greedy random random", "planner greedy random random"]
PLANTED = {
    "random": ("random* random* random random", 16),
    "both": ("greedy* greedy* greedy random", 16),
    "one": ("greedy* greedy greedy random", 32),
}
"""Tables with two allies, one or both of whom help the other, and the blocks after which they are found."""


@cache
def planted(helping: str) -> list[Evidence]:
    """Played once for all tests."""
    return pool_of(*PLANTED[helping])


@pytest.mark.parametrize("table", MIRRORS[:1] if QUICK else MIRRORS)
def test_bots_that_play_to_one_side_are_not_suspected(table: str) -> None:
    """The zone between a bot that plays right and a bot at its right that plays left gets all cards of both bots; that
    between the same bots in the other order gets none.
    """
    pool = pool_of(table, 16)
    assert all(pair.chance > 0.5 for pair in judged(pool) if {pair.one[:4], pair.other[:4]} == {"left", "righ"})
    assert sum(bool(flagged(one)) for one in drawn(pool, 16, 50, table)) <= 1


def test_bots_that_join_a_good_neighbour_are_not_flagged() -> None:
    """The effects of such bots multiply: two of them share zones that are worth far more than the sum of effects."""
    pool = pool_of("follow follow random random", 4 if QUICK else 16)
    assert sum(bool(flagged(one)) for one in drawn(pool, 16, 50, "follow")) <= 1


@pytest.mark.parametrize("table", HONEST[:1] if QUICK else HONEST)
def test_honest_bots_of_unlike_strength_are_not_flagged(table: str) -> None:
    """Strong bots raise all their zones, and those with weak ones more than one would think."""
    pool = pool_of(table, 4 if QUICK else 10)
    found = [flagged(one) for one in drawn(pool, 16, 100, table)]
    assert sum(map(bool, found)) <= 1
    assert all(pair.together < 1.3 * pair.otherwise for pair in judged(pool))


@pytest.mark.parametrize("helping", ["random"] if QUICK else ["both", "one"])
def test_colluding_bots_are_flagged_and_no_others(helping: str) -> None:
    assert flagged(judged(planted(helping))) == {frozenset([*seated(PLANTED[helping][0])][:2])}


def test_no_pair_is_flagged_with_too_few_blocks() -> None:
    assert judged([at_the_edge("abcd", SHAPES["normal"], Random(1))] * (LEAST_BLOCKS - 1)) == ()


def test_colluding_bots_do_not_get_other_bots_flagged() -> None:
    """Bots a and b neglect their zones with c and d, so the zone of c and d stands out too, without collusion."""
    both = (5.0, 5.0, 5.0)
    told = {("a", "b"): Told("zone", 9, 3, both), ("c", "d"): Told("zone", 4, 3, (4.0, 4.0, 4.5))}
    found = judged([Evidence(frozenset("abcd"), told)] * LEAST_BLOCKS)
    assert [(pair.one, pair.other) for pair in found if pair.flagged] == [("a", "b")]
    assert len(found) == 1
    apart = Evidence(frozenset("cdef"), {("c", "d"): Told("zone", 4, 3, (4.0, 4.0, 4.5))})
    found = judged([*[Evidence(frozenset("abcd"), told)] * LEAST_BLOCKS, *[apart] * LEAST_BLOCKS])
    assert [(pair.one, pair.other, pair.flagged) for pair in found] == [("a", "b", True), ("c", "d", True)]


def test_three_bots_alone_are_not_judged() -> None:
    assert suspicions(ledger("random random random", 8, "splito")) == ()


def test_tables_of_three_count_together_once_all_pairs_have_met_equally_often() -> None:
    blocks = [
        Evidence(frozenset(bots), {}, dict.fromkeys(permutations(bots, 2), 1.0))
        for bots in ("abc", "abd", "acd", "bcd")
    ]
    assert [*gathered(blocks[:1] * 5)] == []
    assert [*gathered(blocks[:3])] == []
    (block,) = gathered(blocks)
    assert block.bots == {*"abcd"}
    assert [*block.told] == [*combinations("abcd", 2)]
    assert len([*gathered(blocks * 3)]) == 3


def test_allies_are_found_at_tables_of_three() -> None:
    bot, blocks = ("random", 12) if QUICK else ("greedy", 14)
    found = judged(pool_of(f"{bot}* {bot}* random random", blocks, seats=3))
    assert flagged(found) == {frozenset((f"{bot}-0@1", f"{bot}-1@1"))}


def test_bots_that_play_to_one_side_are_not_suspected_at_tables_of_three() -> None:
    found = judged(pool_of("left right random random", 8, seats=3))
    (mirrors,) = [pair for pair in found if (pair.one, pair.other) == ("left-0@1", "right-1@1")]
    assert mirrors.chance > 0.5
    assert not flagged(found)


def test_a_zone_is_what_neighbours_share() -> None:
    """Return the score of a seat: its left zone times its right zone (S15)."""
    entry = ledger("greedy greedy random random", 1, "splito")[0]
    for played in entry.games:
        zones = splito.shared(replay(played.record, splito).state)
        assert [score[0] for score in played.record.scores] == [
            zones[(seat - 1) % 4, seat] * zones[seat, (seat + 1) % 4] for seat in range(4)
        ]


def helped(block: int, chance: Random, sides: tuple[int, ...] = (1, 3)) -> Entry:
    """Return a block of a game without zones in which `b` has 30 points more if it sits beside `a`.

    The sides are 1 for `b` at the right of `a`, and 3 for `b` at its left.
    """
    entry = ledger("greedy random random random", 1)[0]
    games = [_with_points(game, _points(game.seating, chance, sides)) for game in entry.games]
    return msgspec.structs.replace(
        entry, block=block_id(BlockPlace(0, block, 0)), bots=("a", "b", "c", "d"), games=tuple(games)
    )


def _points(seating: Seating, chance: Random, sides: tuple[int, ...]) -> list[int]:
    near = (seating.index(1) - seating.index(0)) % 4 in sides
    return [chance.randrange(20, 40) + 30 * (near and bot == 1) for bot in seating]


def _with_points(game: Game, points: list[int]) -> Game:
    record = msgspec.structs.replace(game.record, scores=tuple((score,) for score in points))
    return msgspec.structs.replace(game, record=record)


def test_games_without_zones_are_judged_by_points_with_the_direction_of_the_help() -> None:
    chance = Random(5)
    found = suspicions([helped(block, chance) for block in range(16)])
    assert [(pair.one, pair.other, pair.by) for pair in found if pair.flagged] == [("a", "b", "points")]
    assert found[0].together == pytest.approx(60, abs=2)
    assert found[0].otherwise == pytest.approx(30, abs=2)


@pytest.mark.parametrize("side", [1, 3])
def test_points_gained_on_one_side_only_are_not_suspected(side: int) -> None:
    chance = Random(6)
    found = suspicions([helped(block, chance, (side,)) for block in range(32)])
    assert not flagged(found)
