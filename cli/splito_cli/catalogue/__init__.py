"""Commands that print what is installed: games, rules, bots."""
