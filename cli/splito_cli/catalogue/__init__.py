"""Commands that list and print installed games, rules and bots."""
