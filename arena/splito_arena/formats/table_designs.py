"""Table designs for too many possible tables: all bots play equally often, and all pairs meet as equally as possible.

A *base* is a table of bot numbers that is played again with all numbers raised by 1, 2, 3 and so on, modulo the number
of bots. All bots then play equally often, and two bots meet as often as the distance between their numbers occurs in
the bases; so bases are chosen such that all distances occur equally often. The tables that are still missing are filled
one by one, with the bots that have played least, and among them with those that have met least. In the end bots change
places between tables as long as that makes meetings more equal (`balance`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TypeAlias

from splito_arena.formats.balance import exchanged

Table: TypeAlias = tuple[int, ...]
"""Numbers of the bots, in rising order."""

LOOKED_AT = 32
"""Number of bots compared for a seat at a table, because more take time and hardly improve the choice."""


@lru_cache(maxsize=8)
def design(bots: int, size: int, tables: int) -> tuple[Table, ...]:
    """Return `tables` different tables, or all if there are fewer.

    No bot plays two tables more than another. More than half of all tables are the complement of a design of the rest,
    which is as balanced.
    """
    all_tables = comb(bots, size)
    if 2 * tables <= all_tables:
        return _balanced(bots, size, tables)
    left_out = {*_balanced(bots, size, max(0, all_tables - tables))}
    return tuple(table for table in combinations(range(bots), size) if table not in left_out)


def _balanced(bots: int, size: int, tables: int) -> tuple[Table, ...]:
    meetings = Meetings(bots)
    chosen = [table for base in _bases(meetings, size, tables // bots) for table in _developed(base, bots)]
    chosen += _filled(meetings, size, tables - len(chosen))
    return exchanged(bots, chosen)


class Meetings:
    """The number of meetings: by the distance of bot numbers in rotated bases, by pairs in single tables."""

    def __init__(self, bots: int) -> None:
        self.bots = bots
        self.by_distance = [0] * (bots // 2 + 1)
        self.by_pair: Counter[tuple[int, int]] = Counter()

    def of(self, one: int, other: int) -> int:
        pair = (one, other) if one < other else (other, one)
        return self.by_distance[self.distance(one, other)] + self.by_pair.get(pair, 0)

    def distance(self, one: int, other: int) -> int:
        apart = abs(one - other)
        return min(apart, self.bots - apart)

    def add_base(self, base: Table) -> None:
        for one, other in combinations(base, 2):
            distance = self.distance(one, other)
            self.by_distance[distance] += self._weight(distance)

    def add_table(self, table: Table) -> None:
        self.by_pair.update(combinations(table, 2))

    def growth(self, base: Table, bot: int) -> float:
        """Return the growth of the sum of the squares of all meetings if this bot joins the base."""
        inside = Counter(self.distance(one, other) for one, other in combinations(base, 2))
        new = Counter(self.distance(bot, other) for other in base)
        return sum(self._growth(distance, inside[distance], times) for distance, times in new.items())

    def _growth(self, distance: int, inside: int, times: int) -> float:
        weight = self._weight(distance)
        before = self.by_distance[distance] + weight * inside
        return ((before + weight * times) ** 2 - before**2) / weight

    def _weight(self, distance: int) -> int:
        """Return the meetings per rotation of a base at this distance: two for opposite numbers on the circle, else
        one.
        """
        return 2 if 2 * distance == self.bots else 1


def _developed(base: Table, bots: int) -> Iterator[Table]:
    return (tuple(sorted((bot + turn) % bots for bot in base)) for turn in range(bots))


def _bases(meetings: Meetings, size: int, count: int) -> Iterator[Table]:
    """Yield at most `count` bases, all of which develop into different tables."""
    seen: set[Table] = set()
    for _ in range(count):
        bases = (base for base in _grown(meetings, (0,), size) if _gaps(base, meetings.bots) not in seen)
        base = next(bases, None)
        if base is None:
            return
        seen.add(_gaps(base, meetings.bots))
        meetings.add_base(base)
        yield base


def _grown(meetings: Meetings, base: Table, size: int) -> Iterator[Table]:
    """Yield all bases that begin so and return only after a whole turn, the most promising first."""
    if len(base) == size:
        yield from (base,) if _is_whole(base, meetings.bots) else ()
        return
    others = (bot for bot in range(meetings.bots) if bot not in base)
    for bot in sorted(others, key=lambda bot: meetings.growth(base, bot)):
        yield from _grown(meetings, (*base, bot), size)


def _gaps(base: Table, bots: int) -> Table:
    """Return the gaps round the circle of numbers, from the least rotation: the same for all tables of a base."""
    ordered = sorted(base)
    gaps = tuple((after - before) % bots for before, after in zip(ordered, ordered[1:] + ordered[:1], strict=True))
    return min(gaps[turn:] + gaps[:turn] for turn in range(len(gaps)))


def _is_whole(base: Table, bots: int) -> bool:
    gaps = _gaps(base, bots)
    return all(gaps[turn:] + gaps[:turn] != gaps for turn in range(1, len(gaps)))


def _filled(meetings: Meetings, size: int, count: int) -> Iterator[Table]:
    """Yield tables one after the other, for bots that have played equally often; `tired` bots have played once more."""
    fresh, tired = [*range(meetings.bots)], list[int]()
    for _ in range(count):
        last = list[int]()
        if len(fresh) < size:
            last, fresh, tired = fresh, tired, []
        picked = _picked(meetings, last, fresh, size - len(last))
        meetings.add_table(tuple(sorted((*last, *picked))))
        fresh = [bot for bot in fresh if bot not in picked] + last
        tired += picked
        yield tuple(sorted((*last, *picked)))


def _picked(meetings: Meetings, seated: Sequence[int], pool: Sequence[int], count: int) -> list[int]:
    """Return `count` bots of the pool that have met the bots at the table and each other least."""
    table = [*seated]
    for _ in range(count):
        left = [bot for bot in pool[: LOOKED_AT + count] if bot not in table]
        table.append(min(left, key=lambda bot: sum(meetings.of(bot, other) ** 2 for other in table)))
    return table[len(seated) :]
