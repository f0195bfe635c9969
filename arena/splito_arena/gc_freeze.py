"""Settings of Python's garbage collector for busy processes, because a full collection would stop all matches."""

import gc


def spare_collector() -> None:
    """Freeze the objects of a started process and collect rarely, because the objects of a match are freed without it.

    A full collection would stop all matches for a moment, and that time would be charged to the bots.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
