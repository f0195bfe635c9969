"""Side by side: every contender runs for a moment in each of many rounds, and only ratios within a round count.

A machine that is slow for a while is slow for all contenders of that round, so the median ratio holds where absolute
figures swing.
"""

from collections.abc import Callable, Mapping
from statistics import median
from time import process_time

from rich.progress import track

Rates = dict[str, list[float]]


def measure(contenders: Mapping[str, Callable[[], object]], rounds: int = 40, moment: float = 0.05) -> Rates:
    """Calls per second of CPU time, per contender and round."""
    rates: Rates = {name: [] for name in contenders}
    for _ in track(range(rounds), description="measuring"):
        for name, call in contenders.items():
            rates[name].append(_rate(call, moment))
    return rates


def ratio(rates: Rates, name: str, to: str) -> float:
    """Return how many times as fast `name` is as `to`, in the median round."""
    return median(mine / theirs for mine, theirs in zip(rates[name], rates[to], strict=True))


def _rate(call: Callable[[], object], moment: float) -> float:
    begin, calls = process_time(), 0
    while (spent := process_time() - begin) < moment:
        call()
        calls += 1
    return calls / spent
