"""Answers over HTTP: ready bodies, streams of unknown length, and server-sent events."""
