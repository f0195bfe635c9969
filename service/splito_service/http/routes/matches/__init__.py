"""Endpoints of live matches: the match, its seats, its events and its record."""
