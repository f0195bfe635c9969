"""Results of a table as the formats get them: from the played blocks, also those of entrants that have left."""

from splito_arena.blocks.ledger import Entry
from splito_arena.formats import Swiss
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.past_rounds import ended, table_result
from tests.arena.tournaments import written

NOTHING_PLAYED = ended(Entry(block="1", bots=("a@1", "b@1", "c@1"), skipped="a: withdrawn"))


CUP = StoredTournament(
    id="t",
    owner="",
    name="Cup",
    game="splitter",
    players=3,
    format=Swiss(),
    entrants=tuple(StoredEntrant(bot=bot, name=bot, version="1", owner="") for bot in "abc"),
    secret="",
)


def test_places_are_means_over_the_blocks_that_were_played() -> None:
    blocks = [written("1", "abc", (3, 2, 1)), written("2", "abc", (1, 2, 3)), written("3", "abc", (3, 2, 1))]
    assert table_result("abc", [*map(ended, blocks)], CUP).places == (5 / 3, 2, 7 / 3)


def test_an_entrant_that_missed_a_block_is_placed_behind_all_others() -> None:
    """The other entrants move up, so that none of them shares the last place with the absent one."""
    assert table_result("abc", [ended(written("1", "abc", (3, 2, 1))), NOTHING_PLAYED], CUP).places == (3, 1, 2)


def test_an_unplayed_table_has_no_places() -> None:
    assert table_result("abc", [NOTHING_PLAYED], CUP).places is None
    assert table_result("abc", [], CUP).places is None
