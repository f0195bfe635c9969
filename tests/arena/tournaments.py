"""Ledgers for the tests of what is made of them: played by house bots, or written down by hand."""

from collections.abc import Sequence
from functools import cache

import msgspec

from benchmarks.studies.collusion import seated, tournament
from splito_arena.blocks.ledger import Entry, Game
from splito_engine.record import Record

HOSTILE = '=1+1</script><script>alert("&")</script><a href="http://evil.test">\u202e{{plotly}}'
"""Names that an owner may give a bot."""


@cache
def ledger(table: str = "random random random", blocks: int = 4, game: str = "splitter") -> tuple[Entry, ...]:
    """Played once for all tests."""
    return tuple(played.entry for played in tournament(seated(table), blocks, game=game))


def written(block: str, bots: str, *games: Sequence[int], replaced: str = "", faults: str = "") -> Entry:
    """Points by bot, who are named by letters; seats go round by one from game to game."""
    return Entry(
        block=block,
        bots=tuple(bots),
        games=tuple(_game(bots, points, turn, replaced, faults) for turn, points in enumerate(games)),
    )


def _game(bots: str, points: Sequence[int], turn: int, replaced: str, faults: str) -> Game:
    seating = tuple((seat + turn) % len(bots) for seat in range(len(bots)))
    record = msgspec.structs.replace(a_record(), scores=tuple((points[bot],) for bot in seating))
    return Game(
        match=f"m{turn}",
        seating=seating,
        record=record,
        faults=tuple(("time-out",) if bots[bot] in faults else () for bot in seating),
        replaced=tuple(bots[bot] in replaced for bot in seating),
    )


@cache
def a_record() -> Record:
    return ledger()[0].games[0].record
