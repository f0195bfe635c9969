"""Table talk at the terminal (S20): a nudge after the move, from a closed list."""

import re
from pathlib import Path

import pytest

from splito_engine.record import verify
from tests.cli.conftest import Splito

WORDS = ("play", "splito", "--seed", "7", "--bots", "random", "--option", "talk=true")


@pytest.mark.clause("S20")
def test_nudges_are_listed_and_can_be_sent_with_a_move(splito: Splito, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    typed = "talk\n1 !play:left\n1 !2\n" + "1\n" * 11
    run = splito(*WORDS, "--record", str(path), typed=typed)
    assert "1 play:left   come and play with me, random#2" in run.out
    assert re.search("you +.* (left|right) +says: come and play with me, random#2", run.out)
    record, _ = verify(path.read_bytes())
    assert [(remark.turn, remark.seat) for remark in record.talk] == [(0, 0), (1, 0)]
    assert record.talk[0].nudge == "play:left"


@pytest.mark.clause("S20")
def test_a_nudge_that_is_not_in_the_list_is_refused(splito: Splito) -> None:
    run = splito(*WORDS, typed="1 !I have the red 4\nquit\n")
    assert "you cannot say 'I have the red 4' now" in run.out


def test_help_mentions_nudges_only_if_talk_is_on(splito: Splito) -> None:
    assert "a nudge" in splito(*WORDS, typed="?\nquit\n").out
    assert "a nudge" not in splito(*WORDS[:-2], typed="?\nquit\n").out
