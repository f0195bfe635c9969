"""The account of an author at an arena: profiles with keys, registered bots, and the commands that work on them.

`splito-bot` and `splito` run the same functions of this package; each prints their pages in its own way.
"""
