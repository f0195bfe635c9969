"""Equal luck for all: every bot has every seat equally often, beside all others, and every match its own deal."""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.results import Block
from splito_arena.blocks.simulate import Plan, play_block, simulate
from splito_arena.bots.direct import Bot
from splito_arena.bots.find import find_bot
from splito_arena.bots.lineup import labels
from splito_engine.errors import BadBot, BadOption, GameError, UnknownGame, WrongPlayers
from splito_engine.game import AnyGame
from splito_engine.games import splitter
from splito_engine.player import Ask
from splito_engine.record import Record, encode, verify

GAME: AnyGame = splitter
PLAN = Plan("splitter", ("random", "random", "random"), "7", 18)
"""Three blocks."""


def a_plan(**changes: Any) -> Plan:
    return msgspec.structs.replace(PLAN, **changes)


def bare(blocks: Iterator[Block]) -> list[Any]:
    """Without the times, which are never the same twice."""
    return [(block.number, [(result.seating, result.scores) for result in block.results]) for block in blocks]


def records_of(plan: Plan) -> list[Record]:
    blocks = simulate(msgspec.structs.replace(plan, records=True))
    return [result.record for block in blocks for result in block.results if result.record is not None]


def test_every_bot_sits_in_every_seat_as_often_and_every_match_has_its_own_deal() -> None:
    sat: Counter[tuple[str, int]] = Counter()
    dice: set[str] = set()

    def watch(name: str) -> Bot:
        def choose(ask: Ask) -> Any:
            if ask.view.rounds_played == 0:
                sat[name, ask.seat] += 1
                dice.add(ask.seed)
            return ask.moves[0]

        return Bot(name, choose)

    results = play_block(GAME, [watch("a"), watch("b"), watch("c")], "7", records=True)
    assert sat == {(name, seat): 2 for name in "abc" for seat in range(3)}
    assert len(dice) == sum(sat.values())
    assert len({result.record.seed for result in results if result.record}) == len(results) == 6
    assert sorted(result.seating for result in results) == [*permutations(range(3))]


def test_deals_are_rounded_up_to_whole_blocks() -> None:
    assert [a_plan(deals=deals).blocks for deals in (1, 6, 7, 12)] == [1, 1, 2, 2]
    assert [len(block.results) for block in simulate(a_plan(deals=7))] == [6, 6]


def test_no_two_matches_share_a_deal_or_dice() -> None:
    records = records_of(a_plan(deals=60))
    assert len({record.seed for record in records}) == len(records) == 60
    assert len({record.salt for record in records}) == 60


def test_the_number_of_a_bot_in_the_seatings_is_drawn_for_each_block() -> None:
    first = {block.results[0].seating for block in simulate(a_plan(bots=("random",) * 4, deals=96))}
    assert len(first) > 3


def test_results_say_where_each_bot_sat() -> None:
    """Two bots that spoil their sheets in the same way have the same points wherever they sit."""
    careless, careful = Bot("careless", lambda ask: ask.moves[0]), Bot("careful", find_bot("greedy"))
    for result in play_block(GAME, [careless, careful, careless], "7"):
        first, other, last = (result.scores[result.seating.index(bot)] for bot in range(3))
        assert first == last != other


def test_moves_are_counted_and_timed_per_seat() -> None:
    for result in play_block(GAME, [Bot("a", find_bot("random"))] * 2, "7"):
        assert [len(seconds) for seconds in result.seconds] == [22, 22]
        assert all(time > 0 for seconds in result.seconds for time in seconds)


def test_a_bot_that_is_listed_twice_gets_a_number() -> None:
    assert labels(("greedy", "random", "greedy", "greedy")) == ("greedy", "random", "greedy#2", "greedy#3")
    assert labels(("owl", "owl", "owl#2", "owl#2", "owl")) == ("owl", "owl#3", "owl#2", "owl#2#2", "owl#4")


def test_blocks_come_one_by_one_as_they_are_played() -> None:
    blocks = simulate(a_plan(deals=10**6, bots=("random",)))
    assert [next(blocks).number, next(blocks).number] == [0, 1]


def test_the_same_seed_gives_the_same_results() -> None:
    assert bare(simulate(PLAN)) == bare(simulate(PLAN))
    assert bare(simulate(PLAN)) != bare(simulate(a_plan(seed="8")))


def test_blocks_differ_from_each_other() -> None:
    assert len({block.results[0].scores for block in simulate(PLAN)}) == PLAN.blocks == 3


def test_several_processes_give_the_same_blocks_in_the_same_order() -> None:
    assert bare(simulate(PLAN, jobs=2)) == bare(simulate(PLAN))


def test_records_are_verified_and_name_the_bot_in_each_seat() -> None:
    names = [verify(encode(record))[0].names for record in records_of(a_plan(deals=1))]
    assert sorted(names) == sorted(permutations(("random", "random#2", "random#3")))


def test_the_same_seed_gives_the_same_record_files() -> None:
    assert records_of(a_plan(deals=1)) == records_of(a_plan(deals=1))


@pytest.mark.parametrize(
    ("changes", "error", "field"),
    [
        ({"game": "chess"}, UnknownGame, "game"),
        ({"bots": ("random",) * 13}, WrongPlayers, "players"),
        ({"bots": ("random", "nobody")}, BadBot, "bot"),
        ({"options": {"sheet": "C"}}, BadOption, "sheet"),
        ({"deals": 0}, BadOption, "deals"),
        ({"seed": "é"}, BadOption, "seed"),
    ],
)
def test_a_bad_plan_is_refused_before_anything_is_played(
    changes: dict[str, Any], error: type[GameError], field: str
) -> None:
    with pytest.raises(error) as caught:
        simulate(a_plan(**changes))
    assert caught.value.field == field


def test_there_is_at_least_one_job() -> None:
    with pytest.raises(BadOption, match="jobs must be at least 1"):
        simulate(PLAN, jobs=0)


def test_a_bot_that_fails_in_another_process_is_named_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots_abroad.py").write_text(
        "import os\ndef rogue(ask):\n    return 'nonsense'\ndef exits(ask):\n    os._exit(1)\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(BadBot, match="bot 'bots_abroad:rogue' in seat 0, turn 0 answered 'nonsense'") as caught:
        list(simulate(a_plan(bots=("bots_abroad:rogue",)), jobs=2))
    assert caught.value.seat == 0
    with pytest.raises(BadBot, match="ended the process"):
        list(simulate(a_plan(bots=("bots_abroad:exits",)), jobs=2))
