"""Forged dumps are refused, each with its reason: by the records, by the secret, or by the signature.

The first table is of dumps that the arena itself would have signed, so only what is in them can give them away. The
second is of dumps that were changed without the key of the arena.
"""

import asyncio
import hashlib
import io
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id, record_name
from splito_arena.blocks.play import BlockTerms, commitment_of, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.errors import BadDump
from splito_arena.match.terms import PlayTerms
from splito_arena.reports.dump import Reading, read_dump
from splito_arena.reports.dump_head import Head, check_signature
from splito_engine.games import splitter
from splito_engine.player import Ask
from splito_engine.record import Record
from tests.arena.reports.dumps import ARENA, MALLORY, dumped, resigned, rows_of

BOTS = ("careful@1", "clumsy@1", "hopeless@1")
STRIKES = 3
Change = Callable[[list[Any]], object]


def clumsy(ask: Ask) -> Any:
    """Fail twice in a game, which is not enough to be replaced."""
    if ask.turn in (1, 4):
        raise RuntimeError("clumsy")
    return ask.moves[-1]


def hopeless(_: Ask) -> Any:
    raise RuntimeError("hopeless")


@cache
def cup(tournament: str = "t1") -> tuple[Head, tuple[Entry, ...]]:
    """Return two blocks of three bots, one of which is replaced in every game."""
    functions = (find_bot("random"), clumsy, hopeless)
    players = [Plugin(bot, function) for bot, function in zip(BOTS, functions, strict=True)]
    house, secret = Plugin("random", find_bot("random")), f"secret of {tournament}"

    def terms(number: int) -> BlockTerms:
        block = block_id(BlockPlace(0, number, 0))
        return BlockTerms(
            game=splitter, block=block, secret=secret, seatings=seatings(3), play=PlayTerms(strikes=STRIKES)
        )

    async def play(number: int) -> Entry:
        return (await play_block(terms(number), BOTS, players, lambda _: house, at_once=1)).entry

    entries = tuple(asyncio.run(play(number)) for number in range(2))
    head = Head(
        tournament=tournament,
        name="Cup",
        game="splitter",
        version=splitter.INFO.version,
        players=3,
        options=entries[0].games[0].record.options,
        strikes=STRIKES,
        entrants={bot: bot.upper() for bot in (*BOTS, "idle@1")},
        commitment=commitment_of(tournament, secret),
        secret=secret,
        blocks=len(entries),
    )
    return head, entries


def rows() -> list[Any]:
    """Return the head and the blocks, to be changed."""
    return rows_of(dumped(*cup()))


def games(dump: list[Any]) -> list[Any]:
    return [game for block in dump[1:] for game in block["games"]]


def renamed(game: Any, names: list[str]) -> None:
    """Change the names of a record, and its digest with them, as a forger can."""
    record = msgspec.convert({**game["record"], "names": names, "digest": ""}, Record)
    game["record"].update(names=names, digest=hashlib.sha256(msgspec.json.encode(record)).hexdigest())


def seat_of(game: Any, bot: int) -> int:
    return game["seating"].index(bot)


def swap_bots(dump: list[Any]) -> None:
    for block in dump[1:]:
        block["bots"][0], block["bots"][1] = block["bots"][1], block["bots"][0]


def swap_bots_and_head(dump: list[Any]) -> None:
    """Swap the names in the head too."""
    swap_bots(dump)
    dump[0]["entrants"].update({"careful@1": "CLUMSY@1", "clumsy@1": "CAREFUL@1"})


def new_version(dump: list[Any]) -> None:
    for block in dump[1:]:
        block["bots"][0] = "careful@2"
        for game in block["games"]:
            renamed(game, [name.replace("careful@1", "careful@2") for name in game["record"]["names"]])


def listed_version(dump: list[Any]) -> None:
    """A version that entered, but did not play."""
    for block in dump[1:]:
        block["bots"][0] = "idle@1"


def no_faults(dump: list[Any]) -> None:
    for game in games(dump):
        game.update(faults=[[], [], []], fault_turns=[[], [], []])


def fewer_faults(dump: list[Any]) -> None:
    game, bot = games(dump)[0], 2
    seat = seat_of(game, bot)
    game["faults"][seat].pop()
    game["fault_turns"][seat].pop()


def more_faults(dump: list[Any]) -> None:
    """The careful bot is said to have failed in a turn in which it chose for itself."""
    game = games(dump)[0]
    seat = seat_of(game, 0)
    game["faults"][seat] = ["time-out"]
    game["fault_turns"][seat] = [first_choice(game, seat)]


