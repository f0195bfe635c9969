"""Matches over HTTP, kept in Redis: all the input, output and waiting there is."""
