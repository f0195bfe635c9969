"""Single and double elimination: the best bots of each table go on, the last table is the final.

Everything follows from the tables so far: a bot that did not go on from a table has lost, and a bot with one loss, or
two in a double elimination, is out. The other bots play in each round; if they are too many for full tables, the best
seeds have a bye. Byes come first and later rounds are full, if `advance` divides the players of a table.

Tables are always full. If fewer bots are left than a table takes, the best of the bots that went out last come back.

Bots that are tied for the first place of the final play deciding blocks there, unless the format lets them share it.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

from splito_arena.formats.avoid_rematches import parted
from splito_arena.formats.past import DIGITS, active, meetings, points, seeded
from splito_arena.formats.types import Elimination, Entrant, Past, Round, TableResult

MOST_DECIDING = 5
"""Greatest number of deciding blocks of a final. Then tie-breaks decide, because equal bots may tie for ever."""


def elimination(kind: Elimination, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    bracket = bracket_of(kind, players, entrants, past, seed)
    if bracket.over or len(bracket.active) < players:
        return None
    pools = _double(bracket) if kind.double else [bracket.filled(bracket.left())]
    met = meetings(past)
    tables = [table for pool in pools for table in parted(bracket.tables(pool), met, bracket.by_seed(pool))]
    return Round(tuple(tables), kind.blocks)


def needs_deciding_block(  # noqa: PLR0913 (the inputs of a format, and the blocks so far)
    kind: Elimination, players: int, entrants: Sequence[Entrant], past: Past, seed: str, *, deciding: int
) -> bool:
    """Return True if the final needs another deciding block after so many: its first place is tied, and all its bots
    can play.
    """
    bracket = bracket_of(kind, players, entrants, past, seed)
    if kind.shared or not bracket.over or deciding >= MOST_DECIDING or len(past.rounds[-1]) != 1:
        return False
    return len(bracket.tied_for_first()) > 1 and bracket.active.issuperset(past.rounds[-1][0].bots)


def advancing(kind: Elimination, players: int) -> int:
    return kind.advance or players // 2


def tables_of(bots: int, players: int, advance: int) -> int:
    """Return the number of tables of a round, such that the rounds after it are full.

    It is computed from the end: one table leaves `advance` bots, these came from as many tables as that takes, and so
    on. A round goes to the next of these numbers.
    """
    target = advance
    while (before := target // advance * players + target % advance) < bots:
        target = before
    return min(ceil((bots - target) / (players - advance)), bots // players)


class Career(NamedTuple):
    """The results of a bot so far."""

    seed: int
    """Seed of the bot, 0 for the best."""
    losses: int = 0
    tables: int = 0
    last_round: int = -1
    """Last round in which the bot played."""
    place: float = 0.0
    """Place of the bot in that round; 0 if its table was not played."""
    deciding: tuple[float, ...] = ()
    """Places of the bot in the deciding blocks of that round."""
    losses_before: int = 0
    """Number of losses before that round."""
    points: float = 0.0
    """Points of all tables, as in a Swiss tournament."""

    @property
    def mean_points(self) -> float:
        return self.points / self.tables if self.tables else 0.0

    @property
    def form(self) -> tuple[float, ...]:
        """Return a sort key, less for the better bot: later last round first, then the better place there."""
        return -self.last_round, self.place, self.seed


class Bracket:
    """The bracket after some rounds. Bots that are not active get no tables and block no others."""

    def __init__(self, kind: Elimination, players: int, entrants: Sequence[Entrant], seed: str) -> None:
        self.players = players
        self.advance = advancing(kind, players)
        self.lives = 2 if kind.double else 1
        self.active = {*active(entrants)}
        self.careers = {bot: Career(number) for number, bot in enumerate(seeded(entrants, seed))}
        self.over = False
        """True after the final."""
        self.finalists = frozenset[str]()

    def play(self, number: int, tables: Sequence[TableResult]) -> None:
        counted = [table for table in tables if table.places is not None or self.active.issuperset(table.bots)]
        self.over = self._is_final(counted)
        self.finalists = frozenset[str](counted[0].bots if self.over else ())
        for table in counted:
            self._count(number, table)

    def tied_for_first(self) -> list[str]:
        """Return the bots with the best result of the final, deciding blocks included; more than one if it is tied."""
        results = {bot: (self.careers[bot].place, self.careers[bot].deciding) for bot in self.finalists}
        return self.by_seed(bot for bot, result in results.items() if result == min(results.values()))

    def left(self, losses: int | None = None) -> list[str]:
        """Return the active bots that are still in, with that many losses or any number, the best seed first."""
        careers = self.careers.items()
        inside = ((bot, career) for bot, career in careers if bot in self.active and career.losses < self.lives)
        return [bot for bot, career in inside if losses in {None, career.losses}]

    def best(self, bots: Iterable[str]) -> list[str]:
        return sorted(bots, key=lambda bot: self.careers[bot].form)

    def filled(self, bots: Sequence[str]) -> list[str]:
        """Return the bots with enough others for a table: the best of the bots that are out come back."""
        out = self.active - {*self.left()}
        return [*bots, *self.best(out)[: max(0, self.players - len(bots))]]

    def _is_final(self, tables: Sequence[TableResult]) -> bool:
        """True for a round of one table with all bots that are left, or with bots both with and without a loss."""
        if len(tables) != 1:
            return False
        bots = {*tables[0].bots}
        return bots.issuperset(self.left()) or len({self.careers[bot].losses > 0 for bot in bots}) > 1

    def _count(self, number: int, table: TableResult) -> None:
        """Count the losses of a table. A table that could have been played but was not is decided by seeds."""
        places = [round(place, DIGITS) for place in table.places or (0.0,) * len(table.bots)]
        deciding = tuple(zip(*table.deciding, strict=True)) or ((),) * len(table.bots)
        won = points(table)
        came = sorted(
            zip(places, deciding, table.bots, strict=True),
            key=lambda one: (one[0], one[1], self.careers[one[2]].seed),
        )
        for number_there, (place, decided, bot) in enumerate(came):
            before = self.careers[bot]
            self.careers[bot] = before._replace(
                losses=min(before.losses, self.lives - 1) + (number_there >= self.advance),
                tables=before.tables + 1,
                last_round=number,
                place=place,
                deciding=decided,
                losses_before=before.losses,
                points=before.points + won[bot],
            )

    def by_seed(self, bots: Iterable[str]) -> list[str]:
        return sorted(bots, key=lambda bot: self.careers[bot].seed)

    def tables(self, pool: Sequence[str]) -> list[list[str]]:
        """Return the tables. Byes go to bots with fewest byes so far, then to the best seeds; good seeds meet late."""
        number = tables_of(len(pool), self.players, self.advance)
        in_turn = sorted(self.by_seed(pool), key=lambda bot: -self.careers[bot].tables)
        playing = in_turn[len(pool) - number * self.players :]
        return [list(table) for table in zip(*_rows(self.by_seed(playing), number), strict=True)]


def bracket_of(kind: Elimination, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Bracket:
    """Return the bracket after the rounds of the past."""
    bracket = Bracket(kind, players, entrants, seed)
    for number, tables in enumerate(past.rounds):
        bracket.play(number, tables)
    return bracket


def _double(bracket: Bracket) -> list[list[str]]:
    """Return the tables of a double elimination: bots without a loss, bots with one, and in the final both together.

    The final comes when no more bots are left than a table takes; or when the bots without a loss are fewer than a
    table, and the bots with one have come down to the number that is missing, or to those that went on from one table,
    or cannot fill one. The best of them are in it.
    """
    players, unbeaten, beaten = bracket.players, bracket.left(0), bracket.left(1)
    missing = players - len(unbeaten)
    if len(unbeaten) + len(beaten) <= players:
        return [bracket.filled(unbeaten + beaten)]
    if missing <= 0:
        return [unbeaten, beaten] if len(beaten) >= players else [unbeaten]
    if len(beaten) > max(bracket.advance, missing) and len(losers := bracket.filled(beaten)) >= players:
        return [losers]
    return [bracket.filled(unbeaten + bracket.best(beaten)[:missing])]


def _rows(bots: Sequence[str], length: int) -> list[list[str]]:
    """Return the rows in snake order: the best of a row is at the table with the last of the row before."""
    rows = [[*bots[first : first + length]] for first in range(0, len(bots), length)]
    return [row[::-1] if number % 2 else row for number, row in enumerate(rows)]
