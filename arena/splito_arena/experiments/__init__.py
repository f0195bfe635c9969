"""Experiments: games between two versions of a bot, and the sequential test that ends them."""
