"""Single and double elimination: the best bots of each table go on, the last table is the final.

Everything follows from the tables so far: a bot that did not go on from a table has lost, and a bot with one loss, or
two in a double elimination, is out. The other bots play in each round; if they are too many for full tables, the best
seeds have a bye. Byes come first and later rounds are full, if `advance` divides the players of a table.

Tables are always full. If fewer bots are left than a table takes, the best of the bots that went out last come back.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

from splito_arena.formats.avoid_rematches import parted
from splito_arena.formats.past import active, meetings, ranked, seeded
from splito_arena.formats.types import Elimination, Entrant, Past, Round, TableResult


def elimination(kind: Elimination, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    bracket = _bracket(kind, players, entrants, past, seed)
    if bracket.over or len(bracket.active) < players:
        return None
    pools = _double(bracket) if kind.double else [bracket.filled(bracket.left())]
    met = meetings(past)
    tables = [table for pool in pools for table in parted(bracket.tables(pool), met, bracket.by_seed(pool))]
    return Round(tuple(tables), kind.blocks)


def elimination_placing(
    kind: Elimination, players: int, entrants: Sequence[Entrant], past: Past, seed: str
) -> tuple[tuple[str, ...], ...]:
    """Return all bots by how far they came, then by their place at the last table; bots still in the tournament come
    first.
    """
    bracket = _bracket(kind, players, entrants, past, seed)
    inside = set[str]() if bracket.over else {*bracket.left()}
    careers = bracket.careers.items()
    return ranked({bot: (bot in inside, career.last_round, -career.place) for bot, career in careers})


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
    """Place of the bot in that round."""

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

    def play(self, number: int, tables: Sequence[TableResult]) -> None:
        counted = [table for table in tables if table.places is not None or self.active.issuperset(table.bots)]
        self.over = self._is_final(counted)
        for table in counted:
            self._count(number, table)

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
        places = table.places or (0.0,) * len(table.bots)
        came = sorted(zip(places, table.bots, strict=True), key=lambda one: (one[0], self.careers[one[1]].seed))
        for number_there, (place, bot) in enumerate(came):
            before = self.careers[bot]
            losses = min(before.losses, self.lives - 1) + (number_there >= self.advance)
            self.careers[bot] = Career(before.seed, losses, before.tables + 1, number, place)

    def by_seed(self, bots: Iterable[str]) -> list[str]:
        return sorted(bots, key=lambda bot: self.careers[bot].seed)

    def tables(self, pool: Sequence[str]) -> list[list[str]]:
        """Return the tables. Byes go to bots with fewest byes so far, then to the best seeds; good seeds meet late."""
        number = tables_of(len(pool), self.players, self.advance)
        in_turn = sorted(self.by_seed(pool), key=lambda bot: -self.careers[bot].tables)
        playing = in_turn[len(pool) - number * self.players :]
        return [list(table) for table in zip(*_rows(self.by_seed(playing), number), strict=True)]


def _bracket(kind: Elimination, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Bracket:
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
