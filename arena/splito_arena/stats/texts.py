"""Texts of figures with their 95 % intervals, the same in the terminal and in the report."""

from typing import NamedTuple

TOO_FEW = "(too few)"
"""Text in place of an interval after too few blocks."""
UNKNOWN = "unknown"
"""Text in place of a rating that the games of a bot do not limit."""


class Shown(NamedTuple):
    """A figure and its interval as texts."""

    figure: str
    doubt: str

    def __str__(self) -> str:
        return f"{self.figure} {self.doubt}".rstrip()


def rating_kind(mean: float | None, low: float | None, high: float | None) -> str:
    """Return what is known of a rating, in words."""
    if mean is None:
        return UNKNOWN
    kinds = {(True, True): "interval", (True, False): "at least", (False, True): "at most", (False, False): "too few"}
    return kinds[low is not None, high is not None]


def shown_mean(mean: float, margin: float | None, digits: int = 1, unit: str = "") -> Shown:
    """Return a mean, plus or minus its margin."""
    return Shown(f"{mean:.{digits}f}{unit}", TOO_FEW if margin is None else f"± {margin:.{digits}f}")


def shown_share(mean: float, low: float | None, high: float | None) -> Shown:
    """Return a share in per cent, with both ends of its interval."""
    if low is None or high is None:
        return Shown(f"{100 * mean:.1f} %", TOO_FEW)
    return Shown(f"{100 * mean:.1f} %", f"({100 * low:.0f}–{100 * high:.0f})")


def shown_rating(mean: float | None, low: float | None, high: float | None) -> Shown:
    """Return a rating with both ends of its interval, or the only end that it has."""
    if mean is None:
        return Shown(UNKNOWN, "")
    if low is not None and high is not None:
        return Shown(f"{mean:.0f}", f"({low:.0f}–{high:.0f})")
    if low is not None:
        return Shown(f"at least {low:.0f}", "")
    if high is not None:
        return Shown(f"at most {high:.0f}", "")
    return Shown(f"{mean:.0f}", TOO_FEW)
