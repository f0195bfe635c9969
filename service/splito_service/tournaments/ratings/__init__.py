"""Ratings of bot versions: their store, and their updates after every ranked block."""
