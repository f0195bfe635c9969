"""Tournaments played to their end by bots whose results are luck, for the tests of formats."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

import msgspec

from splito_arena.formats import Entrant, Format, Ladder, Past, Round, TableResult, next_round, waits

ENDLESS = 500


class Played(msgspec.Struct, frozen=True):
    rounds: tuple[Round, ...]
    past: Past
    entrants: tuple[Entrant, ...]

    @property
    def tables(self) -> list[tuple[str, ...]]:
        return [table for planned in self.rounds for table in planned.tables]


def field(size: int, *, owners: int | None = None) -> tuple[Entrant, ...]:
    """`b000` is the best rated. With owners, they have about equally many bots each."""
    return tuple(
        Entrant(f"b{number:03}", owner=f"o{number % owners}" if owners else "", rating=-float(number))
        for number in range(size)
    )


def somehow(rng: Random) -> Callable[[tuple[str, ...]], TableResult]:
    return lambda table: TableResult(
        table, tuple(float(place) for place in rng.sample(range(1, len(table) + 1), len(table)))
    )


def by_rating(table: tuple[str, ...]) -> TableResult:
    return TableResult(table, tuple(1.0 + sorted(table).index(bot) for bot in table))


def played(  # noqa: PLR0913 (who plays what, and how it goes)
    kind: Format,
    players: int,
    entrants: Sequence[Entrant],
    result: Callable[[tuple[str, ...]], TableResult],
    *,
    drop: Callable[[str], bool] = lambda _: False,
    seed: str = "seed",
) -> Played:
    """To its end. After each round, bots drop out; nothing was played at half of the tables that they sat at."""
    rounds: list[Round] = []
    past: list[tuple[TableResult, ...]] = []
    while planned := next_round(kind, players, entrants, Past(tuple(past)), seed):
        assert len(rounds) < ENDLESS
        check_round(planned, players, entrants)
        rounds.append(planned)
        entrants = [msgspec.structs.replace(one, active=one.active and not drop(one.bot)) for one in entrants]
        gone = {one.bot for one in entrants if not one.active}
        past.append(tuple(_result(table, gone, result) for table in planned.tables))
    return Played(tuple(rounds), Past(tuple(past)), tuple(entrants))


def check_round(planned: Round, players: int, entrants: Sequence[Entrant]) -> None:
    """All tables are full, of different bots that are there."""
    here = {one.bot for one in entrants if one.active}
    assert all(len({*table}) == len(table) == players and here.issuperset(table) for table in planned.tables)


def climbed(kind: Ladder, players: int, entrants: Sequence[Entrant], rounds: int, seed: str = "seed") -> Past:
    """So many rounds of a ladder, each told no more of the past than it needs."""
    past: list[tuple[TableResult, ...]] = []
    games = Counter[str]()
    for _ in range(rounds):
        recent = Past(tuple(past[-kind.window :]), before=max(0, len(past) - kind.window))
        waited = waits([one.bot for one in entrants], recent)
        now = [msgspec.structs.replace(one, games=games[one.bot], waited=waited[one.bot]) for one in entrants]
        planned = next_round(kind, players, now, recent, seed)
        assert planned is not None
        check_round(planned, players, now)
        games.update(bot for table in planned.tables for bot in table)
        past.append(tuple(by_rating(table) for table in planned.tables))
    return Past(tuple(past))


def met(tables: Sequence[Sequence[str]]) -> Counter[tuple[str, str]]:
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def _result(table: tuple[str, ...], gone: set[str], result: Callable[[tuple[str, ...]], TableResult]) -> TableResult:
    """A withdrawn entrant is last, if anything was played."""
    if gone.intersection(table) and len(gone) % 2:
        return TableResult(table, None)
    places = dict(zip(table, result(table).places or (), strict=True))
    order = sorted(table, key=lambda bot: (bot in gone, places[bot]))
    return TableResult(table, tuple(1.0 + order.index(bot) for bot in table))
