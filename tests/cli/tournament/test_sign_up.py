"""Pages and files of tournaments that wait for their start, and of series."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from splito_bot.ranked import Progress
from splito_cli.tournament.series import check_single, next_starts, request, split
from splito_cli.tournament.sign_up_page import SignUpPage, countdown, sign_up_line
from splito_engine.errors import BadOption

NOW = datetime(2026, 11, 20, 16, 0, tzinfo=UTC)
OPEN = Progress(
    state="open",
    reason=None,
    round=0,
    rounds=None,
    done=0,
    skipped=0,
    open=0,
    playing=0,
    games=0,
    games_per_second=None,
    seconds_left=None,
    opens=NOW - timedelta(hours=1),
    starts=NOW + timedelta(hours=1),
    bots=2,
)
COUNTDOWNS: dict[str, tuple[dict[str, Any], str]] = {
    "an hour before the start": ({}, "start in 1 h 0 min"),
    "seconds before the start": ({"starts": NOW + timedelta(seconds=9)}, "start in 9 s"),
    "days before the start": ({"starts": NOW + timedelta(days=2, hours=4)}, "start in 2 d 4 h"),
    "at the start": ({"starts": NOW}, "starting"),
    "after the start, while it is being made": ({"starts": NOW - timedelta(seconds=1)}, "starting"),
    "before sign-up": ({"state": "scheduled", "opens": NOW + timedelta(minutes=3)}, "sign-up in 3 min 0 s"),
    "at the begin of sign-up": ({"state": "scheduled", "opens": NOW}, "opening"),
}


@pytest.mark.parametrize("case", COUNTDOWNS)
def test_the_countdown_shows_the_next_step(case: str) -> None:
    changes, text = COUNTDOWNS[case]
    assert countdown(replace(OPEN, **changes), NOW) == text


def test_the_line_of_a_pipe_says_what_the_tournament_waits_for() -> None:
    assert sign_up_line(OPEN) == "2 bots have entered, start at 2026-11-20 17:00:00 UTC"
    assert sign_up_line(replace(OPEN, bots=1)).startswith("1 bot has entered")
    before = replace(OPEN, state="scheduled")
    assert sign_up_line(before) == "sign-up from 2026-11-20 15:00:00 UTC, start at 2026-11-20 17:00:00 UTC"


def test_the_page_shows_the_entrants_that_fit_and_no_markup_of_theirs() -> None:
    names = ["[bold]Marvin[/bold]", *(f"bot {number}" for number in range(50))]
    console = Console(width=120, height=12, record=True, file=None, force_terminal=False)
    with console.capture() as shown:
        console.print(SignUpPage("Cup", OPEN, names), height=12)
    text = shown.get()
    assert "[bold]Marvin[/bold]" in text
    assert "and 43 more" in text


FRIDAY = {"days": ["fri"], "time": "18:00", "zone": "Europe/Berlin", "count": 3}


def test_a_file_with_a_series_becomes_a_request() -> None:
    tournament, series = split({"name": "Cup", "series": FRIDAY})
    assert series is not None
    assert request(tournament, series) == {
        "tournament": {"name": "Cup"},
        "rule": {"kind": "weekly", "days": ["fri"], "time": "18:00", "zone": "Europe/Berlin"},
        "count": 3,
    }
    assert request({}, {"hours": 6})["rule"] == {"kind": "hourly", "hours": 6}
    assert split({"name": "Cup"}) == ({"name": "Cup"}, None)


def test_the_next_starts_are_those_of_the_place() -> None:
    assert next_starts(FRIDAY, 2, NOW) == [NOW + timedelta(hours=1), NOW + timedelta(days=7, hours=1)]


BAD: dict[str, dict[str, Any]] = {
    "no time": {"days": ["fri"]},
    "no day": {"days": ["friday"], "time": "18:00"},
    "no such time": {"time": "25:00"},
    "hours and a time": {"hours": 6, "time": "18:00"},
}


@pytest.mark.parametrize("case", BAD)
def test_a_rule_that_cannot_be_one_is_refused(case: str) -> None:
    with pytest.raises(BadOption, match=r"\[series\] has no rule"):
        request({}, BAD[case])


def test_a_series_is_a_table_and_is_not_held_once() -> None:
    with pytest.raises(BadOption, match="write"):
        split({"series": "every Friday"})
    with pytest.raises(BadOption, match="splito tournament repeat"):
        check_single({"series": FRIDAY})
