"""Commands that play matches on this machine, and check their records."""
