"""Matches in Redis: what must be exact when many processes act on one match at the same instant."""
