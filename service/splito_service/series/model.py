"""A series as it is stored, and its steps as pure functions."""

from datetime import datetime

import msgspec
from msgspec.structs import replace

from splito_arena.recurrence import Rule, next_time
from splito_service.ids import Milliseconds, milliseconds_of, moment

MOST_SERIES = 10
"""Number of series that one owner may have."""
MINUTE: Milliseconds = 60_000


class StoredSeries(msgspec.Struct, frozen=True, kw_only=True):
    """A series: its settings, and what has come of it."""

    id: str
    owner: str
    name: str
    game: str
    settings: msgspec.Raw
    """The request, as JSON."""
    rule: Rule
    sign_up_ms: Milliseconds
    """Time from the begin of sign-up to the start."""
    count: int
    """Number of starts after which the series ends."""
    until_ms: Milliseconds | None = None
    """Time after which no tournament starts; None without one."""
    paused: bool = False
    done: int = 0
    """Number of starts so far, with those for which no tournament could be created."""
    last_ms: Milliseconds = 0
    """The last start that is done or was missed, so that none is created twice, whatever its holder changes."""
    next_ms: Milliseconds | None = None
    """The next start; None while the series is paused, and at its end."""
    last: str | None = None
    """Id of the last tournament."""
    problem: str | None = None
    """Reason why the last start has no tournament, for everybody to read; None if it has one."""
    ended_ms: Milliseconds | None = None

    @property
    def due_ms(self) -> Milliseconds | None:
        """Return when the next tournament is to be created; None if none is."""
        return None if self.next_ms is None else self.next_ms - self.sign_up_ms


def planned(series: StoredSeries, now: Milliseconds) -> StoredSeries:
    """Return the series with its next start after now, or as ended. Raise `BadOption` for an unknown zone."""
    if series.paused:
        return replace(series, next_ms=None, ended_ms=None)
    found = milliseconds_of(next_time(series.rule, _latest(series, now)))
    if series.done >= series.count or (series.until_ms is not None and found > series.until_ms):
        return replace(series, next_ms=None, ended_ms=series.ended_ms or now)
    return replace(series, next_ms=found, ended_ms=None)


def held(series: StoredSeries, tournament: str | None, problem: str | None, now: Milliseconds) -> StoredSeries:
    """Return the series after its next start is done: with a tournament, or with the problem that prevented it."""
    start = series.next_ms or 0
    after = replace(series, done=series.done + 1, last_ms=start, last=tournament or series.last, problem=problem)
    return planned(after, now)


def missed(series: StoredSeries, now: Milliseconds) -> StoredSeries:
    """Return the series without the starts that have passed while no process was there to create a tournament."""
    text = f"the start at {moment(series.next_ms or 0):%Y-%m-%dT%H:%M:%SZ} was missed, because the service was down"
    return planned(replace(series, last_ms=series.next_ms or 0, problem=text), now)


def _latest(series: StoredSeries, now: Milliseconds) -> datetime:
    return moment(max(now, series.last_ms))
