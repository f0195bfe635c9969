"""Python's garbage collector, kept from stopping everybody: what we make in a match goes away by itself."""

import gc


def spare_collector() -> None:
    """For a process that has started up and has much to do: what is there stays, and little is looked for.

    A collection of everything would stop all matches for a moment, and be held against the bots.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
