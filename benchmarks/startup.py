"""CPU time that commands take before they do any work: mostly imports."""

import os
import subprocess
import sys
from statistics import median
from tempfile import TemporaryDirectory

from rich.progress import track

from benchmarks.report import Report, Row, at_most, plain

GOAL = 0.25
"""Goal: seconds of CPU for `splito --help`."""
ROUNDS = 15
COMMANDS = {
    "python": ("-c", "pass"),
    "splito --help": ("-m", "splito_cli", "--help"),
    "splito games": ("-m", "splito_cli", "games"),
    "splito match --help": ("-m", "splito_cli", "match", "--help"),
    "splito serve --help": ("-m", "splito_cli", "serve", "--help"),
}


def measured(rounds: int = ROUNDS) -> Report:
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with TemporaryDirectory() as folder:
        for _ in track(range(rounds + 1), description="startup"):
            for name, words in COMMANDS.items():
                seconds[name].append(cpu(words, folder))
    typical = {name: median(found[1:]) for name, found in seconds.items()}  # the first round warms the caches
    rows: list[Row] = [at_most("seconds of CPU of `splito --help`", typical["splito --help"], GOAL)]
    rows += [
        plain(f"seconds of CPU of `{name}`", f"{one:.2f}") for name, one in typical.items() if name not in rows[0][0]
    ]
    return Report(
        rows, f"User and system time of a new process; medians of {rounds} rounds, after one that does not count."
    )


def cpu(words: tuple[str, ...], folder: str) -> float:
    """Return the seconds of CPU, user and system, of one run of Python in the folder."""
    with subprocess.Popen([sys.executable, *words], cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime
