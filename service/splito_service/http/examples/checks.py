"""Examples of checks of Ada's bot: one that failed for illegal moves, and one that runs after it."""

from collections.abc import Sequence

from msgspec.structs import replace

from splito_arena.checks import CHECKS, Finding, Latency, Report, Row
from splito_arena.faults import FAULTS
from splito_arena.match.seat import Clock
from splito_engine.game import AnyGame
from splito_service.checks.model import StoredCheck
from splito_service.checks.schemas import CheckList, NewCheck, check_of, check_summary
from splito_service.http.examples.example import EXAMPLE_ID, Examples, one
from splito_service.ids import created

WHOLE = 40
"""Steps of the example check."""
RUNNING = StoredCheck(id=EXAMPLE_ID, bot=EXAMPLE_ID, version="1.2.0", quick=False, done=14, total=WHOLE)
DONE = replace(RUNNING, state="done", done=WHOLE, passed=True)
FAILED = replace(DONE, passed=False)
LOST = replace(RUNNING, state="lost", reason="the process that ran the check was stopped")
LATENCY = Latency(
    asks=3120,
    time_outs=0,
    p50_ms=8.1,
    p90_ms=14.6,
    p99_ms=41.3,
    slowest_ms=78.2,
    clock=Clock(turn_ms=1000, bank_ms=5000),
)
SHOWN = ("info", "ask", "matches", "latency")
"""Checks of the example; a real report has all of them."""
FOUND = {
    "challenge": "it knows it",
    "concurrency": "8 at once",
    "batch": "64 together",
    "notices": "/start and /end",
    "signature": "5 forgeries refused",
    "matches": "28 matches without a fault",
    "latency": "99 of 100 asks within 41.3 ms",
}
"""Findings by check, for checks whose finding is not a number of games."""


def create_check(_: Sequence[AnyGame]) -> Examples:
    return Examples(
        body=one("all", "All checks", NewCheck()) | one("quick", "The quick checks only", NewCheck(quick=True)),
        answer=one("begun", "The check has begun", check_of(replace(RUNNING, done=0, total=0), None)),
    )


def list_checks(_: Sequence[AnyGame]) -> Examples:
    return Examples(
        one("two", "A running check, and a failed one", CheckList([check_summary(RUNNING), check_summary(FAILED)]))
    )


def get_check(games: Sequence[AnyGame]) -> Examples:
    good = _report(games)
    rows = tuple(_spoilt(games[0], row) for row in good.rows if row.check in SHOWN)
    bad = replace(good, passed=False, rows=rows)
    return Examples(
        one("running", "The check is running", check_of(RUNNING, None))
        | one("failed", "The bot failed the check", check_of(FAILED, bad))
        | one("lost", "The check was interrupted", check_of(LOST, None))
    )


def _report(games: Sequence[AnyGame]) -> Report:
    said = f"Marvin 1.2.0, contract 1, plays {', '.join(game.INFO.id for game in games)}"
    found = {"info": said, **FOUND}
    return Report(
        bot="Marvin",
        version="1.2.0",
        passed=True,
        quick=False,
        started=created(EXAMPLE_ID),
        elapsed_ms=6240,
        matches=28,
        latency=LATENCY,
        rows=tuple(
            Row(
                check=code,
                title=made.title,
                outcome="passed",
                found=found.get(code, f"{len(games)} games"),
                findings=(),
            )
            for code, made in CHECKS.items()
        ),
    )


def _spoilt(game: AnyGame, row: Row) -> Row:
    """Return the row with a finding if it is that of the check `matches`; otherwise the row itself."""
    if row.check != "matches":
        return row
    finding = Finding(
        code="illegal-move",
        what="the move is not one of the legal ones: index 12, but there are 12 moves, counted from 0",
        advice=FAULTS["illegal-move"].advice,
        where=f"{game.INFO.id}, {game.INFO.min_players} players, turn 7, seat 1",
        count=3,
        request='{"game":"...","id":"...","moves":[]}',
        response='{"index":12}',
    )
    found = "illegal-move (3 times); stopped after 0 of 28 matches"
    return replace(row, outcome="failed", found=found, findings=(finding,))
