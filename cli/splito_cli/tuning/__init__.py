"""`splito tune`: the search for the best parameters of a bot."""
