"""Validation of a format before anything is played."""

from collections.abc import Sequence
from math import comb

from splito_arena.experiments.blocks import duels
from splito_arena.experiments.sequential_test import check_design
from splito_arena.formats.elimination import advancing
from splito_arena.formats.experiment import design_of
from splito_arena.formats.next_round import expected
from splito_arena.formats.past import active
from splito_arena.formats.types import Elimination, Entrant, Experiment, Format, Gauntlet, Ladder, RoundRobin
from splito_engine.errors import BadBot, BadOption, WrongPlayers

MOST_BOTS = 1000
"""Greatest number of bots, because a round of a ladder would take too long to plan with more."""
MOST_IN_ALL = 1_000_000
"""Greatest number of blocks of a tournament."""


def check(kind: Format, players: int, entrants: Sequence[Entrant], *, filled: bool = True) -> None:
    """Raise the problem of a tournament that cannot be held with its active entrants.

    Without `filled` further bots can still enter, so that too few of them are no problem.
    """
    if players < 2:
        raise WrongPlayers(f"a table is for two bots and more, not for {players}", field="players")
    bots = active(entrants)
    if len({*bots}) < len(bots):
        raise BadOption("a bot can be entered once only", field="bots")
    if len(bots) > MOST_BOTS:
        raise BadOption(f"at most {MOST_BOTS} bots can be entered, not {len(bots)}", field="bots")
    if filled and not isinstance(kind, Ladder | Experiment) and len(bots) < players:
        count = "1 bot does" if len(bots) == 1 else f"{len(bots)} bots do"
        raise BadOption(f"{count} not fill a table of {players}", field="bots")
    if filled or isinstance(kind, Gauntlet | Elimination):
        _check_kind(kind, players, bots, filled=filled)
    if (blocks := expected(kind, players, entrants).blocks) > MOST_IN_ALL:
        raise BadOption(f"{blocks} blocks are more than {MOST_IN_ALL}", field="blocks")


def _check_kind(kind: Format, players: int, bots: Sequence[str], *, filled: bool) -> None:
    match kind:
        case RoundRobin(tables=tables):
            _check_tables(tables, players, len(bots))
        case Gauntlet(bot=bot, tables=tables):
            _check_entered((bot,), bots, "bot")
            if filled:
                _check_tables(tables, players - 1, len(bots) - 1)
        case Elimination():
            _check_advance(kind, players)
        case Experiment():
            _check_experiment(kind, players, bots)
        case _:
            pass


def _check_experiment(kind: Experiment, players: int, bots: Sequence[str]) -> None:
    table = (kind.new, kind.old, *kind.field)
    if len({*table}) < len(table):
        raise BadOption("NEW, OLD and the bots of the field must be different bots", field="field")
    _check_entered(table, bots, "field")
    duels(players, len(kind.field))
    check_design(design_of(kind))


def _check_tables(tables: int, size: int, bots: int) -> None:
    if tables * size < bots and tables < comb(bots, size):
        raise BadOption(f"at {tables} tables of {size} there is no seat for each of {bots} bots", field="tables")


def _check_advance(kind: Elimination, players: int) -> None:
    if advancing(kind, players) >= players:
        raise BadOption(f"fewer than {players} of a table of {players} can go on", field="advance")


def _check_entered(wanted: Sequence[str], bots: Sequence[str], field: str) -> None:
    for bot in wanted:
        if bot not in bots:
            raise BadBot(f"{bot!r} is not among the bots of this tournament", field=field)
