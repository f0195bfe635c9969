"""The collusion flag: planted friends are found, honest bots are not, and how often it may be wrong is kept."""

from random import Random

import msgspec
import pytest

from benchmarks.studies.collusion import SHAPES, at_the_edge, drawn, flagged, pool_of, seated, wrong_at_the_edge
from benchmarks.studies.sequential import most_by_chance
from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id
from splito_arena.blocks.seatings import Seating
from splito_arena.stats.collusion import (
    FALSE_ALARMS,
    LEAST_BLOCKS,
    Evidence,
    Told,
    chance_of,
    evidence,
    judged,
    student_tail,
    suspicions,
)
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


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blocks", [LEAST_BLOCKS, 16])
def test_false_alarms_keep_to_their_rate_even_at_the_edge(shape: str, blocks: int) -> None:
    assert wrong_at_the_edge(shape, blocks, 300) <= most_by_chance(300, FALSE_ALARMS)


HONEST = ["greedy greedy random random", "planner greedy random random"]
PLANTED = {"both": ("greedy* greedy* greedy random", 12), "one": ("greedy* greedy greedy random", 24)}
"""Tables with two friends, one or both of whom help the other, and the blocks after which they are found."""


@pytest.mark.parametrize("table", HONEST[:1] if QUICK else HONEST)
def test_honest_bots_of_unlike_strength_are_not_flagged(table: str) -> None:
    """Strong bots raise all their zones, and those with weak ones more than one would think."""
    pool = pool_of(table, 10)
    found = [flagged(one) for one in drawn(pool, 16, 100, table)]
    assert sum(map(bool, found)) <= 1
    assert all(pair.together < 1.3 * pair.otherwise for pair in judged(pool))


@pytest.mark.parametrize("helping", ["both"] if QUICK else PLANTED)
def test_colluding_bots_are_flagged_and_no_others(helping: str) -> None:
    table, blocks = PLANTED[helping]
    pool, friends = pool_of(table, blocks), frozenset([*seated(table)][:2])
    assert flagged(judged(pool)) == {friends}


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


def test_tables_of_three_flag_no_pair() -> None:
    (entry, *_) = ledger(game="splito")
    assert evidence(entry) is None
    assert suspicions(ledger(game="splito")) == ()


def test_a_zone_is_what_neighbours_share() -> None:
    """Return the score of a seat: its left zone times its right zone (S15)."""
    entry = ledger("greedy greedy random random", 1, "splito")[0]
    for played in entry.games:
        zones = splito.shared(replay(played.record, splito).state)
        assert [score[0] for score in played.record.scores] == [
            zones[(seat - 1) % 4, seat] * zones[seat, (seat + 1) % 4] for seat in range(4)
        ]


def helped(block: int, chance: Random) -> Entry:
    """In a game without zones `b` has 30 points more when it sits beside `a`."""
    entry = ledger("greedy random random random", 1)[0]
    games = [_with_points(game, _points(game.seating, chance)) for game in entry.games]
    return msgspec.structs.replace(
        entry, block=block_id(BlockPlace(0, block, 0)), bots=("a", "b", "c", "d"), games=tuple(games)
    )


def _points(seating: Seating, chance: Random) -> list[int]:
    near = abs(seating.index(0) - seating.index(1)) in (1, 3)
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
