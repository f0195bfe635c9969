"""Hypothesis never fails a test for being slow, and finds the same examples on every machine."""

from hypothesis import settings

settings.register_profile("splito", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("splito")
