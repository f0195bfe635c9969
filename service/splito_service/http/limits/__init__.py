"""Limits of one client: requests per minute, connections and event streams."""
