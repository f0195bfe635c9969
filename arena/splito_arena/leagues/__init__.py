"""Leagues: a folder of bots as a local ladder, without a server."""
