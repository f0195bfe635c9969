"""The rules library. Pure: no clock, no logging, and no I/O but the data files of the games.

`game` says what a game is, `games` has ours, `match` plays one, `record` keeps it, `testing` checks a game of yours.
"""
