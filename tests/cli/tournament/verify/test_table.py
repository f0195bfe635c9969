"""`splito tournament verify` computes the table and the verdict anew from the blocks of a dump."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from splito_arena.blocks.ledger import Entry
from splito_arena.blocks.play import commitment_of
from splito_arena.experiments.blocks import difference
from splito_arena.experiments.sequential_test import after, reading
from splito_arena.formats import Experiment, design_of
from splito_arena.stats.tournament_table import standings
from splito_cli.extras import EXTRAS
from splito_cli.tournament.verify import ASIDE, NO_COUNT, NO_RATINGS, NO_SECRET, missing
from tests.arena.reports.dumps import dumped
from tests.arena.tournaments import ledger
from tests.cli.tournament.verify.dumped_cups import (
    HEAD,
    LEDGER,
    QUESTION,
    SECRET,
    Verify,
    assert_refused,
    experiment,
    head,
)


def test_the_table_is_the_one_that_follows_from_the_ledger(verify: Verify) -> None:
    run = verify(HEAD, LEDGER, "--json")
    found, table = json.loads(run.out), standings(LEDGER)
    assert (run.code, run.err) == (0, "")
    assert [line["name"] for line in found["lines"]] == [HEAD.entrants[line.bot] for line in table]
    bare = [{name: value for name, value in line.items() if name not in {"rank", "name"}} for line in found["lines"]]
    assert bare == [*msgspec.to_builtins(table)]
    assert (found["blocks"], found["games"], found["skipped"], found["missing"]) == (4, 24, 0, 0)
    assert found["commitment"] == commitment_of("t1", SECRET)
    assert found["unchecked"] == [ASIDE]


def test_without_the_packages_of_extras_everything_but_the_table_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "cup.ndjson"
    file.write_bytes(dumped(HEAD, LEDGER))
    hidden = [package for packages in EXTRAS.values() for package in packages]
    script = f"""
import sys
sys.modules |= dict.fromkeys({hidden!r})
from splito_cli.main import main
assert main(["tournament", "verify", {str(file)!r}]) == 0
sys.exit(main(["tournament", "verify", {str(file)!r}, "--json"]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    page, _, found = done.stdout.rpartition("\n{")
    assert "There is no table" in page
    assert "splito-arena[report]" in page
    found = json.loads("{" + found)
    assert (found["games"], found["lines"], found["unchecked"]) == (24, [], [ASIDE, NO_RATINGS])


def test_the_page_names_the_checked_facts_and_shows_the_table(verify: Verify) -> None:
    run = verify(HEAD)
    page = [line.rstrip() for line in run.out.splitlines()]
    assert (run.code, run.err) == (0, "")
    assert page[0] == "House  ·  Splitter  ·  rules 1.0  ·  3 players  ·  tournament t1"
    assert run.out.count("✓ verified") == 9
    assert f"– unchecked  {ASIDE}" in page
    assert commitment_of("t1", SECRET) in run.out.split()
    best, *_ = standings(LEDGER)
    first = page[[line.split()[:1] for line in page].index(["bot"]) + 1]
    assert first.split(" (")[0].split() == [*HEAD.entrants[best.bot].split(), f"{best.rating.mean:.0f}"]
    assert "★" not in run.out, "ratings do not decide who has won"


def test_facts_that_cannot_be_checked_yet_are_listed(verify: Verify) -> None:
    run = verify(head(secret=None, blocks=None))
    assert run.code == 0
    assert all(f"– unchecked  {why}" in run.out for why in (NO_COUNT, NO_SECRET, ASIDE))
    assert run.out.count("✓ verified") == 6
    assert "commitment" not in run.out


def test_missing_blocks_are_reported_even_if_the_head_was_changed_too(verify: Verify, duelled: Sequence[Entry]) -> None:
    asked = experiment(question=QUESTION)
    gap, whole = [duelled[0], *duelled[2:]], duelled[:2]
    run = verify(msgspec.structs.replace(asked, blocks=len(gap)), gap)
    assert run.code == 0
    assert "– missing    1 block between others" in run.out
    assert "– missing" not in verify(msgspec.structs.replace(asked, blocks=len(whole)), whole).out


@pytest.mark.parametrize(
    ("blocks", "count"),
    [("", 0), ("0-0-0 0-1-0 0-0-1", 0), ("0-1-0", 1), ("0-0-0 0-3-0 0-2-1", 4), ("0-00000001-0 0-01-0 0-1-0", 1)],
)
def test_missing_blocks_are_counted_table_by_table(blocks: str, count: int) -> None:
    assert missing(Entry(block=block, bots=(), skipped="") for block in blocks.split()) == count


def test_skipped_blocks_are_counted_and_not_rated(verify: Verify) -> None:
    skipped = Entry(block="00000000-0004-00000", bots=LEDGER[0].bots, skipped="a bot is gone")
    only = json.loads(verify(head(blocks=5), [*LEDGER, skipped], "--json").out)
    assert (only["blocks"], only["skipped"], only["games"]) == (5, 1, 24)
    run = verify(head(blocks=1), [skipped])
    assert (run.code, run.out.splitlines()[-1]) == (0, "Nothing was played.")


def test_games_of_one_player_are_not_rated(verify: Verify) -> None:
    alone = ledger("greedy", 2)
    run = verify(head(players=1, entrants={alone[0].bots[0]: "solo"}, blocks=2), alone)
    assert (run.code, run.err) == (0, "")
    assert "bots that play alone cannot be compared" in run.out


def test_the_verdict_of_an_experiment_follows_from_its_question(verify: Verify, duelled: Sequence[Entry]) -> None:
    expected = reading(after(design_of(QUESTION), [difference(entry) for entry in duelled]))
    run = verify(experiment(question=QUESTION), duelled, "--json")
    found = json.loads(run.out)["experiment"]
    assert found["reading"]["variance_ratio"] > 0
    assert found["reading"] | {"variance_ratio": None} == msgspec.to_builtins(expected)
    assert found["names"] == ["Ada", "Bob", "Eve"]
    run = verify(experiment(question=QUESTION), duelled)
    assert run.code == 0
    assert f"log-likelihood ratio {expected.llr:+.2f}" in run.out
    assert {"better": "Ada is better than Bob", "cap": "Not decided: Ada against Bob"}[expected.verdict] in run.out


def test_without_its_question_an_experiment_has_an_estimate_and_no_verdict(
    verify: Verify, duelled: Sequence[Entry]
) -> None:
    found = json.loads(verify(experiment(), duelled, "--json").out)["experiment"]
    mean = sum(map(difference, duelled)) / len(duelled)
    assert found["estimate"]["mean"] == pytest.approx(mean)
    page = verify(experiment(), duelled).out
    assert f"Ada against Bob: {mean:+.2f} places" in page
    assert page.splitlines()[-1] == "There is no verdict, because the dump lacks the question."


def test_blocks_of_an_experiment_after_a_gap_are_not_counted(verify: Verify, duelled: Sequence[Entry]) -> None:
    gap = msgspec.structs.replace(experiment(question=QUESTION), blocks=3)
    found = json.loads(verify(gap, [duelled[0], *duelled[2:]], "--json").out)
    assert (found["missing"], found["experiment"]["reading"]["blocks"]) == (1, 1)


def test_a_question_about_bots_that_did_not_play_is_refused(verify: Verify, duelled: Sequence[Entry]) -> None:
    run = verify(experiment(question=Experiment(new="old", old="new", field=("field",))), duelled)
    assert_refused(run, "bad-dump", "block 00000000-0000-00000: its bots are not those of the experiment")
