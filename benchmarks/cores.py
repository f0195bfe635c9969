"""Which core does what, where that can be chosen: what is measured on one, and what it talks to on another."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []


@contextmanager
def on(cores: list[int]) -> Generator[None]:
    """We, and whatever we start meanwhile, are on these cores."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
