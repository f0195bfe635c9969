"""Ledger entries: what is written of a block can be read again."""

import msgspec
import pytest

from splito_arena.blocks.ledger import Entry, Game, decode, encode, pack, parts, placings, unpack, version_id
from splito_arena.blocks.placings import check
from splito_arena.blocks.seatings import Seating
from splito_arena.bots.direct import Bot, play_match
from splito_arena.bots.find import find_bot
from splito_engine.games import splitter
from splito_engine.record import Record, record_of

SALT = "00" * 16
BOTS = ("owl@1", "greedy@0.1", "random@0.1")


def a_record(seed: str = "7", players: int = 3) -> Record:
    match = play_match(splitter, [Bot("random", find_bot("random"))] * players, seed)
    return record_of(match, ("random",) * players, SALT)


def a_game(seating: Seating, points: tuple[int, ...], replaced: tuple[bool, ...] = (False, False, False)) -> Game:
    scores = tuple((score,) for score in points)
    record = msgspec.structs.replace(a_record(), scores=scores)
    return Game(match="m", seating=seating, record=record, faults=((), ("time-out",), ()), replaced=replaced)


ENTRY = Entry(
    block="0000-0000-0000",
    bots=BOTS,
    games=(a_game((2, 0, 1), (10, 30, 20)), a_game((0, 1, 2), (5, 5, 9)), a_game((1, 2, 0), (1, 2, 3))),
)


def test_places_are_stored_by_bot_and_not_by_seat() -> None:
    assert ENTRY.games[0].places == (3, 1, 2)
    found = placings(ENTRY)
    assert found is not None
    assert found.games == ((1, 2, 3), (2.5, 2.5, 1), (1, 3, 2))
    assert (found.block, found.bots) == (ENTRY.block, BOTS)
    check(found)


def test_a_replaced_bot_has_the_last_place_whatever_the_house_bot_scored() -> None:
    assert a_game((0, 1, 2), (10, 30, 20), (False, True, False)).places == (2, 3, 1)


def test_a_skipped_block_is_not_rated() -> None:
    assert placings(Entry(block="0000-0000-0000", bots=BOTS, skipped="owl is gone")) is None


@pytest.mark.parametrize("seating", [(0, 1, 1), (0, 2, 3)], ids=["a bot twice", "somebody looks on"])
def test_games_in_which_a_bot_has_several_seats_are_not_rated(seating: Seating) -> None:
    other = a_game(seating, (1, 2, 3))
    assert placings(msgspec.structs.replace(ENTRY, games=(*ENTRY.games, other))) is None


def test_an_entry_is_read_as_it_was_written() -> None:
    assert unpack(pack(ENTRY)) == decode(encode(ENTRY)) == ENTRY
    assert pack(unpack(pack(ENTRY))) == pack(ENTRY)
    skipped = Entry(block="0000-0000-0000", bots=BOTS, skipped="owl is gone")
    assert unpack(pack(skipped)) == skipped


def test_a_dump_has_one_line_for_each_entry() -> None:
    lines = (encode(ENTRY) * 3).splitlines(keepends=True)
    assert [decode(line) for line in lines] == [ENTRY] * 3


def test_data_that_all_games_share_take_little_space_when_compressed() -> None:
    games = tuple(a_game((0, 1, 2), (1, 2, 3)) for _ in range(12))
    assert len(pack(Entry(block="b", bots=BOTS, games=games))) < 1.5 * len(
        pack(Entry(block="b", bots=BOTS, games=games[:1]))
    )


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="ms"):
        decode(encode(ENTRY).replace(b'"block"', b'"ms":1,"block"'))


@pytest.mark.parametrize(("bot", "version"), [("owl", "1"), ("0a1b", "1.0@beta"), ("greedy", "")])
def test_a_version_id_names_the_bot_and_its_version(bot: str, version: str) -> None:
    assert parts(version_id(bot, version)) == (bot, version)
