"""The rules library. Pure: no clock, no logging, and no I/O but the data files of the games.

`game` defines what a game is, `games` holds the built-in games, `match` plays a game, `record` stores a finished match,
`testing` checks any game against the definition.
"""
