"""The scale of all ratings.

A difference of 100 points means a chance of 64 % to finish ahead of the other bot in one game, at tables of every size;
400 points mean 91 %.
"""

from math import log

CENTRE = 1500.0
"""Rating of a new bot, and of the mean of the compared bots of a table."""
POINTS = 400 / log(10)
"""Rating points per 1 of strength in the Plackett-Luce model."""
