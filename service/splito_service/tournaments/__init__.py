"""Tournaments and experiments: entrants, rounds, ladders, storage, schemas and ratings."""
