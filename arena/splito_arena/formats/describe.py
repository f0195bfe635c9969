"""Formats in words, for people who read results."""

from splito_arena.formats.elimination import advancing
from splito_arena.formats.types import Elimination, Experiment, Format, Gauntlet, Ladder, RoundRobin, Swiss


def describe(kind: Format, players: int, added: int = 0) -> str:
    """Return the format in words, as in `double elimination, 2 of 4 go on, 1 block per table`.

    `added` is the number of blocks per table that the owner of the tournament added.
    """
    match kind:
        case RoundRobin():
            return f"round robin, {_blocks(kind.blocks + added)}"
        case Swiss():
            rounds = "" if kind.rounds is None else f", {kind.rounds} rounds"
            return f"Swiss{rounds}, {_blocks(kind.blocks + added)}"
        case Elimination():
            name = "double elimination" if kind.double else "elimination"
            return f"{name}, {advancing(kind, players)} of {players} go on, {_blocks(kind.blocks + added)}"
        case Gauntlet():
            return f"gauntlet of {kind.bot}, {_blocks(kind.blocks + added)}"
        case Ladder():
            return f"ladder, {_blocks(kind.blocks + added)}"
        case Experiment():
            return f"experiment, {kind.new} against {kind.old}"


def _blocks(blocks: int) -> str:
    return f"{blocks:,} block{'' if blocks == 1 else 's'} per table"
