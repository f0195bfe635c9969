"""Owners and their keys."""
