"""`splito tournament replay` plays a tournament again from its dump and compares every game."""

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id
from splito_arena.blocks.play import BlockTerms, commitment_of, play_block, secret_of_seed
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import duels
from splito_arena.reports.dump_head import Head
from splito_engine.games import splitter
from tests.arena.reports.dumps import dumped, head_of
from tests.cli.conftest import Run, Splito

HOUSE = {"greedy@1": "greedy", "random@1": "random", "random@2": "random"}
SEED, SECRET, OTHER = "friday-7", secret_of_seed("friday-7"), "0" * 64
Replay = Callable[..., Run]


def played(bots: Mapping[str, str], *, seed: str | None = None, paired: bool = False) -> tuple[Entry, ...]:
    """Return two blocks of these bots; by version, the installed bot that plays."""
    return _played(tuple(bots.items()), seed, paired)


@cache
def _played(items: tuple[tuple[str, str], ...], seed: str | None, paired: bool) -> tuple[Entry, ...]:
    bots = dict(items)
    players = [Plugin(version, find_bot(bot)) for version, bot in bots.items()]

    async def block(number: int) -> Entry:
        terms = BlockTerms(
            game=splitter,
            block=block_id(BlockPlace(0, number, 0)),
            secret=OTHER if seed is None else secret_of_seed(seed),
            tournament=None if seed is None else "t1",
            seatings=duels(3, 1) if paired else seatings(3),
            paired=paired,
        )
        return (await play_block(terms, [*bots], players, lambda _: players[0], at_once=1)).entry

    return tuple(asyncio.run(block(number)) for number in range(2))


def seeded_head(ledger: tuple[Entry, ...]) -> Head:
    return replace(head_of(ledger, SECRET), seed=SEED)


@pytest.fixture
def replay(splito: Splito, tmp_path: Path) -> Replay:
    def run(head: Head, ledger: tuple[Entry, ...], *words: str) -> Run:
        file = tmp_path / "cup.ndjson"
        file.write_bytes(dumped(head, ledger))
        return splito("tournament", "replay", str(file), *words)

    return run


@pytest.mark.parametrize("kind", ["ranked", "seeded", "experiment"])
def test_house_bots_play_the_same_games_again(replay: Replay, kind: str) -> None:
    ledger = played(HOUSE, seed=SEED if kind == "seeded" else None, paired=kind == "experiment")
    head = seeded_head(ledger) if kind == "seeded" else head_of(ledger, OTHER)
    head = replace(head, kind="experiment") if kind == "experiment" else head
    run = replay(head, ledger, "--json")
    found = json.loads(run.out)
    assert (run.code, run.err) == (0, "")
    assert (found["same"], found["different"], found["left_out"], found["blocks"]) == (12, 0, 0, [])
    assert found["bots"] == HOUSE


def test_another_bot_plays_other_games_which_are_listed(replay: Replay) -> None:
    ledger = played(HOUSE)
    run = replay(head_of(ledger, OTHER), ledger, "--bot", "greedy@1=random", "--json")
    found = json.loads(run.out)
    assert run.code == 1
    assert found["different"] > 0
    assert found["same"] + found["different"] == 12
    assert {one["outcome"] for one in found["blocks"]} == {"different"}
    text = replay(head_of(ledger, OTHER), ledger, "--bot", "greedy=random").out
    assert f"block {ledger[0].block}: different" in text


def test_blocks_of_bots_that_are_not_here_are_left_out_unless_they_are_named(replay: Replay) -> None:
    ledger = played({"06gpr1k08099qgdgdpas627q@2": "greedy", "random@1": "random", "random@2": "random"})
    head = head_of(ledger, OTHER)
    left = json.loads(replay(head, ledger, "--json").out)
    assert (left["same"], left["left_out"]) == (0, 12)
    assert left["blocks"][0]["why"] == "no bot for 06gpr1k08099qgdgdpas627q@2"
    for name in ("bot 0", "06gpr1k08099qgdgdpas627q", "06gpr1k08099qgdgdpas627q@2"):
        found = json.loads(replay(head, ledger, "--bot", f"{name}=greedy", "--json").out)
        assert (found["same"], found["left_out"]) == (12, 0)


def test_a_dump_cannot_name_functions_that_are_called(replay: Replay, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    ledger = played({"evil:choose@1": "greedy", "random@1": "random", "random@2": "random"})
    found = json.loads(replay(head_of(ledger, OTHER), ledger, "--json").out)
    assert found["left_out"] == 12
    assert "evil:choose@1" not in found["bots"]


def test_a_tournament_that_is_not_over_cannot_be_played_again(replay: Replay) -> None:
    ledger = played(HOUSE)
    run = replay(replace(head_of(ledger, OTHER), secret=None), ledger)
    assert run.code == 2
    assert "no secret yet" in run.err


def test_a_dump_whose_secret_does_not_follow_from_its_seed_is_refused(replay: Replay) -> None:
    ledger = played(HOUSE)
    head = replace(head_of(ledger, OTHER), seed=SEED, commitment=commitment_of("t1", OTHER))
    run = replay(head, ledger)
    assert run.code == 2
    assert "does not follow from the seed" in run.err


@pytest.mark.parametrize("wrong", ["greedy", "=random", "greedy=", "nobody=random"])
def test_a_wrong_bot_option_is_refused_in_one_line(replay: Replay, wrong: str) -> None:
    ledger = played(HOUSE)
    run = replay(head_of(ledger, OTHER), ledger, "--bot", wrong)
    assert run.code == 2
    assert run.err.count("\n") == 1


def test_help_of_replay_has_examples(splito: Splito) -> None:
    assert "splito tournament replay" in splito("tournament", "replay", "--help").out.partition("Examples:")[2]
