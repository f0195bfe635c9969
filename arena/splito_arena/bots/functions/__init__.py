"""Functions of bot authors: their paths, their info and their tracebacks."""
