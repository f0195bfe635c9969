"""The official placing of a stored tournament."""

from msgspec.structs import replace

from splito_arena.formats import Ladder, Past, RoundRobin
from splito_arena.formats.placing import NOT_YET, UNPLAYED
from splito_arena.stats.tournament_table import standings
from splito_service.tournaments.official_placing import figures_of, official
from tests.arena.tournaments import written
from tests.service.tournaments.stored_tournaments import tournament


def test_a_tournament_without_results_says_whether_there_may_still_be_any() -> None:
    cup = tournament("abc", RoundRobin())
    for state, note in (("running", NOT_YET), ("cancelled", UNPLAYED), ("finished", UNPLAYED)):
        assert official(replace(cup, state=state), Past(), {}).note == note


def test_a_ladder_ranks_an_unbeaten_bot_by_its_strength_and_not_by_its_bound() -> None:
    """`a` won two games against `b`, which won many against `c`; so the bound of `a` is low."""
    lost = [written(f"r0000.b{number:04}.t0000", "bc", (2, 1), (2, 1), (2, 1), (1, 2)) for number in range(20)]
    top = [written("r0001.b0000.t0000", "ab", (2, 1))]
    ledger = [replace(one, bots=tuple(f"{bot}@1" for bot in one.bots)) for one in (*lost, *top)]
    lines = standings(ledger)
    ladder = tournament("abc", Ladder())
    found = official(ladder, Past(), figures_of(ladder, lines))
    ratings = [line.rating for line in found.lines]
    assert [line.bot for line in found.lines] == ["a", "b", "c"]
    assert ratings[0] is not None
    assert ratings[1] is not None
    assert ratings[0] < ratings[1]
    assert found.lines[0].reason == f"rating at least {ratings[0]:.0f}"
