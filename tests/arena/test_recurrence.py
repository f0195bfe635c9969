"""Rules of recurrence: the next time follows from the last, and summer time moves the instant and not the hour."""

from datetime import UTC, datetime

import pytest

from splito_arena.recurrence import Hourly, Rule, Weekly, next_time, zone_of
from splito_engine.errors import BadOption

FRIDAY = Weekly(days=("fri",), time="18:00", zone="Europe/Berlin")
NIGHT = Weekly(time="02:30", zone="Europe/Berlin")
CASES: dict[str, tuple[Rule, str, str]] = {
    "later on the same day": (FRIDAY, "2026-11-20T16:59:59", "2026-11-20T17:00:00"),
    "a week later at the very time": (FRIDAY, "2026-11-20T17:00:00", "2026-11-27T17:00:00"),
    "an hour earlier in UTC when summer time begins": (FRIDAY, "2026-03-27T17:00:00", "2026-04-03T16:00:00"),
    "an hour later in UTC when it ends": (FRIDAY, "2026-10-23T16:00:00", "2026-10-30T17:00:00"),
    "a time that is skipped is an hour later": (NIGHT, "2026-03-28T12:00:00", "2026-03-29T01:30:00"),
    "a time that occurs twice is the first": (NIGHT, "2026-10-24T12:00:00", "2026-10-25T00:30:00"),
    "the second occurrence is left out": (NIGHT, "2026-10-25T00:30:00", "2026-10-26T01:30:00"),
    "east of the date line": (
        Weekly(days=("mon",), time="00:30", zone="Pacific/Kiritimati"),
        "2026-11-15T00:00:00",
        "2026-11-15T10:30:00",
    ),
    "every six hours": (Hourly(hours=6), "2026-11-18T17:59:59", "2026-11-18T18:00:00"),
    "six hours later at the very time": (Hourly(hours=6), "2026-11-18T18:00:00", "2026-11-19T00:00:00"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_next_time_is(case: str) -> None:
    rule, after, expected = CASES[case]
    found = next_time(rule, datetime.fromisoformat(after).replace(tzinfo=UTC))
    assert (found.replace(tzinfo=None).isoformat(), found.tzinfo) == (expected, UTC)


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "Europe", "../etc/passwd", "/etc/passwd", "leapseconds", ""])
def test_a_name_that_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(BadOption, match="no time zone"):
        zone_of(zone)


def test_a_year_of_fridays_has_52_of_them_at_six_in_the_evening() -> None:
    now, found = datetime(2026, 1, 1, tzinfo=UTC), list[datetime]()
    while now < datetime(2026, 12, 25, tzinfo=UTC):
        found.append(now := next_time(FRIDAY, now))
    assert len(found) == 52
    assert {(one.astimezone(zone_of("Europe/Berlin")).hour, one.weekday()) for one in found} == {(18, 4)}
