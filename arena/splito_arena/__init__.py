"""Referee, bot transports, blocks, formats, ratings, statistics and reports of games between bots."""
