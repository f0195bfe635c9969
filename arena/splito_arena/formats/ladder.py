"""The ladder format: bots that have played least meet bots of about their rating, or any bots at a wide table.

The rules cannot always hold all at once. In a conflict the first of them gives way first:

1. ratings are near
2. all bots play equally often
3. there are no more than `tables` tables: there are more if a bot would wait for longer than `age`
4. two bots meet no more often than `quota`
5. no bot waits for longer than `age`, if one owner has more bots than can be kept apart
6. bots of one owner are kept apart, if owners are fewer than the players of a table; then as few of one as possible sit
   together

A bot has at most one table in a round, and every table that these rules allow is planned. House bots have no owner, and
are kept apart from no bot.
"""

from collections.abc import Sequence
from math import ceil
from statistics import fmean
from typing import TypeAlias

from splito_arena.formats.past import meetings, pair
from splito_arena.formats.types import Entrant, Ladder, Past, Round
from splito_engine.chance import shuffled, words

Cost: TypeAlias = tuple[int, bool, int]
"""Cost of a seat: bots of the same owner there, whether another bot is more urgent, the excess over quotas."""

FREE: Cost = (0, False, 0)
POOL = 1.25
"""Size of the pool of bots that have played least, as a multiple of the bots needed.

In a small field the pool is no larger than needed, because a choice would leave out the same bots again and again.
"""


def ladder(kind: Ladder, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round:
    """Return the next round; it has no tables if there are too few bots."""
    draw = Draw(kind, players, [entrant for entrant in entrants if entrant.active], past, seed)
    tables: list[tuple[str, ...]] = []
    while draw.can_fill_a_table() and (len(tables) < draw.usual or draw.somebody_is_due()):
        tables.append(draw.table(len(tables)))
    return Round(tuple(tables), kind.blocks)


class Draw:
    """The bots that are not seated yet, the most urgent first."""

    def __init__(self, kind: Ladder, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> None:
        self.kind = kind
        self.age = min(kind.age, kind.window)
        self.players = players
        self.seed = f"{past.before + len(past.rounds)}/{seed}"
        self.usual = max(kind.tables, ceil(len(entrants) / (players * self.age)))
        drawn = shuffled(sorted(entrants, key=lambda entrant: entrant.bot), self.seed, "formats/ladder")
        self.waiting = sorted(drawn, key=self._urgency)
        needed = players * min(self.usual, len(entrants) // players)
        choice = POOL if len(entrants) >= 2 * needed else 1
        self.pool = {entrant.bot for entrant in self.waiting[: ceil(choice * needed)]}
        self.met = meetings(Past(past.rounds[-kind.window :]))
        self.middle = fmean([one.rating for one in entrants if one.rating is not None] or [0.0])
        self.is_mixed = kind.same_owner or self._owners() < players
        self.is_pressed = False
        """True if the bots that are due are too many for each to have a table of its own."""

    def can_fill_a_table(self) -> bool:
        return len(self.waiting) >= self.players and (self.is_mixed or self._owners() >= self.players)

    def somebody_is_due(self) -> bool:
        return self._due() > 0

    def table(self, number: int) -> tuple[str, ...]:
        first, *others = self.waiting
        candidates = self._in_order(number, first, others)
        self.is_pressed = self._due() > len(self.waiting) // self.players
        table = [first]
        while len(table) < self.players:
            table.append(self._next(table, candidates))
        seated = {entrant.bot for entrant in table}
        self.waiting = [entrant for entrant in self.waiting if entrant.bot not in seated]
        return tuple(entrant.bot for entrant in table)

    def _in_order(self, number: int, first: Entrant, others: Sequence[Entrant]) -> list[Entrant]:
        """Return the bots in the order of seating: bots that are due, the nearest of the pool (any at a wide table),
        then the bots that have played least.
        """
        purpose = f"formats/ladder/{number}"
        if words(1, self.seed, purpose)[0] < self.kind.wide * 2**64:
            return sorted(shuffled(others, self.seed, f"{purpose}/wide"), key=self._class)
        return sorted(others, key=lambda other: (self._class(other), abs(self._rating(other) - self._rating(first))))

    def _next(self, table: Sequence[Entrant], candidates: Sequence[Entrant]) -> Entrant:
        """Return the first bot without a cost, or else the one with the least cost."""
        best, least = candidates[0], (self.players, True, 0)
        for other in candidates:
            cost = self._cost(table, other) if other not in table else least
            if cost < least:
                best, least = other, cost
            if least == FREE:
                break
        return best

    def _cost(self, table: Sequence[Entrant], other: Entrant) -> Cost:
        clashes = 0 if self.kind.same_owner or not other.owner else sum(one.owner == other.owner for one in table)
        met = (self.met.get(pair(one.bot, other.bot), 0) for one in table)
        pushes_in = self.is_pressed and not self._is_due(other)
        return clashes, pushes_in, sum(max(0, times + 1 - self.kind.quota) for times in met)

    def _urgency(self, entrant: Entrant) -> tuple[bool, int, int]:
        return not self._is_due(entrant), entrant.games, -entrant.waited

    def _due(self) -> int:
        return sum(self._is_due(entrant) for entrant in self.waiting)

    def _is_due(self, entrant: Entrant) -> bool:
        return entrant.waited >= self.age

    def _class(self, entrant: Entrant) -> tuple[int, int]:
        if self._is_due(entrant):
            return 0, 0
        return (1, 0) if entrant.bot in self.pool else (2, entrant.games)

    def _rating(self, entrant: Entrant) -> float:
        """Return the rating of a bot; that of the middle if it has none yet."""
        return self.middle if entrant.rating is None else entrant.rating

    def _owners(self) -> int:
        """Return the number of owners with waiting bots; every house bot counts as one owner."""
        owned = {entrant.owner for entrant in self.waiting if entrant.owner}
        return len(owned) + sum(not entrant.owner for entrant in self.waiting)
