"""Results table of a series: the results of whole blocks, averaged per bot, with intervals.

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
    """The results of one bot over all matches and seats."""

    bot: str
    games: int
    points: Interval
    wins: Interval
    """Share of the win of one match; each of k winners has 1/k."""
    rank: Interval
    """Place, from 1; tied bots share the mean of their places. A replaced bot comes last."""
    faults: dict[str, int]
    """Number of faults by their codes."""
    replaced: int
    """Number of games in which a house bot played on for the bot; the points include its points."""
    ms_per_move: float
    ms_p50: float
    ms_p99: float
    """Milliseconds that one move in a hundred exceeds."""
    ms_slowest: float


def summary(labels: Sequence[str], blocks: Sequence[Block]) -> tuple[Standing, ...]:
    """Return one line per bot, in the order of the labels; there must be at least one block."""
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
