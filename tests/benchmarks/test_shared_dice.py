"""The study of shared dice, in small: they remove variance if versions differ in few moves."""

from benchmarks.studies.shared_dice import played, varied
from splito_arena.bots.find import find_bot


def scatter(share: float, *, shared: bool) -> list[float]:
    bot = find_bot("random")
    return [new - old for new, old in played(bot, varied(bot, share), 12, shared=shared)]


def test_versions_that_play_alike_differ_by_their_own_dice_only() -> None:
    assert scatter(0.0, shared=True) == [0.0] * 12
    assert any(scatter(0.0, shared=False))


def test_versions_that_differ_in_some_moves_differ_in_some_blocks() -> None:
    differences = scatter(0.05, shared=True)
    assert any(differences)
    assert 0 in differences
