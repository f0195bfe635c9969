"""Tuning: the search for the best parameters of a bot, by races on shared deals."""
