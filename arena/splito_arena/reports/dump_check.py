"""Checks of a block of a dump against its records, the head and the secret."""

from collections import defaultdict
from collections.abc import Mapping

from msgspec import UNSET
from msgspec.structs import fields

from splito_arena.blocks.ledger import Entry, Game, parts, record_name
from splito_arena.blocks.play import PAIR, deal_of, match_of, seated
from splito_arena.blocks.seatings import Seating, is_relabelled, seatings
from splito_arena.errors import BadDump
from splito_arena.experiments.blocks import FIELD, duels
from splito_arena.faults import FAULTS
from splito_arena.formats import Experiment
from splito_arena.reports.dump_head import Head
from splito_engine.errors import GameError
from splito_engine.game import AnyGame, Seat
from splito_engine.match import Match, Turn, legal_moves, play, start
from splito_engine.record import Record, verify
from splito_engine.record import encode as encode_record
from splito_engine.registry import find_game


def check_block(head: Head, entry: Entry, deals: set[str]) -> None:
    """Raise `BadDump` if the block is inconsistent; `deals` are the seeds of the blocks before it."""
    try:
        _check_block(head, entry)
        _check_deals(head, entry, deals)
        for number, game in enumerate(entry.games):
            _check_seats(head, game)
            _check_luck(head, entry, number)
            _check_names(entry, number)
            _check_faults(head, game, _check_record(head, game.record))
    except GameError as error:
        raise BadDump(f"block {entry.block}: {error.message}", field=error.field) from error


def _check_block(head: Head, entry: Entry) -> None:
    if len({*entry.bots}) < len(entry.bots):
        raise BadDump("a bot is there twice", field="bots")
    if others := {*entry.bots} - head.entrants.keys():
        raise BadDump(f"{', '.join(sorted(others))} never entered", field="bots")
    if head.question and tuple(parts(bot)[0] for bot in entry.bots) != _asked(head.question):
        raise BadDump("its bots are not those of the experiment", field="bots")
    if (entry.skipped is None) == (not entry.games):
        raise BadDump("it must have either games or a reason for having none", field="games")
    if entry.games and not _is_seated(head, entry, [game.seating for game in entry.games]):
        follows = "the design has it" if head.secret is None else "the design and the secret have it"
        raise BadDump(f"its games are not seated as {follows}", field="seating")


def _check_deals(head: Head, entry: Entry, before: set[str]) -> None:
    """Raise `BadDump` unless each game, or each pair in an experiment, has a new deal; then add them to `before`."""
    step = PAIR if head.kind == "experiment" else 1
    pairs = [entry.games[first : first + step] for first in range(0, len(entry.games), step)]
    if any(len({(game.record.seed, game.record.salt) for game in pair}) > 1 for pair in pairs):
        raise BadDump("the two games of a pair are not of one deal", field="seed")
    deals = [pair[0].record.seed for pair in pairs]
    if len({*deals}) < len(deals) or not before.isdisjoint(deals):
        raise BadDump("it has a deal that was played before", field="seed")
    before.update(deals)


def _asked(question: Experiment) -> tuple[str, ...]:
    return question.new, question.old, *question.field


def _is_seated(head: Head, entry: Entry, games: list[Seating]) -> bool:
    """Return True if the secret gives these seatings of the design; without the secret, if any secret could."""
    bots, paired = len(entry.bots), head.kind == "experiment"
    if not paired and bots != head.players:
        raise BadDump(f"it is not for {head.players} bots", field="bots")
    design = duels(head.players, bots - FIELD) if paired else seatings(bots)
    if head.secret is None:
        return is_relabelled(games, design, bots, FIELD if paired else 0)
    return games == [*seated(design, bots, head.secret, entry.block, paired=paired)]


def _check_seats(head: Head, game: Game) -> None:
    seats = (game.faults, game.fault_turns, game.replaced)
    if any(len(by_seat) != head.players for by_seat in seats) or game.record.players != head.players:
        raise BadDump(f"a game is not of {head.players} seats", field="seating")
    if unknown := {code for codes in game.faults for code in codes} - FAULTS.keys():
        raise BadDump(f"there are no faults {', '.join(sorted(unknown))}", field="faults")


def _check_names(entry: Entry, number: int) -> None:
    """Raise `BadDump` unless the record names the version in each seat."""
    game = entry.games[number]
    expected = tuple(record_name(entry.bots[bot]) for bot in game.seating)
    if game.record.names != expected:
        raise BadDump(f"the record of game {number} names other bots than its seats have", field="names")


def _check_faults(head: Head, game: Game, match: Match) -> None:
    """Raise `BadDump` unless faults got default moves, and seats were replaced exactly after `strikes` faults."""
    struck = defaultdict[int, list[Seat]](list)
    for seat, (codes, turns) in enumerate(zip(game.faults, game.fault_turns, strict=True)):
        if len(codes) != len(turns) or [*turns] != sorted({*turns}):
            raise BadDump(f"the faults of seat {seat} are not in the order of their turns", field="faults")
        if len(codes) > head.strikes or game.replaced[seat] != (len(codes) == head.strikes):
            replaced = "is" if game.replaced[seat] else "is not"
            wrong = f"seat {seat} has {len(codes)} faults and {replaced} replaced, which is done after {head.strikes}"
            raise BadDump(wrong, field="replaced")
        for turn in turns:
            struck[turn].append(seat)
    if struck:
        _check_defaults(struck, match)


def _check_defaults(struck: Mapping[int, list[Seat]], match: Match) -> None:
    again = start(match.game, match.players, match.seed, match.options)
    for number, turn in enumerate(match.turns):
        for seat in struck.get(number, ()):
            if not _is_default(again, turn, seat):
                raise BadDump(
                    f"seat {seat} has a fault in turn {number}, but did not get its default move", field="faults"
                )
        again = play(again, turn.moves, turn.talk)
    if max(struck) >= len(match.turns) or min(struck) < 0:
        raise BadDump("a fault is in a turn that was not played", field="faults")


def _is_default(match: Match, turn: Turn, seat: Seat) -> bool:
    return seat in turn.moves and turn.moves[seat] == legal_moves(match, seat)[0] and seat not in turn.talk


def _check_luck(head: Head, entry: Entry, number: int) -> None:
    """Raise `BadDump` unless deals and match ids follow from the secret, if the head has it."""
    if head.secret is None:
        return
    game = entry.games[number]
    paired = head.kind == "experiment"
    if (game.record.seed, game.record.salt) != deal_of(head.secret, entry.block, number, paired=paired):
        raise BadDump(f"the deal of game {number} is not the one that follows from the secret", field="seed")
    tournament = None if head.seed is UNSET else head.tournament
    if game.match != match_of(head.secret, entry.block, number, tournament):
        raise BadDump(f"match {game.match} is not the one that follows from the secret", field="match")


def _check_record(head: Head, record: Record) -> Match:
    """Return the match that the record replays to."""
    if record.game != head.game:
        raise BadDump(f"a game is of {record.game}", field="game")
    _check_options(find_game(head.game), record.options)
    if record.options != head.options:
        raise BadDump("a game has other options than the tournament", field="options")
    return verify(encode_record(record))[1]


def _check_options(game: AnyGame, options: Mapping[str, object]) -> None:
    """Raise `BadDump` if an option closed to tournaments is not at its default, because it may name a file."""
    everybody = {field.name for field in fields(game.OpenOptions)}
    for field in fields(game.Options):
        if field.name not in everybody and options.get(field.name, field.default) != field.default:
            raise BadDump(f"the option {field.name} is not open to tournaments", field=field.name)