def first_choice(game: Any, seat: int) -> int:
    """Return the first turn in which the seat did not play the default move, by trying all."""
    for turn in range(len(game["record"]["turns"])):
        block = rows()
        there = games(block)[0]
        there["faults"][seat], there["fault_turns"][seat] = ["time-out"], [turn]
        try:
            read_dump(io.BytesIO(resigned(block)))
        except BadDump:
            return turn
    raise AssertionError("it always played the default move")


def changed(what: str, bot: int, value: Any) -> Change:
    """Set something of the first game, at the seat of a bot."""

    def change(dump: list[Any]) -> None:
        game = games(dump)[0]
        game[what][seat_of(game, bot)] = value

    return change


def other_record(dump: list[Any]) -> None:
    head, entries = cup("t2")
    dump[1]["games"][0]["record"] = rows_of(dumped(head, entries))[1]["games"][0]["record"]


def other_match(dump: list[Any]) -> None:
    dump[1]["games"][0]["match"] = "0" * 24


FORGED: dict[str, tuple[Change, str]] = {
    "bots swapped in every block": (swap_bots, "the record of game 0 names other bots than its seats have"),
    "bots swapped, and what they are called": (swap_bots_and_head, "names other bots"),
    "a version that never entered": (new_version, "careful@2 never entered"),
    "a version that entered but did not play": (listed_version, "names other bots"),
    "seats swapped in a record": (
        lambda dump: renamed(games(dump)[0], games(dump)[0]["record"]["names"][::-1]),
        "names other bots",
    ),
    "faults removed": (no_faults, "has 0 faults and is replaced"),
    "one fault removed": (fewer_faults, "has 2 faults and is replaced"),
    "a fault invented": (more_faults, "did not get its default move"),
    "a fault in a turn that was not played": (
        lambda dump: (changed("faults", 0, ["crashed"])(dump), changed("fault_turns", 0, [999])(dump)),
        "a turn that was not played",
    ),
    "a fault in a turn before the first": (
        lambda dump: (changed("faults", 0, ["crashed"])(dump), changed("fault_turns", 0, [-1])(dump)),
        "a turn that was not played",
    ),
    "a fault without its turn": (changed("fault_turns", 1, [1]), "not in the order of their turns"),
    "faults of one turn": (changed("fault_turns", 1, [1, 1]), "not in the order of their turns"),
    "a bot said to be replaced": (changed("replaced", 0, value=True), "has 0 faults and is replaced"),
    "a replaced bot said to have played on": (changed("replaced", 2, value=False), "has 3 faults and is not replaced"),
    "more strikes than there were": (lambda dump: dump[0].update(strikes=4), "has 3 faults"),
    "fewer strikes than there were": (lambda dump: dump[0].update(strikes=2), "has 2 faults|has 3 faults"),
    "no turns of faults": (lambda dump: games(dump)[0].pop("fault_turns"), "not of 3 seats"),
    "a record of another tournament": (other_record, "the deal of game 0 is not the one that follows"),
    "a match of another id": (other_match, "match 0+ is not the one"),
    "a block dropped at the end": (lambda dump: dump.pop(), "1 blocks where the head says 2"),
    "another commitment": (lambda dump: dump[0].update(commitment="0" * 64), "committed to"),
    "the id of another tournament": (lambda dump: dump[0].update(tournament="t2"), "committed to"),
    "other options": (lambda dump: dump[0].update(options={"sheet": "B"}), "other options"),
}


def test_the_dump_that_is_forged_here_is_right() -> None:
    head, entries = cup()
    found = read_dump(io.BytesIO(resigned(rows())))
    assert (found.head, found.ledger) == (head, entries)
    assert any(game.replaced[game.seating.index(2)] for entry in entries for game in entry.games)
    assert {codes for entry in entries for game in entry.games for codes in game.faults} == {
        (),
        ("crashed",) * 2,
        ("crashed",) * 3,
    }


@pytest.mark.parametrize(("change", "why"), FORGED.values(), ids=FORGED.keys())
def test_claims_that_contradict_the_records_are_refused_even_with_a_valid_signature(change: Change, why: str) -> None:
    dump = rows()
    change(dump)
    with pytest.raises(BadDump, match=why):
        read_dump(io.BytesIO(resigned(dump)))


