"""Equal bots are seldom called better: in small, with blocks that are played."""

from benchmarks.studies.equals import outcome, pool
from benchmarks.studies.sequential import most_by_chance
from splito_arena.experiments.sequential_test import Design


def test_equal_bots_are_seldom_called_better() -> None:
    played, runs = pool(40), 150
    assert len({*played}) > 3, "they differ by chance"
    found = outcome(played, Design(), runs)
    assert found.better <= most_by_chance(runs, Design().alpha)
    assert found.better + found.not_better + found.cap == 1


def test_the_same_draws_pass_a_weaker_question() -> None:
    """The same draws, asked another question: the test can say yes."""
    found = outcome([1.0, -1.0], Design(low=-0.5, high=-0.3), 100)
    assert found.better > 0.9
