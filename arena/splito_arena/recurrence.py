"""Rules by which something happens again and again: on days of the week at a time of a place, or every few hours.

The Structs are also request schemas. A rule is a pure function from one instant to the next, so nothing drifts.
"""

from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta, Struct

from splito_engine.errors import BadOption

Weekday: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)


class Weekly(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="weekly"):
    """On some days of the week, at a time of a place. A time that a change of the clock skips is an hour later, and of
    one that occurs twice it is the first.
    """

    days: Annotated[tuple[Weekday, ...], Meta(min_length=1, max_length=7)] = WEEKDAYS
    """Days of the week; all of them for every day."""
    time: Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["18:00"])]
    """Time of the day, from 00:00 to 23:59."""
    zone: Annotated[str, Meta(pattern="^[A-Za-z0-9_+/-]{1,64}$", examples=["Europe/Berlin"])] = "UTC"
    """Time zone by its name in the IANA database."""


class Hourly(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="hourly"):
    """Every few hours, counted from 1970-01-01T00:00Z: with 6, at 00:00, 06:00, 12:00 and 18:00 UTC."""

    hours: Annotated[int, Meta(ge=1, le=168)]


Rule: TypeAlias = Weekly | Hourly


def next_time(rule: Rule, after: datetime) -> datetime:
    """Return the first time of the rule after that instant, in UTC. Raise `BadOption` for an unknown zone."""
    match rule:
        case Hourly(hours=hours):
            start, step = datetime.fromtimestamp(0, UTC), timedelta(hours=hours)
            return start + ((after - start) // step + 1) * step
        case Weekly():
            return _next_of_week(rule, after)


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone. Raise `BadOption` if this machine knows no such zone."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadOption(
            f"there is no time zone {name!r} here: take a name of the IANA database, as Europe/Berlin or UTC",
            field="zone",
        ) from None


def _next_of_week(rule: Weekly, after: datetime) -> datetime:
    zone, clock = zone_of(rule.zone), time.fromisoformat(rule.time)
    today = after.astimezone(zone).date()
    days = (today + timedelta(days=ahead) for ahead in range(-1, 9))
    wanted = (datetime.combine(day, clock, zone) for day in days if WEEKDAYS[day.weekday()] in rule.days)
    return next(found for found in (one.astimezone(UTC) for one in wanted) if found > after)
