"""Blocks: balanced sets of games, how they are played, and the ledger that stores their results."""