def test_a_consistent_forgery_is_refused_because_the_arena_has_not_signed_it() -> None:
    """All names, in blocks, records, digests and head, tell the same lie: only the signature is against it."""
    lie = dumped(*cup()).replace(b"careful@1", b"CAREFUL@1").replace(b"clumsy@1", b"careful@1")
    lines = lie.replace(b"CAREFUL@1", b"clumsy@1").splitlines(keepends=True)
    dump = [json.loads(line) for line in lines[:-1]]
    for game in games(dump):
        renamed(game, game["record"]["names"])
    assert read_dump(io.BytesIO(resigned(dump))), "nothing else is wrong with it"
    body = resigned(dump).splitlines(keepends=True)[:-1]
    with pytest.raises(BadDump, match="changed after the arena signed it"):
        read_dump(io.BytesIO(b"".join([*body, dumped(*cup()).splitlines(keepends=True)[-1]])))


TEXT = dumped(*cup())
LINES = TEXT.splitlines(keepends=True)
LAST = json.loads(LINES[-1])


def with_last(**changes: Any) -> bytes:
    changed = json.dumps({**LAST, **changes}, separators=(",", ":")).encode() + b"\n"
    return b"".join([*LINES[:-1], changed])


SPOILED: dict[str, tuple[bytes, str]] = {
    "no signature": (b"".join(LINES[:-1]), "no signature at its end"),
    "cut in the middle of the last line": (TEXT[:-40], "not signature of a dump"),
    "a block less": (b"".join([*LINES[:-2], LINES[-1]]), "changed after the arena signed it"),
    "another name of the tournament": (TEXT.replace(b'"Cup"', b'"Pup"', 1), "changed after the arena signed it"),
    "other names of bots": (TEXT.replace(b"CLUMSY", b"CHUMSY", 1), "changed after the arena signed it"),
    "a space more": (TEXT.replace(b'"name":"Cup"', b'"name": "Cup"', 1), "changed after the arena signed it"),
    "the signature of another dump": (
        b"".join([*LINES[:-1], dumped(*cup("t2")).splitlines(keepends=True)[-1]]),
        "changed after the arena signed it",
    ),
    "another time": (with_last(signed=LAST["signed"] + 1), "not by the key that stands beside it"),
    "the name of another key": (
        with_last(key=json.loads(dumped(*cup(), MALLORY).splitlines()[-1])["key"]),
        "not by the key that stands beside it",
    ),
    "a key that is none": (with_last(key="whpk_AAAA"), "no public key of an arena"),
    "a signature that is none": (with_last(signature="é"), "not by the key that stands beside it"),
    "a signature too short": (with_last(signature="AAAA"), "not by the key that stands beside it"),
    "a time beyond all calendars": (with_last(signed=10**30), "not signature of a dump"),
    "an unknown field": (with_last(by="mallory"), "not signature of a dump"),
    "a line after the signature": (TEXT + LINES[-2], "something follows the signature"),
    "two signatures": (TEXT + LINES[-1], "something follows the signature"),
}


@pytest.mark.parametrize(("text", "why"), SPOILED.values(), ids=SPOILED.keys())
def test_a_dump_with_an_invalid_signature_is_refused(text: bytes, why: str) -> None:
    with pytest.raises(BadDump, match=why):
        read_dump(io.BytesIO(text))


def test_a_dump_that_another_arena_has_signed_names_its_key() -> None:
    """Whether it is the right one is for the reader to say: `splito tournament verify --key`."""
    ours, theirs = (read_dump(io.BytesIO(dumped(*cup(), key))).signature for key in (ARENA, MALLORY))
    assert ours.key != theirs.key
    with pytest.raises(BadDump):
        check_signature(cup("t2")[0], ours, ours.blocks, ours.sha256)


@pytest.mark.parametrize(("version", "name"), [("owl@1.0", "owl@1.0"), ("o" * 60 + "@1.0", "o" * 60 + "@1.0")])
def test_a_record_names_a_version_by_its_id(version: str, name: str) -> None:
    assert record_name(version) == name


def test_versions_whose_ids_a_record_cannot_hold_get_other_names() -> None:
    bot = "0" * 24
    strange = [f"{bot}@{version}" for version in ("x" * 64, "x" * 63 + "y", "\x1b[2J", "1\n", "\udc80")]
    names = [record_name(version) for version in strange]
    assert len({*names}) == len(strange)
    assert all(len(name) <= 64 and name.isprintable() and name.startswith(f"{bot}@") for name in names)


def test_a_dump_is_not_proved_before_its_last_line() -> None:
    reading = Reading(io.BytesIO(TEXT))
    with pytest.raises(ValueError, match="not been read to its end"):
        _ = reading.signature
    assert len([*reading]) == 2
    assert reading.signature.blocks == 2
