"""Command line of the benchmarks: measures, prints tables, and appends them to `results.md`."""

from typing import Literal

import cyclopts

from benchmarks import startup
from benchmarks.playing import arena, planning, ratings, rules, tournaments
from benchmarks.report import append, show
from benchmarks.serving import recovery, service, state
from benchmarks.studies import calibration

PARTS = {
    "rules": rules.measured,
    "service": service.measured,
    "arena": arena.measured,
    "planning": planning.measured,
    "ratings": ratings.measured,
    "tournaments": tournaments.measured,
    "recovery": recovery.measured,
    "memory": state.measured,
    "startup": startup.measured,
    "calibration": calibration.measured,
}
NAMED_ONLY = {"calibration"}
"""Parts that are measured only if they are named, because they take many minutes."""

app = cyclopts.App(name="python -m benchmarks", version_flags=())


@app.default
def main(
    *parts: Literal[
        "rules",
        "service",
        "arena",
        "planning",
        "ratings",
        "tournaments",
        "recovery",
        "memory",
        "startup",
        "calibration",
    ],
) -> None:
    """Measure speed, as ratios within one run, and append the results to benchmarks/results.md.

    Parameters
    ----------
    parts
        The parts to measure, by default all: the rules of the games (beside OpenSpiel, which `make bench`
        installs), the HTTP service (beside a constant answer), the arena (beside wrk and aiohttp), the
        planning of rounds, ratings, tournaments (beside `splito match`), the recovery of a killed embedded server,
        the memory of everything that is kept, and the start-up of commands. The calibration of ratings by simulated
        tournaments takes a quarter of an hour, and is measured only if it is named.

    """
    reports = {part: PARTS[part]() for part in parts or PARTS if part in parts or part not in NAMED_ONLY}
    for part, report in reports.items():
        show(report, f"Splito Arena benchmarks: {part}")
    append([*reports.values()], " ".join(("python -m benchmarks", *parts)) if parts else "make bench")


if __name__ == "__main__":
    app()
