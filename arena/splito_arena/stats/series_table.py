"""Who won, and by how much: results of whole blocks, summed up per bot with honest intervals.

A block has every bot in every seat equally often, so its mean is free of the luck of the seat. Everything is averaged
within a block first, and intervals are taken over blocks.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

import msgspec

from splito_arena.blocks.results import Block
from splito_arena.match.places import rank, share_of_win
from splito_arena.stats.intervals import Interval, interval


class Standing(msgspec.Struct, frozen=True):
    """How a bot did, over all matches and seats."""

    bot: str
    games: int
    points: Interval
    wins: Interval
    """Of one match; k winners have one k-th each."""
    rank: Interval
    """From 1; who is tied shares the mean of the places. Who was replaced comes last."""
    faults: dict[str, int]
    """How many, by their codes."""
    replaced: int
    """In how many games somebody of the house played on for it, whose points are among these."""
    ms_per_move: float
    ms_p50: float
    ms_p99: float
    """The time that one move in a hundred exceeds."""
    ms_slowest: float


def summary(labels: Sequence[str], blocks: Sequence[Block]) -> tuple[Standing, ...]:
    """One line per bot, in the order of the labels; there must be a block."""
    return tuple(_standing(bot, label, blocks) for bot, label in enumerate(labels))


def _standing(bot: int, label: str, blocks: Sequence[Block]) -> Standing:
    played = [[(result, result.seats[bot]) for result in block.results] for block in blocks]
    matches = [pair for block in played for pair in block]
    times = sorted(1000 * seconds for result, seat in matches for seconds in result.seconds[seat]) or [0.0]
    return Standing(
        bot=label,
        games=len(matches),
        points=interval([fmean(result.scores[seat][0] for result, seat in block) for block in played]),
        wins=interval([fmean(share_of_win(result.judged, seat) for result, seat in block) for block in played]),
        rank=interval([fmean(rank(result.judged, seat) for result, seat in block) for block in played]),
        faults=dict(Counter(code for result, seat in matches if result.faults for code in result.faults[seat])),
        replaced=sum(result.replaced[seat] for result, seat in matches if result.replaced),
        ms_per_move=fmean(times),
        ms_p50=times[len(times) // 2],
        ms_p99=times[len(times) * 99 // 100],
        ms_slowest=times[-1],
    )
