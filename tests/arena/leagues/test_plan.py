"""The plan of a league: every version gets enough blocks, and no version plays without need."""

from collections import Counter
from itertools import combinations

import pytest

from splito_arena.leagues.plan import Aim, History, Table, history_of, next_wave
from tests.arena.tournaments import ledger

NEW = History(Counter(), Counter(), frozenset())


def played(aim: Aim, versions: list[str], before: History = NEW, first: int = 0) -> tuple[list[Table], History]:
    """Return all tables until there are no more, and the history after them."""
    tables: list[Table] = []
    blocks, meetings = Counter(before.blocks), Counter(before.meetings)
    wave = first
    while more := next_wave(aim, wave, versions, History(blocks, meetings, before.hopeless)):
        for table in more:
            blocks.update(table)
            meetings.update(combinations(sorted(table), 2))
        tables += more
        wave += 1
    return tables, History(blocks, meetings, before.hopeless)


@pytest.mark.parametrize(("bots", "players"), [(2, 2), (3, 3), (7, 3), (30, 3), (10, 4)])
def test_every_version_gets_enough_blocks_and_hardly_more(bots: int, players: int) -> None:
    versions = [f"bot{number}@1" for number in range(bots)]
    aim = Aim("seed", players, 10)
    tables, history = played(aim, versions)
    assert all(len({*table}) == players for table in tables)
    assert min(history.blocks[one] for one in versions) >= 10
    assert max(history.blocks.values()) <= 12
    assert tables == played(aim, versions)[0], "the same seed draws the same tables"


def test_versions_meet_many_others() -> None:
    versions = [f"bot{number}@1" for number in range(12)]
    _, history = played(Aim("seed", 3, 11), versions)
    assert len(history.meetings) == 66, "everybody met everybody"
    assert max(history.meetings.values()) <= 4


def test_only_a_new_version_needs_blocks() -> None:
    versions = [f"bot{number}@1" for number in range(9)]
    aim = Aim("seed", 3, 6)
    _, before = played(aim, versions)
    assert next_wave(aim, 99, versions, before) == []
    now = [*versions[:-1], "bot8@2"]
    tables, _ = played(aim, now, before, 99)
    assert len(tables) == 6
    assert all("bot8@2" in table and "bot8@1" not in table for table in tables)
    assert len({one for table in tables for one in table}) == 9, "it meets all the others"


def test_a_version_that_was_always_replaced_plays_no_more() -> None:
    hopeless = History(Counter({"bad@1": 2}), Counter(), frozenset({"bad@1"}))
    tables, _ = played(Aim("seed", 2, 4), ["ada@1", "bad@1", "bob@1"], hopeless)
    assert not any("bad@1" in table for table in tables)


def test_too_few_bots_play_no_wave() -> None:
    assert next_wave(Aim("seed", 3, 4), 0, ["ada@1", "bob@1"], NEW) == []


def test_the_history_is_read_from_the_blocks() -> None:
    entries = ledger("random random random", 4)
    history = history_of(entries)
    assert history.blocks == Counter(dict.fromkeys(entries[0].bots, 4))
    assert set(history.meetings.values()) == {4}
    assert history.hopeless == frozenset()
