"""The search: its plan is kept, a planted optimum is found, and it goes on from its finished blocks."""

from collections.abc import Callable
from random import Random

import pytest

from splito_arena.experiments.tables import Comparison
from splito_arena.tuning.report import report_of
from splito_arena.tuning.run import PairPlayed, Search, Tuning
from splito_arena.tuning.search import CANDIDATES, Plan, Rung, check_plan, next_rung, played, ranked
from splito_arena.tuning.space import Parameter, Point
from splito_arena.tuning.texts import verdict
from splito_engine.errors import BadOption

A, B = Parameter("a", 0.0, 1.0), Parameter("b", 1.0, 10.0, whole=True)
PEAK = (0.8, 3.0)


def strength(point: Point) -> float:
    """Return the planted strength: one place from the peak to the far side."""
    return -((point[0] - PEAK[0]) ** 2) - ((point[1] - PEAK[1]) / 9) ** 2


def searched(plan: Plan, result: Callable[[Point], float]) -> list[Rung]:
    rungs: list[Rung] = []
    while rung := next_rung(plan, (A, B), (0.5, 6.0), "seed", rungs[-1] if rungs else None):
        points = [one.point for one in rung.points]
        rungs.append(played(rung, [(result(points[one]), result(points[one + 1])) for _, one in rung.tasks]))
    return rungs


@pytest.mark.parametrize("candidates", CANDIDATES)
def test_a_search_plays_as_many_blocks_as_its_plan_says(candidates: int) -> None:
    plan = Plan(races=2, candidates=candidates, blocks=3)
    rungs = searched(plan, strength)
    assert sum(len(rung.tasks) for rung in rungs) == plan.block_pairs
    assert {len(one.results) for one in rungs[-1].points} == {rungs[-1].last}
    assert [rung.race for rung in rungs if rung.number == 0] == [0, 1]


def test_a_planted_optimum_is_found_under_noise() -> None:
    chance = Random(5)
    rungs = searched(Plan(), lambda point: strength(point) + chance.gauss(0, 0.35))
    best = ranked(rungs[-1])[0].point
    assert abs(best[0] - PEAK[0]) < 0.15
    assert abs(best[1] - PEAK[1]) <= 1
    assert strength(best) > strength((0.5, 6.0)) / 8


def test_a_race_begins_with_the_last_winner_in_a_smaller_box() -> None:
    rungs = searched(Plan(races=3, candidates=8, blocks=1), strength)
    for rung in (rung for rung in rungs if rung.number == 0 and rung.race):
        before = [one for one in rungs if one.race == rung.race - 1][-1]
        assert rung.points[0].point == ranked(before)[0].point
        assert {len(one.results) for one in rung.points} == {1}, "its deals are fresh"
        assert rung.box[0][1] - rung.box[0][0] == pytest.approx((before.box[0][1] - before.box[0][0]) / 2)


def test_the_start_stays_if_nothing_is_better() -> None:
    rungs = searched(Plan(races=2, candidates=4, blocks=2), lambda _: 0.0)
    assert ranked(rungs[-1])[0].point == (0.5, 6.0)


@pytest.mark.parametrize("plan", [Plan(candidates=5), Plan(candidates=128), Plan(races=0), Plan(blocks=0)])
def test_an_impossible_plan_is_refused(plan: Plan) -> None:
    with pytest.raises(BadOption):
        check_plan(plan)


TABLE = Comparison(game="splito", new="m:make", old="m:make", field=("greedy",), players=2, seed="s")
TUNING = Tuning(
    maker="m:make",
    parameters=(A, B),
    start=(0.5, 6.0),
    plan=Plan(races=2, candidates=4, blocks=2),
    check=6,
    table=TABLE,
)


def run(search: Search, most: int = 1000) -> list[PairPlayed]:
    """Play blocks without a game: the result of a point is its strength, the check has some scatter."""
    done: list[PairPlayed] = []
    while (tasks := search.tasks()) and len(done) < most:
        at, comparison, block = tasks[0]
        one, other = (strength(values_of(word)) for word in (comparison.new, comparison.old))
        done.append(PairPlayed(at, (one + block % 2 / 100, other), (0, 1), 4))
        search.add(done[-1])
    return done


def values_of(word: str) -> Point:
    parts = word.partition("(")[2].rstrip(")").split(",")
    return tuple(float(part.partition("=")[2]) for part in parts)


def test_a_search_goes_on_from_its_finished_blocks_to_the_same_end() -> None:
    whole = Search(TUNING)
    done = run(whole)
    assert len(done) == whole.total == whole.blocks
    for cut in (0, 1, 5, 9, len(done) - 2, len(done)):
        search = Search(TUNING)
        for pair in done[:cut]:
            search.add(pair)
        run(search)
        assert report_of(search, 0, None) == report_of(whole, 0, None)


def test_the_points_of_a_race_share_its_deals_and_the_check_has_its_own() -> None:
    search = Search(TUNING)
    seeds = {task.comparison.seed for task in search.tasks()}
    run(search, most=search.total - TUNING.check)
    assert seeds == {"s/race0"}
    assert {task.comparison.seed for task in search.tasks()} == {"s/check"}
    assert search.tasks()[0].comparison.old == "m:make(a=0.5,b=6)"


def test_a_block_of_another_place_is_refused() -> None:
    search = Search(TUNING)
    with pytest.raises(BadOption, match="does not follow"):
        search.add(PairPlayed("0.0.1.0", (0, 0), (0, 0), 4))


def test_the_last_sentence_claims_no_more_than_the_fresh_deals_show() -> None:
    search = Search(TUNING)
    assert "So far no point leads" in verdict(report_of(search, 0, None))
    run(search, most=search.total - TUNING.check)
    assert "not been compared with the start on fresh deals yet" in verdict(report_of(search, 0, None))
    search.add(PairPlayed("check.0", (1, 0), (0, 0), 4))
    assert "without an interval, on 1 of 6 fresh blocks" in verdict(report_of(search, 0, None))
    for number, gap in enumerate((1, -1, 1, -1, 0.5), 1):
        search.add(PairPlayed(f"check.{number}", (gap, 0), (0, 0), 4))
    assert "not shown to be better than the start" in verdict(report_of(search, 0, None))
