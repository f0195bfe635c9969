"""Balance of meetings: two bots of two tables change places if that makes the meetings of all pairs more equal.

Every bot plays as often as before. The inequality of meetings is the sum of the squares of their numbers: it is least
when no two pairs differ by more than one, and then the exchange ends. The same tables are always changed in the same
way.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from splito_engine.chance import words

Pair: TypeAlias = tuple[int, int]
Table: TypeAlias = tuple[int, ...]

TRIES = 10_000


class Swap(NamedTuple):
    """An exchange: the numbers of two tables, the bot that leaves the first and the bot that leaves the second."""

    one: int
    other: int
    going: int
    coming: int


def exchanged(bots: int, tables: Sequence[Table]) -> tuple[Table, ...]:
    """Return the tables after all useful exchanges; tables that occur twice are changed first."""
    hall = Hall(bots, tables)
    if not hall.is_settled:
        for word in words(TRIES, "tables", "exchange"):
            hall.consider(hall.drawn(word))
            if hall.is_settled:
                break
    return tuple(hall.tables)


class Hall:
    def __init__(self, bots: int, tables: Sequence[Table]) -> None:
        self.tables = [*tables]
        self.used = Counter(self.tables)
        seen = set[Table]()
        self.twice = [number for number, table in enumerate(tables) if table in seen or seen.add(table)]
        self.met = Counter(pair for table in self.tables for pair in combinations(table, 2))
        self.unequal = sum(times**2 for times in self.met.values())
        self.least = _least(self.met.total(), bots * (bots - 1) // 2)

    @property
    def is_settled(self) -> bool:
        return not self.twice and self.unequal == self.least

    def drawn(self, word: int) -> Swap:
        word, one = divmod(word, len(self.tables))
        word, other = divmod(word, len(self.tables))
        one = self.twice[-1] if self.twice else one
        size = len(self.tables[one])
        return Swap(one, other, self.tables[one][word % size], self.tables[other][word // size % size])

    def consider(self, swap: Swap) -> None:
        """Make the exchange, unless meetings become less equal or two tables become the same."""
        old = self.tables[swap.one], self.tables[swap.other]
        if swap.going in old[1] or swap.coming in old[0]:
            return
        new = _replaced(old[0], swap.going, swap.coming), _replaced(old[1], swap.coming, swap.going)
        if new[0] in self.used or new[1] in self.used:
            return
        lost, won = _partings(swap, *old)
        growth = sum(2 * self.met.get(pair, 0) + 1 for pair in won) - sum(2 * self.met[pair] - 1 for pair in lost)
        if growth <= 0 or self.twice:
            self.unequal += growth
            self.met.update(won)
            self.met.subtract(lost)
            self._change(swap, old, new)

    def _change(self, swap: Swap, old: tuple[Table, Table], new: tuple[Table, Table]) -> None:
        self.tables[swap.one], self.tables[swap.other] = new
        for table in old:
            self.used[table] -= 1
            if not self.used[table]:
                del self.used[table]
        self.used.update(new)
        if self.twice:
            self.twice.pop()


def _partings(swap: Swap, mine: Table, theirs: Table) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that meet once less and once more. A bot at both tables meets both bots as before."""
    stay = [bot for bot in mine if bot != swap.going and bot not in theirs]
    wait = [bot for bot in theirs if bot != swap.coming and bot not in mine]
    lost = [_pair(swap.going, bot) for bot in stay] + [_pair(swap.coming, bot) for bot in wait]
    won = [_pair(swap.coming, bot) for bot in stay] + [_pair(swap.going, bot) for bot in wait]
    return lost, won


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


def _replaced(table: Table, going: int, coming: int) -> Table:
    return tuple(sorted(coming if bot == going else bot for bot in table))


def _least(meetings: int, pairs: int) -> int:
    """Return the sum of squares if all pairs have the same number of meetings, or one more."""
    each, more = divmod(meetings, pairs) if pairs else (0, 0)
    return (pairs - more) * each**2 + more * (each + 1) ** 2
