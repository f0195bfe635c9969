"""Shared dice: each seat gets the same seeds in both games of a pair, so equal code gives equal games."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

from splito_arena.blocks.ledger import Entry, encode
from splito_arena.blocks.play import BlockTerms, dice_of, play_block
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import MEASURES, NEW, difference, duels
from splito_engine.games import splito
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game, games

pytestmark = pytest.mark.anyio
TABLES = [(game, players) for game in games() for players in (2, 3, 4)]
BLOCKS = ("00000000-0000-00000", "00000000-0001-00000")


async def played(game: Any, players: int, choosers: Sequence[Choose], block: str = BLOCKS[0]) -> Entry:
    """Return a block with NEW, OLD and this field."""
    names = [f"bot{number}@1" for number in range(len(choosers))]
    bots = [Plugin(name, choose) for name, choose in zip(names, choosers, strict=True)]
    terms = BlockTerms(
        game=game,
        block=block,
        secret="s",  # noqa: S106
        seatings=duels(players, len(choosers) - 2),
        paired=True,
    )
    return (await play_block(terms, names, bots, lambda _: bots[0], at_once=4)).entry


class Witness:
    """A bot that plays by its dice, and keeps the seeds of all seats by match."""

    def __init__(self) -> None:
        self.seeds = defaultdict[str, dict[tuple[int, int], str]](dict)

    def __call__(self, ask: Ask) -> Any:
        self.seeds[ask.match][ask.turn, ask.seat] = ask.seed
        return ask.moves[int(ask.seed, 16) % len(ask.moves)]


@pytest.mark.parametrize(("game", "players"), TABLES)
async def test_identical_code_plays_the_same_game_twice_in_every_pair(game: str, players: int) -> None:
    random = find_bot("random")
    for block in BLOCKS:
        entry = await played(find_game(game), players, [random] * 4, block)
        for one, other in zip(entry.games[::2], entry.games[1::2], strict=True):
            assert one.record.turns == other.record.turns
            assert one.match != other.match
        assert [difference(entry, measure) for measure in MEASURES] == [0, 0, 0]


async def test_without_a_field_identical_code_gives_exactly_0_too() -> None:
    random = find_bot("random")
    entry = await played(splito, 2, [random, random])
    assert entry.games[0].record.turns == entry.games[1].record.turns
    assert [difference(entry, measure) for measure in MEASURES] == [0, 0, 0]


async def test_each_seat_has_the_same_dice_in_both_games_of_a_pair_and_others_in_other_pairs() -> None:
    witness = Witness()
    entry = await played(splito, 3, [witness] * 4)
    pairs = [
        (witness.seeds[one.match], witness.seeds[other.match])
        for one, other in zip(entry.games[::2], entry.games[1::2], strict=True)
    ]
    assert all(one == other for one, other in pairs)
    seeds = [seed for one, _ in pairs for seed in one.values()]
    assert len({*seeds}) == len(seeds)


async def test_another_version_of_the_compared_bot_leaves_all_dice_as_they_are() -> None:
    """NEW plays other moves than OLD, and still every seat of the table has the same seeds in both games."""
    witness = Witness()

    def old(ask: Ask) -> Any:
        witness(ask)
        return ask.moves[0]

    entry = await played(splito, 3, [witness, old, witness, witness])
    for one, other in zip(entry.games[::2], entry.games[1::2], strict=True):
        assert one.record.turns != other.record.turns
        assert (NEW in one.seating, NEW in other.seating) == (True, False)
        assert witness.seeds[one.match] == witness.seeds[other.match]


async def test_a_block_that_is_played_again_is_the_same_to_the_byte() -> None:
    random, greedy = find_bot("random"), find_bot("greedy")
    one, again = [encode(await played(splito, 3, [greedy, random, random, greedy])) for _ in range(2)]
    assert one == again


def test_dice_belong_to_a_secret_a_block_and_a_pair() -> None:
    dice = [dice_of(secret, block, number) for secret in "ab" for block in BLOCKS for number in range(8)]
    assert dice[::2] == dice[1::2]
    assert len({*dice}) == len(dice) / 2
