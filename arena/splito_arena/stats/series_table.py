"""Results table of a local series: the results of whole blocks per bot, and the times of its moves."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from splito_arena.blocks.results import Block, Result
from splito_arena.stats.intervals import Interval, Share
from splito_arena.stats.standings import BotGame, bot_results, by_bot


class Standing(msgspec.Struct, frozen=True):
    """The results of one bot over all matches and seats."""

    bot: str
    games: int
    points: Interval
    wins: Share
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
    played = [by_bot(block.results, len(labels)) for block in blocks]
    return tuple(_standing(label, [block[bot] for block in played]) for bot, label in enumerate(labels))


def _standing(label: str, blocks: Sequence[Sequence[BotGame[Result]]]) -> Standing:
    found = bot_results(blocks)
    seconds = (one.game.seconds[one.seat] for block in blocks for one in block)
    times = sorted(1000 * second for of_game in seconds for second in of_game) or [0.0]
    return Standing(
        bot=label,
        games=found.games,
        points=found.points,
        wins=found.wins,
        rank=found.place,
        faults=found.faults,
        replaced=found.replaced,
        ms_per_move=fmean(times),
        ms_p50=times[len(times) // 2],
        ms_p99=times[len(times) * 99 // 100],
        ms_slowest=times[-1],
    )
