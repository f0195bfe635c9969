"""Bots: how each kind is found, asked and served: functions, subprocesses and HTTP servers."""
