"""Hypothesis never fails a test for being slow, and finds the same examples on every machine."""

import signal

from hypothesis import settings

settings.register_profile("splito", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("splito")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background: what tests start would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
