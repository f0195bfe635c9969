"""Exchange of seats between tables so that as few bots as possible meet again.

Bots that have met before change places with others of about the same standing, as long as that reduces the repeated
meetings.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from splito_arena.formats.past import Pair, pair

Place: TypeAlias = tuple[int, int]
"""A table number and a seat number there."""

PASSES = 8
NEAR = 40
"""Greatest distance in the standing between two bots that change places."""


def parted(
    tables: Sequence[Sequence[str]], met: Mapping[Pair, int], standing: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the tables with as few repeated meetings as such exchanges can reach."""
    seated = {bot for table in tables for bot in table}
    pods = Pods(tables, met, [bot for bot in standing if bot in seated])
    for _ in range(PASSES):
        if not sum(pods.improve(bot) for bot in pods.standing):
            break
    return tuple(tuple(table) for table in pods.tables)


class Pods:
    def __init__(self, tables: Sequence[Sequence[str]], met: Mapping[Pair, int], standing: Sequence[str]) -> None:
        self.tables = [[*table] for table in tables]
        self.met = met
        self.standing = standing
        self.rank = {bot: number for number, bot in enumerate(standing)}
        self.place = {bot: (number, seat) for number, pod in enumerate(tables) for seat, bot in enumerate(pod)}

    def improve(self, bot: str) -> bool:
        """Move a bot to a better place. Return True if there was one."""
        if not self.repeats(bot, self.place[bot]):
            return False
        gain, _, other = min(self._offers(bot), default=(0, 0, bot))
        if gain < 0:
            self._exchange(bot, other)
        return gain < 0

    def repeats(self, bot: str, place: Place) -> int:
        """Return how often the bot has met the others at that table, without the bot in that seat; repetitions count
        more.
        """
        number, seat = place
        others = (other for at, other in enumerate(self.tables[number]) if at != seat)
        return sum(self.met.get(pair(bot, other), 0) ** 2 for other in others)

    def _offers(self, bot: str) -> list[tuple[int, int, str]]:
        """Return the possible exchanges: the change in repeated meetings, the distance in the standing, and the other
        bot.
        """
        rank, mine = self.rank[bot], self.place[bot]
        near = self.standing[max(0, rank - NEAR) : rank + NEAR + 1]
        others = [other for other in near if self.place[other][0] != mine[0]]
        return [(self._change(bot, other), abs(self.rank[other] - rank), other) for other in others]

    def _change(self, bot: str, other: str) -> int:
        mine, theirs = self.place[bot], self.place[other]
        now = self.repeats(bot, mine) + self.repeats(other, theirs)
        return self.repeats(bot, theirs) + self.repeats(other, mine) - now

    def _exchange(self, bot: str, other: str) -> None:
        for who, (number, seat) in ((bot, self.place[other]), (other, self.place[bot])):
            self.tables[number][seat] = who
        self.place[bot], self.place[other] = self.place[other], self.place[bot]
