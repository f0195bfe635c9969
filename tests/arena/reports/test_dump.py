"""The dump: enough for anybody to rate the tournament again, and nothing that does not hold."""

import asyncio
import io
import json
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations
from math import log, pi, sqrt
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from splito_arena.blocks.ledger import Entry
from splito_arena.blocks.placings import Placings
from splito_arena.blocks.play import BlockTerms, commitment_of, play_block
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.errors import BadDump
from splito_arena.experiments.blocks import duels
from splito_arena.reports import dump
from splito_arena.reports.dump import Dump, read_dump
from splito_arena.reports.dump_head import Head
from splito_arena.stats.fitted_rating import refit
from splito_arena.stats.online_rating import replayed
from splito_arena.stats.tournament_table import rateable, standings
from splito_engine.errors import UnknownVersion, WrongPlayers
from splito_engine.games import splitter
from tests.arena.reports.dumps import dumped, resigned, rows_of
from tests.arena.tournaments import ledger

SECRET = "study"  # noqa: S105
"""With which `ledger` is played."""
LEDGER = ledger()
HEAD = Head(
    tournament="t1",
    name="House",
    game="splitter",
    version=LEDGER[0].games[0].record.version,
    players=3,
    options=LEDGER[0].games[0].record.options,
    strikes=3,
    entrants={bot: bot.upper() for bot in LEDGER[0].bots},
    commitment=commitment_of("t1", SECRET),
    secret=SECRET,
    blocks=len(LEDGER),
)
TEXT = dumped(HEAD, LEDGER)


def read(text: bytes) -> Dump:
    return read_dump(io.BytesIO(text))


def changed(line: int, change: Callable[[Any], object]) -> bytes:
    """The dump with one of its lines changed, 0 being the head, and signed as if the arena itself had lied."""
    rows = rows_of(TEXT)
    change(rows[line])
    return resigned(rows)


def test_a_dump_can_be_read_back() -> None:
    assert read(TEXT) == Dump(HEAD, LEDGER, read(TEXT).signature)
    assert changed(0, lambda _: None) == TEXT


def test_a_dump_of_blocks_that_were_skipped_is_read_too() -> None:
    skipped = Entry(block="00000000-0004-00000", bots=LEDGER[0].bots, skipped="a bot is gone")
    assert read(dumped(msgspec.structs.replace(HEAD, blocks=None), [*LEDGER, skipped])).ledger[-1] == skipped


def test_the_ratings_follow_from_the_text_of_the_dump_alone() -> None:
    """The test uses only our fit: it takes places from the JSON, and computes online ratings by docs/ratings.md."""
    blocks = [json.loads(row) for row in TEXT.splitlines()[1:-1]]
    placings = [Placings(block["block"], tuple(block["bots"]), tuple(map(_places, block["games"]))) for block in blocks]
    assert refit(placings) == refit(rateable(LEDGER))
    published = {line.bot: line.rating for line in standings(LEDGER)}
    assert {row.bot: row.rating for row in refit(placings)} == published
    beliefs = dict.fromkeys(HEAD.entrants, (1500.0, 350.0**2))
    for one in placings:
        for places in one.games:
            moved = _after_game(np.array([beliefs[bot] for bot in one.bots]), places)
            beliefs |= {bot: tuple(belief) for bot, belief in zip(one.bots, moved.tolist(), strict=True)}
    for bot, rating in replayed(rateable(LEDGER)).items():
        assert (rating.mean, rating.sigma) == pytest.approx((beliefs[bot][0], sqrt(beliefs[bot][1])), rel=1e-9)


def _after_game(beliefs: NDArray[np.float64], places: Sequence[float]) -> NDArray[np.float64]:
    """Return means and variances after a game, from those before it."""
    unit = 400 / log(10)
    means, variances = beliefs[:, 0] / unit, beliefs[:, 1] / unit**2
    blur = 1 / sqrt(1 + pi / 4 * float(variances.mean()))
    orders = permutations(range(len(places)))
    every = [order for order in orders if all(places[one] <= places[other] for one, other in pairwise(order))]
    surprise, told = np.zeros(len(means)), np.zeros(len(means))
    for order in every:
        for drawn in range(len(order) - 1):
            left = [*order[drawn:]]
            chances = np.exp(blur * means[left]) / np.exp(blur * means[left]).sum()
            surprise[order[drawn]] += 1 / len(every)
            surprise[left] -= chances / len(every)
            told[left] += chances * (1 - chances) / len(every)
    variances = 1 / (1 / (variances + 1 / unit**2) + blur**2 * told)
    means = means + variances * blur * surprise
    return np.column_stack((unit * means, unit**2 * variances))


