"""Fixtures of the tests of `splito tournament verify`: the command, and the blocks of an experiment."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import duels
from splito_arena.reports.dump_head import Head
from splito_engine.games import splitter
from tests.arena.reports.dumps import dumped
from tests.cli.conftest import Run, Splito
from tests.cli.tournament.verify.dumped_cups import LEDGER, SECRET, Verify


@pytest.fixture
def verify(splito: Splito, tmp_path: Path) -> Verify:
    """`verify(head, ledger, "--json")`, or with the bytes of a file."""

    def run(content: Head | bytes, entries: Sequence[Entry] = LEDGER, *words: str) -> Run:
        file = tmp_path / "cup.ndjson"
        file.write_bytes(content if isinstance(content, bytes) else dumped(content, entries))
        return splito("tournament", "verify", str(file), *words)

    return run


@pytest.fixture(scope="module")
def duelled() -> tuple[Entry, ...]:
    """NEW plays better than OLD; the field sits on both other seats."""
    bots = {"new@1": "greedy", "old@1": "random", "field@1": "random"}
    players = [Plugin(name, find_bot(bot)) for name, bot in bots.items()]

    async def block(number: int) -> Entry:
        terms = BlockTerms(
            game=splitter, block=block_id(BlockPlace(0, number, 0)), secret=SECRET, seatings=duels(3, 1), paired=True
        )
        return (await play_block(terms, [*bots], players, lambda _: players[0], at_once=1)).entry

    return tuple(asyncio.run(block(number)) for number in range(4))
