"""The benchmarks of planning, ratings and tournaments run, in small; how fast anything is decides no test."""

from pathlib import Path

from benchmarks.playing import planning, ratings, tournaments
from benchmarks.report import Report, append


def figures(report: Report) -> dict[str, str]:
    return {what: figure for what, figure, _, _ in report.rows}


def goals(report: Report) -> list[str]:
    """Rows that have a goal."""
    return [what for what, _, goal, _ in report.rows if goal]


def test_planning_rounds_is_measured() -> None:
    report = planning.measured(planning.Scale(bots=16, blocks=40, plans=1))
    assert goals(report) == [
        "round robin of 40 blocks for 16 bots, seconds",
        "round robin of 39 blocks for 16 bots, seconds",
    ]
    assert len(report.rows) == 5


def test_rating_blocks_is_measured() -> None:
    report = ratings.measured(ratings.Scale(updates=20, blocks=(30, 60), bots=8))
    assert goals(report) == [
        "games rated online, per second",
        "fit of 360 games of 8 bots with intervals, seconds",
        "fit of 720 games of 8 bots with intervals, seconds",
    ]
    assert figures(report)["width of the interval of a rating after 720 games of 8 bots, on average"].endswith("points")


def test_the_rated_blocks_are_the_drawn_ones() -> None:
    block, *_ = ratings.drawn(3, bots=6)
    assert (len(block.bots), len({*block.bots})) == (ratings.SEATS, ratings.SEATS)
    assert len(block.games) == ratings.GAMES
    assert all(sorted(places) == [1, 2, 3, 4] for places in block.games)


def test_a_tournament_is_held_beside_a_match_and_by_one_and_two_workers(tmp_path: Path) -> None:
    report = tournaments.measured(tournaments.Scale(rounds=1, moment=0.1, stored=2))
    ratios = {goal: float(figure) for _, figure, goal, _ in report.rows if goal.startswith(">= ")}
    assert [*ratios] == [">= 0.8", ">= 1.7"]
    assert min(ratios.values()) > 0
    assert any("Redis" in what for what in figures(report)), "and how much a block takes there"
    append([report], "a test", tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text("utf-8")
    assert all(f"| {what} | {figure} |" in text for what, figure in figures(report).items())
