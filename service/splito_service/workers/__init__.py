"""Workers: RQ queue, shifts, and the loop that plays the blocks of a tournament."""