def _places(game: dict[str, Any]) -> tuple[float, ...]:
    """By bot."""
    judged = [
        [0] if out else [1, *score] for score, out in zip(game["record"]["scores"], game["replaced"], strict=True)
    ]
    by_bot = [judged[game["seating"].index(bot)] for bot in range(len(judged))]
    return tuple(sum(other > mine for other in by_bot) + (by_bot.count(mine) + 1) / 2 for mine in by_bot)


def _set(*path: Any) -> Callable[[Any], None]:
    """The last of the path is put where the rest leads to."""
    *way, key, value = path

    def change(row: Any) -> None:
        for step in way:
            row = row[step]
        row[key] = value

    return change


def _more_points(row: Any) -> None:
    row["games"][0]["record"]["scores"][0][0] += 1


def _swap_games(row: Any) -> None:
    row["games"][0], row["games"][1] = row["games"][1], row["games"][0]


def _another_deal(row: Any) -> None:
    row["games"][0]["record"] = json.loads(TEXT.splitlines()[2])["games"][0]["record"]


CHANGED: dict[str, tuple[int, Callable[[Any], object], str]] = {
    "points": (1, _more_points, "block 00000000-0000-00000: the digest"),
    "a name": (1, _set("games", 0, "record", "names", 0, "mallory"), "the record of game 0 names other bots"),
    "games in another order": (1, _swap_games, "as the design and the secret have it"),
    "the ids of games": (1, _set("games", 0, "match", "0" * 24), "match 0+ is not the one"),
    "a game of another deal": (1, _another_deal, "the deal of game 0 is not the one"),
    "a secret that was chosen": (0, _set("secret", "another"), "committed to"),
    "a secret that was chosen, with its commitment": (
        0,
        lambda row: row.update(secret="another", commitment=commitment_of("t1", "another")),  # noqa: S106 (of a test)
        "the secret have it",
    ),
    "the last game left out": (1, lambda row: row["games"].pop(), "the secret have it"),
    "no games": (1, _set("games", []), "either games or a reason"),
    "a bot twice": (1, lambda row: row["bots"].__setitem__(0, row["bots"][1]), "a bot is there twice"),
    "a bot too few": (1, lambda row: row["bots"].pop(), "not for 3 bots"),
    "a stranger": (1, lambda row: row["bots"].__setitem__(0, "mallory@1"), "mallory@1 never entered"),
    "a bot in two seats": (1, _set("games", 0, "seating", [0, 0, 1]), "the secret have it"),
    "a bot that is not there": (1, _set("games", 0, "seating", [0, 1, 3]), "the secret have it"),
    "too few seats": (1, _set("games", 0, "replaced", [False]), "3 seats"),
    "an unknown fault": (1, _set("games", 0, "faults", 0, ["bribery"]), "bribery"),
    "a block twice": (2, _set("block", "00000000-0000-00000"), "not after"),
    "a block of a strange name": (2, _set("block", "00000000-0001-00000\x1b[2J"), "line 3: a block id must look like"),
    "a block of a short name": (2, _set("block", "1"), "line 3: a block id must look like"),
    "a block of two numbers": (2, _set("block", "00000000-0001"), "line 3: a block id must look like"),
    "a block with a line end": (2, _set("block", "00000000-0001-00000\n"), "line 3: a block id must look like"),
    "an unknown field": (1, _set("comment", "hello"), "line 2"),
    "a number of blocks": (0, _set("blocks", 7), "was cut"),
    "a format to come": (0, _set("format", 4), "format 4"),
    "a format of before": (0, _set("format", 2), "format 2"),
    "another game": (0, lambda row: row.update(game="splito", version="1.0"), "of splitter"),
}


@pytest.mark.parametrize(("line", "change", "why"), CHANGED.values(), ids=CHANGED.keys())
def test_a_changed_dump_is_refused(line: int, change: Callable[[Any], object], why: str) -> None:
    with pytest.raises(BadDump, match=why):
        read(changed(line, change))


WITHOUT_SECRET: dict[str, tuple[int, Callable[[Any], object], str]] = {
    "games in another order": (1, _swap_games, "as the design has it"),
    "a game of another deal": (1, _another_deal, "names other bots|it has a deal that was played before"),
    "a deal twice": (1, lambda row: row["games"].__setitem__(1, _with_record(row, 1, 0)), "was played before"),
    "the last game left out": (1, lambda row: row["games"].pop(), "as the design has it"),
    "a bot in two seats": (1, _set("games", 0, "seating", [0, 0, 1]), "as the design has it"),
    "a bot that is not there": (1, _set("games", 0, "seating", [0, 1, 3]), "as the design has it"),
    "a seat too many": (1, _set("games", 0, "seating", [0, 1, 2, 3]), "as the design has it"),
}


def _with_record(row: Any, game: int, other: int) -> Any:
    return {**row["games"][game], "record": row["games"][other]["record"]}


