"""Tables of the small cup that docs/ratings.md computes again: `python docs/data/make.py`, the same each time."""

import asyncio
from pathlib import Path

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.reports.tables import export
from splito_engine.registry import find_game

FOLDER = Path(__file__).parent
BOTS = {"ada@1": "greedy", "bob@1": "greedy", "cy@1": "random", "dora@1": "random"}
BLOCKS = 8


async def play() -> list[Entry]:
    """Return the blocks of the cup."""
    players = [Plugin(name, find_bot(bot)) for name, bot in BOTS.items()]
    house, entries = Plugin("house", find_bot("random")), list[Entry]()
    for number in range(BLOCKS):
        block = block_id(BlockPlace(0, number, 0))
        terms = BlockTerms(game=find_game("splito"), block=block, secret="cup", seatings=seatings(len(BOTS)))  # noqa: S106
        entries.append((await play_block(terms, [*BOTS], players, lambda _: house, at_once=1)).entry)
    return entries


def main() -> None:
    ledger = asyncio.run(play())
    for table in ("games", "standings"):
        (FOLDER / f"cup-{table}.csv").write_bytes(export(table, "csv", ledger))


if __name__ == "__main__":
    main()
