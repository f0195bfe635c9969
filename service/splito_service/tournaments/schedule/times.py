"""Times of a tournament with sign-up, as pure functions: which times an organiser may set."""

from msgspec.structs import replace

from splito_engine.errors import BadOption
from splito_service.errors import AlreadyBegun, AlreadyOver
from splito_service.ids import Milliseconds, moment
from splito_service.tournaments.model import BEFORE, OVER, StoredTournament

DAY: Milliseconds = 24 * 3600 * 1000
MOST_DAYS = 366
"""Number of days from now within which a tournament must start."""


def with_times(
    kept: StoredTournament, opens: Milliseconds | None, starts: Milliseconds, now: Milliseconds
) -> StoredTournament:
    """Return the tournament with these times; without `opens`, sign-up begins as before, or now.

    The same times again change nothing, also after the start. Raise `AlreadyBegun`, `AlreadyOver` or `BadOption`.
    """
    opens = (now if kept.opens_ms is None else kept.opens_ms) if opens is None else opens
    if (opens, starts) == (kept.opens_ms, kept.starts_ms):
        return kept
    check_before(kept)
    _check_times(opens, starts, now)
    if opens <= now:
        opens = kept.opens_ms if kept.state == "open" and kept.opens_ms is not None else now
        return replace(kept, state="open", opens_ms=opens, starts_ms=starts)
    return replace(kept, state="scheduled", opens_ms=opens, starts_ms=starts, told="")


def check_before(kept: StoredTournament) -> None:
    """Raise `AlreadyOver` or `AlreadyBegun` unless the tournament waits for its start."""
    if kept.state in OVER:
        raise AlreadyOver(f"{kept.kind} {kept.id} is {kept.state}", field=kept.kind)
    if kept.state not in BEFORE:
        raise AlreadyBegun(f"{kept.kind} {kept.id} is {kept.state}, so its times cannot be changed", field="starts")


def _check_times(opens: Milliseconds, starts: Milliseconds, now: Milliseconds) -> None:
    if starts <= now:
        raise BadOption(
            f"starts is past: it is {moment(now):%Y-%m-%dT%H:%M:%SZ} now; a later time, or the state `running` to start"
            " at once",
            field="starts",
        )
    if starts > now + MOST_DAYS * DAY:
        raise BadOption(f"starts is more than {MOST_DAYS} days ahead", field="starts")
    if opens > starts:
        raise BadOption("opens is after starts: sign-up begins before play", field="opens")
