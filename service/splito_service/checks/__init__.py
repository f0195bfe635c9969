"""Checks of registered bots: storage, schemas and the runner."""
