"""The evidence of an experiment: the reading of its blocks, and the variance that pairing has removed."""

from random import Random
from statistics import pvariance

import pytest

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id
from splito_arena.experiments.blocks import FIELD, NEW, OLD, results
from splito_arena.experiments.evidence import Evidence, read_ledger
from splito_arena.experiments.sequential_test import Design
from splito_arena.experiments.tally import Tally, add
from splito_arena.experiments.variance import variance_ratio
from tests.arena.experiments.test_blocks import a_game

LONG = Design(least=90, cap=90)


def a_block(number: int, new: int, old: int) -> Entry:
    """Return a block of one pair in which NEW and OLD have these points."""
    games = (a_game((NEW, FIELD), (new, 10)), a_game((OLD, FIELD), (old, 10)))
    return Entry(block=block_id(BlockPlace(0, number, 0)), bots=("new@1", "old@1", "field@1"), games=games)


def blocks(shared: int, own: int, count: int = 80) -> list[Entry]:
    """Return blocks whose points are luck that NEW and OLD share, and luck of their own."""
    chance = Random(7)
    drawn = [(chance.randint(0, shared), chance.randint(0, own), chance.randint(0, own)) for _ in range(count)]
    return [a_block(number, luck + new, luck + old) for number, (luck, new, old) in enumerate(drawn)]


def test_the_variance_ratio_is_that_of_unpaired_to_paired_differences() -> None:
    ledger = blocks(50, 20)
    points = [results(entry, "points") for entry in ledger]
    unpaired = sum(pvariance(column) for column in zip(*points, strict=True))
    paired = pvariance([new - old for new, old in points])
    found = read_ledger(LONG, "points", ledger).variance_ratio
    assert found == pytest.approx(unpaired / paired)
    assert found is not None
    assert found > 3


def test_the_variance_ratio_is_about_1_without_shared_luck() -> None:
    assert read_ledger(LONG, "points", blocks(0, 50)).variance_ratio == pytest.approx(1, abs=0.3)


def test_there_is_no_variance_ratio_without_scatter_or_without_the_results() -> None:
    assert read_ledger(LONG, "points", blocks(50, 0)).variance_ratio is None
    differences = add(add(Tally(), 1.0), 2.0)
    assert variance_ratio(differences, Tally()) is None


def test_blocks_after_the_verdict_and_skipped_blocks_change_nothing() -> None:
    evidence = Evidence(Design(least=4, cap=4), "points")
    skipped = Entry(block=block_id(BlockPlace(0, 0, 0)), bots=("new@1", "old@1", "field@1"), skipped="gone")
    evidence.add(skipped)
    for entry in blocks(50, 20, 4):
        evidence.add(entry)
    before = evidence.reading()
    assert (before.verdict, before.blocks) == ("cap", 4)
    evidence.add(a_block(5, 1000, 0))
    assert evidence.reading() == before


def test_a_ledger_is_read_up_to_its_first_gap() -> None:
    ledger = blocks(50, 20, 9)
    assert read_ledger(LONG, "points", [*ledger[:5], *ledger[6:]]).blocks == 5
