"""All finished blocks of a tournament as text, from which anybody can play everything again and rate it anew.

A dump is lines of JSON. The first is the head: which tournament, by which rules, and how the ratings come about; when
the tournament is over it has the secret too, from which all deals were drawn. Then there is one line per block, in the
order of play, with the records of its games.

To read a dump is to check it: every record is replayed, and games that do not belong into their block are refused. What
is read is limited in size, for it may come from anybody.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import BinaryIO, Literal, TypeVar

import msgspec
from msgspec.structs import fields

from arena.blocks import PAIR, deal_of, match_of, seated
from arena.duel import FIELD, duels
from arena.errors import BadDump
from arena.faults import FAULTS
from arena.formats import Experiment
from arena.ledger import BLOCK_PATTERN, Entry, Game, VersionId, encode, parts
from arena.seatings import Seating, is_relabelled, seatings
from engine.errors import GameError
from engine.game import AnyGame, check_players
from engine.record import MAX_BYTES, Record, check_version, verify
from engine.record import encode as encode_record
from engine.registry import find_game

T = TypeVar("T")

FORMAT = 2
BLOCK = re.compile(BLOCK_PATTERN)
MAX_LINE = 16 * MAX_BYTES
"""Bytes of a block."""
MAX_SIZE = 8 * 10**9
"""Bytes of all."""
HOW = (
    "A block is one observation: the order of its bots by their mean places over its games, equal means being ties. "
    "Online ratings: openskill's PlackettLuce with its own numbers, block by block in the order of their ids as texts. "
    "Published ratings: the most likely strengths of a Plackett-Luce model over all blocks, docs/ratings.md."
)


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tournament: str
    name: str
    kind: Literal["tournament", "experiment"] = "tournament"
    game: str
    version: str
    """Of the rules."""
    players: int
    entrants: dict[str, str]
    """What the bots are called, by the ids of their versions. In a ladder these are the last ones; blocks may have been
    played by earlier ones."""
    format: int = FORMAT
    """Of this file."""
    secret: str | None = None
    """From which all deals follow; nobody is told before the end."""
    how: str = HOW
    """How the ratings are computed."""
    blocks: int | None = None
    """How many follow, where that is known."""
    question: Experiment | msgspec.UnsetType = msgspec.UNSET
    """What an experiment asks, where that is told."""


class Dump(msgspec.Struct, frozen=True):
    """What was read, and holds."""

    head: Head
    ledger: tuple[Entry, ...]


def lines(head: Head, ledger: Iterable[Entry]) -> Iterator[bytes]:
    """The dump, line by line; the entries are to come in the order of play."""
    yield msgspec.json.encode(head) + b"\n"
    yield from map(encode, ledger)


def read_dump(file: BinaryIO) -> Dump:
    """Everything a dump claims, checked. Of rules that this program does not have it can say nothing."""
    head, ledger = open_dump(file)
    return Dump(head, tuple(ledger))


def open_dump(file: BinaryIO) -> tuple[Head, Iterator[Entry]]:
    """The same block by block, for who does not keep them all. What is wrong with it is said when it comes to that."""
    head = _decoded(_line(file, 1), Head, 1)
    if head.format != FORMAT:
        raise BadDump(f"a dump of format {head.format}; this program reads {FORMAT}", field="format")
    check_version(head.game, head.version)
    check_players(find_game(head.game).INFO, head.players)
    return head, _counted(_entries(file, head), head.blocks)


def _counted(entries: Iterable[Entry], expected: int | None) -> Iterator[Entry]:
    number = 0
    for entry in entries:
        number += 1
        yield entry
    if expected not in (None, number):
        raise BadDump(f"{number} blocks where the head says {expected}: the file was cut", field="blocks")


def _entries(file: BinaryIO, head: Head) -> Iterator[Entry]:
    before, size, deals = "", 0, set[str]()
    for number in count(2):
        if not (line := _line(file, number)):
            return
        size += len(line)
        if size > MAX_SIZE:
            raise BadDump(f"a dump has at most {MAX_SIZE:,} bytes")
        entry = _decoded(line, Entry, number)
        if not BLOCK.fullmatch(entry.block):
            raise BadDump(f"line {number}: no block is called so, but `00000002-0001-00013`", field="block")
        if entry.block <= before:
            raise BadDump(f"line {number}: block {entry.block} is not after {before}", field="block")
        _check(head, entry, deals)
        yield entry
        before = entry.block


def _line(file: BinaryIO, number: int) -> bytes:
    line = file.readline(MAX_LINE + 1)
    if len(line) > MAX_LINE:
        raise BadDump(f"line {number} is longer than {MAX_LINE:,} bytes")
    return line


def _decoded(line: bytes, kind: type[T], number: int) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadDump(f"line {number}: not {kind.__name__.lower()} of a dump: {error}") from None


def _check(head: Head, entry: Entry, deals: set[str]) -> None:
    """Raise `BadDump` for what cannot be true of the block; `deals` are the seeds of the blocks before it."""
    try:
        _check_block(head, entry)
        _check_deals(head, entry, deals)
        for number, game in enumerate(entry.games):
            _check_seats(head, game)
            _check_luck(head, entry, number)
            _check_record(head, game.record)
    except GameError as error:
        raise BadDump(f"block {entry.block}: {error.message}", field=error.field) from error


def _check_block(head: Head, entry: Entry) -> None:
    if len({*entry.bots}) < len(entry.bots):
        raise BadDump("a bot is there twice", field="bots")
    if (others := {*entry.bots} - head.entrants.keys()) and not _bots(others) <= _bots(head.entrants):
        raise BadDump("not all of its bots are versions of entrants", field="bots")
    if head.question and tuple(parts(bot)[0] for bot in entry.bots) != _asked(head.question):
        raise BadDump("its bots are not those of the question", field="bots")
    if (entry.skipped is None) == (not entry.games):
        raise BadDump("it has games, or a reason to have none", field="games")
    if entry.games and not _is_seated(head, entry, [game.seating for game in entry.games]):
        follows = "the design has it" if head.secret is None else "the design and the secret have it"
        raise BadDump(f"its games are not seated as {follows}", field="seating")


def _check_deals(head: Head, entry: Entry, before: set[str]) -> None:
    """Each game has its own deal, and in an experiment each pair of games; then add them to those before."""
    step = PAIR if head.kind == "experiment" else 1
    pairs = [entry.games[first : first + step] for first in range(0, len(entry.games), step)]
    if any(len({(game.record.seed, game.record.salt) for game in pair}) > 1 for pair in pairs):
        raise BadDump("the two games of a pair are not of one deal", field="seed")
    deals = [pair[0].record.seed for pair in pairs]
    if len({*deals}) < len(deals) or not before.isdisjoint(deals):
        raise BadDump("it has a deal that was played before", field="seed")
    before.update(deals)


def _bots(versions: Iterable[VersionId]) -> set[str]:
    return {parts(version)[0] for version in versions}


def _asked(question: Experiment) -> tuple[str, ...]:
    return question.new, question.old, *question.field


def _is_seated(head: Head, entry: Entry, games: list[Seating]) -> bool:
    """True if the secret gives these seatings of the design; without the secret, if any could."""
    bots, paired = len(entry.bots), head.kind == "experiment"
    if not paired and bots != head.players:
        raise BadDump(f"it is not for {head.players} bots", field="bots")
    design = duels(head.players, bots - FIELD) if paired else seatings(bots)
    if head.secret is None:
        return is_relabelled(games, design, bots, FIELD if paired else 0)
    return games == [*seated(design, bots, head.secret, entry.block, paired=paired)]


def _check_seats(head: Head, game: Game) -> None:
    if not len(game.faults) == len(game.replaced) == head.players == game.record.players:
        raise BadDump(f"a game is not of {head.players} seats", field="seating")
    if unknown := {code for codes in game.faults for code in codes} - FAULTS.keys():
        raise BadDump(f"there are no faults {', '.join(sorted(unknown))}", field="faults")


def _check_luck(head: Head, entry: Entry, number: int) -> None:
    """What follows from the secret, where it is told: nobody chose a deal, or left a game out."""
    if head.secret is None:
        return
    game = entry.games[number]
    paired = head.kind == "experiment"
    if (game.record.seed, game.record.salt) != deal_of(head.secret, entry.block, number, paired=paired):
        raise BadDump(f"the deal of game {number} is not the one that follows from the secret", field="seed")
    if game.match != match_of(head.secret, entry.block, number):
        raise BadDump(f"match {game.match} is not the one that follows from the secret", field="match")


def _check_record(head: Head, record: Record) -> None:
    if record.game != head.game:
        raise BadDump(f"a game is of {record.game}", field="game")
    _check_options(find_game(head.game), record.options)
    verify(encode_record(record))


def _check_options(game: AnyGame, options: Mapping[str, object]) -> None:
    """Nothing that anybody else wrote makes us open a file: options that are not open to all have their defaults."""
    everybody = {field.name for field in fields(game.OpenOptions)}
    for field in fields(game.Options):
        if field.name not in everybody and options.get(field.name, field.default) != field.default:
            raise BadDump(f"the option {field.name} is not open to tournaments", field=field.name)