@pytest.mark.parametrize(("line", "change", "why"), WITHOUT_SECRET.values(), ids=WITHOUT_SECRET.keys())
def test_without_the_secret_seats_that_no_secret_gives_and_repeated_deals_are_refused(
    line: int, change: Callable[[Any], object], why: str
) -> None:
    rows = rows_of(TEXT)
    rows[0]["secret"] = None
    assert read(resigned(rows)).ledger == LEDGER
    change(rows[line])
    with pytest.raises(BadDump, match=why):
        read(resigned(rows))


@pytest.mark.parametrize("secret", [SECRET, None])
def test_the_numbers_of_the_bots_are_those_that_the_records_name(secret: str | None) -> None:
    """Without the secret no reader can tell which numbers follow from it, but the records name who sat where."""
    numbers = {0: 2, 1: 0, 2: 1}
    games = [
        msgspec.structs.replace(game, seating=tuple(numbers[bot] for bot in game.seating)) for game in LEDGER[0].games
    ]
    other = (msgspec.structs.replace(LEDGER[0], games=tuple(games)), *LEDGER[1:])
    with pytest.raises(BadDump, match="names other bots" if secret is None else "as the design and the secret have it"):
        read(dumped(msgspec.structs.replace(HEAD, secret=secret), other))


@pytest.mark.parametrize("kind", ["tournament", "experiment"])
@pytest.mark.parametrize("players", [-1, 0, 13, 10**9])
def test_a_table_of_a_size_that_the_game_does_not_have_is_not_even_seated(kind: str, players: int) -> None:
    with pytest.raises(WrongPlayers):
        read(changed(0, lambda row: row.update(kind=kind, players=players)))


def test_a_dump_of_an_unknown_rules_version_is_refused_with_that_reason() -> None:
    with pytest.raises(UnknownVersion):
        read(changed(0, _set("version", "0.0")))


@pytest.mark.parametrize("text", [b"", b"\n", b"{}", b"[" * 100_000, b"\xff", TEXT[: len(TEXT) // 2], b"null\n"])
def test_a_file_that_is_no_dump_is_refused(text: bytes) -> None:
    with pytest.raises(BadDump):
        read(text)


def test_a_dump_of_an_experiment_is_checked_by_its_own_design() -> None:
    """NEW, OLD and a field of one, who sits on both other seats."""
    bots = ["new@1", "old@1", "field@1"]
    players = [Plugin(bot, find_bot("random")) for bot in bots]
    terms = BlockTerms(game=splitter, block="00000000-0000-00000", secret=SECRET, seatings=duels(3, 1), paired=True)
    entry = asyncio.run(play_block(terms, bots, players, lambda _: players[0], at_once=1)).entry
    head = msgspec.structs.replace(HEAD, kind="experiment", entrants=dict.fromkeys(bots, ""), blocks=1)
    assert read(dumped(head, [entry])).ledger == (entry,)
    open_head = msgspec.structs.replace(head, secret=None)
    assert read(dumped(open_head, [entry])).ledger == (entry,)
    for one in (head, open_head):
        with pytest.raises(BadDump, match=r"as the design (and the secret have|has) it"):
            read(dumped(msgspec.structs.replace(one, kind="tournament"), [entry]))
    first, second, *rest = entry.games
    changed_pair = (first, msgspec.structs.replace(second, record=rest[0].record), *rest)
    with pytest.raises(BadDump, match="the two games of a pair are not of one deal"):
        read(dumped(open_head, [msgspec.structs.replace(entry, games=changed_pair)]))
    with pytest.raises(BadDump, match="no experiment has"):
        read(dumped(head, [msgspec.structs.replace(entry, bots=entry.bots[:2])]))
    with pytest.raises(BadDump, match="a bot is there twice"):
        read(dumped(head, [msgspec.structs.replace(entry, bots=("new@1", "new@1", "field@1"))]))


def test_a_dump_with_too_long_a_line_or_too_many_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "MAX_SIZE", 100)
    with pytest.raises(BadDump, match="100 bytes"):
        read(TEXT)
    monkeypatch.setattr(dump, "MAX_LINE", 50)
    with pytest.raises(BadDump, match="line 1 is longer"):
        read(TEXT)


def test_reading_a_dump_opens_no_other_file() -> None:
    """A deck of one's own is an option of Splito's, but not one for others to choose."""
    entries = ledger("random random random", 1, "splito")
    head = Head(
        tournament="t2",
        name="",
        game="splito",
        version="1.0",
        players=3,
        options=entries[0].games[0].record.options,
        strikes=3,
        entrants=dict.fromkeys(entries[0].bots, ""),
        commitment="",
    )
    good = dumped(head, entries)
    assert read(good).ledger == entries
    with pytest.raises(BadDump, match="the option deck is not open"):
        read(resigned([json.loads(row.replace("standard", "/dev/zero")) for row in map(json.dumps, rows_of(good))]))
