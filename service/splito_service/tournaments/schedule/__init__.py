"""Sign-up and start of tournaments: their times, the conditions of a start, and the bots that may enter."""
