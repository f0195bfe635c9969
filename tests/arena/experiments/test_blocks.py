"""NEW and OLD in the same seats of the same deals: counted from first principles, and played."""

from collections import Counter

import msgspec
import pytest

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.blocks.seatings import Seating
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.errors import BadPlacings
from splito_arena.experiments.blocks import FIELD, NEW, OLD, Measure, before_a_gap, difference, differences, duels
from splito_engine.errors import WrongPlayers
from splito_engine.games import splitter
from splito_engine.player import Ask
from splito_engine.record import FORMAT, Record

SIZES = [(players, field) for players in range(2, 9) for field in range(1, 12)]


def first(ask: Ask) -> object:
    return ask.moves[0]


def swapped(seating: Seating) -> Seating:
    return tuple({NEW: OLD, OLD: NEW}.get(bot, bot) for bot in seating)


def a_game(seating: Seating, points: tuple[int, ...], replaced: tuple[bool, ...] | None = None) -> Game:
    size = len(seating)
    record = Record(
        format=FORMAT,
        game="splitter",
        version="1",
        players=size,
        names=("x",) * size,
        seed="7",
        salt="00" * 16,
        commitment="00" * 32,
        options={},
        turns=(),
        talk=(),
        scores=tuple((score,) for score in points),
    )
    return Game(match="m", seating=seating, record=record, faults=((),) * size, replaced=replaced or (False,) * size)


def an_entry(*games: Game) -> Entry:
    return Entry(block="b", bots=("new@2", "new@1", "greedy@1", "random@1"), games=games)


@pytest.mark.parametrize(("players", "field"), SIZES)
def test_new_and_old_sit_once_in_every_seat_with_the_same_opponents(players: int, field: int) -> None:
    games = duels(players, field)
    new, old = ([game for game in games if contender in game] for contender in (NEW, OLD))
    assert len(games) == 2 * players == len(new) + len(old)
    assert sorted(game.index(NEW) for game in new) == [*range(players)]
    assert [*map(swapped, new)] == old


@pytest.mark.parametrize(("players", "field"), SIZES)
def test_games_of_two_bots_of_the_field_differ_by_at_most_one(players: int, field: int) -> None:
    sits = Counter(bot for game in duels(players, field) for bot in game if bot >= FIELD)
    counts = [sits[FIELD + bot] // 2 for bot in range(field)]
    assert max(counts) - min(counts) <= 1
    assert {*sits} <= {FIELD + bot for bot in range(field)}


@pytest.mark.parametrize("players", range(3, 9))
def test_a_field_of_the_right_size_sits_on_either_side_of_the_contender_in_turn(players: int) -> None:
    games = [game for game in duels(players, players - 1) if NEW in game]
    for side in (1, -1):
        beside = Counter(game[(game.index(NEW) + side) % players] for game in games)
        assert [*sorted(beside.values())] == [1] * (players - 2) + [2]
    assert all(sorted(game) == [NEW, *range(FIELD, players + 1)] for game in games)


def test_without_a_field_new_and_old_play_each_other() -> None:
    assert duels(2, 0) == ((NEW, OLD), (OLD, NEW))


def test_in_a_game_for_one_new_and_old_each_play_the_deal_once() -> None:
    assert duels(1, 0) == ((NEW,), (OLD,))


@pytest.mark.parametrize(("players", "field"), [(3, 0), (4, -1), (0, 1), (1, -1), (1, 2)])
def test_an_experiment_that_cannot_be_seated_is_refused(players: int, field: int) -> None:
    with pytest.raises(WrongPlayers):
        duels(players, field)


MEASURED: dict[Measure, float] = {"places": 1.5, "points": 20.5, "wins": 0.5}


@pytest.mark.parametrize("measure", MEASURED)
def test_the_difference_is_that_of_the_means(measure: Measure) -> None:
    """NEW wins one and is second in the other; OLD is last in both."""
    entry = an_entry(
        a_game((NEW, 2, 3), (30, 20, 10)),
        a_game((OLD, 2, 3), (5, 20, 10)),
        a_game((2, NEW, 3), (31, 20, 10)),
        a_game((2, OLD, 3), (30, 4, 10)),
    )
    assert difference(entry, measure) == MEASURED[measure]
    other_way_round = [msgspec.structs.replace(game, seating=swapped(game.seating)) for game in entry.games]
    assert difference(an_entry(*other_way_round), measure) == -MEASURED[measure]


@pytest.mark.parametrize(("measure", "worth"), [("places", -2), ("points", -2), ("wins", -1)])
def test_a_replaced_bot_gains_nothing_from_the_points_of_the_house_bot(measure: Measure, worth: float) -> None:
    entry = an_entry(
        a_game((NEW, 2, 3), (30, 20, 10), (True, False, False)),
        a_game((OLD, 2, 3), (2, 1, 0)),
    )
    assert difference(entry, measure) == worth


@pytest.mark.parametrize("games", [(), (a_game((NEW, 2, 3), (30, 20, 10)),)], ids=["nobody", "OLD is missing"])
def test_there_is_no_difference_where_not_both_have_played(games: tuple[Game, ...]) -> None:
    with pytest.raises(BadPlacings):
        difference(an_entry(*games))


def test_a_block_counts_when_all_before_it_have_ended() -> None:
    ids = ["00000000-0000-00000", "00000000-0001-00000", "00000001-0000-00000", "00000001-0002-00000"]
    ledger = [Entry(block=block, bots=("new@1", "old@1")) for block in ids]
    assert [entry.block for entry in before_a_gap(ledger)] == ids[:3]
    assert [*before_a_gap(ledger[1:])] == []


def test_differences_are_those_of_the_blocks_that_were_played() -> None:
    games = (a_game((NEW, 2, 3), (30, 20, 10)), a_game((OLD, 2, 3), (10, 20, 30)))
    ledger = [
        msgspec.structs.replace(an_entry(*played), block=block_id(BlockPlace(0, number, 0)))
        for number, played in enumerate([games, (), games[::-1]])
    ]
    assert [*differences(ledger, "points")] == [20, 20]


@pytest.mark.anyio
@pytest.mark.parametrize("block", ["0000-0000-0000", "0000-0000-0001", "0000-0000-0002"])
async def test_the_better_bot_is_ahead_and_a_bot_is_no_better_than_itself(block: str) -> None:
    """Return the score of a bot that always takes the first move: it is the same in every seat of a deal."""
    bad, good = Plugin("first", first), Plugin("greedy", find_bot("greedy"))
    terms = BlockTerms(game=splitter, block=block, secret="s", seatings=duels(3, 2), paired=True)  # noqa: S106

    async def compared(new: Plugin, old: Plugin) -> float:
        bots = ("new@2", "new@1", "random@1", "first@1")
        players = [new, old, Plugin("random", find_bot("random")), bad]
        played = await play_block(terms, bots, players, lambda _: good, at_once=1)
        return difference(played.entry, "points")

    assert await compared(good, bad) > 0
    assert await compared(bad, good) < 0
    assert await compared(bad, bad) == 0
