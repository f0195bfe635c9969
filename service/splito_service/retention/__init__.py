"""Retention: the table of everything that Redis keeps, and the sweeper of what has expired."""
