"""Moderation by organisers: bans of owners and bots, removal of tournaments, and the log of these actions."""
