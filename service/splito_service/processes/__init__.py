"""Processes that the service starts: groups of server processes, and the embedded Redis."""
