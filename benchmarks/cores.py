"""Assignment of processes to cores, where the system allows it: the measured program gets one, its peers another."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []


@contextmanager
def on(cores: list[int]) -> Generator[None]:
    """Run this process, and all processes that it starts meanwhile, on these cores."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
