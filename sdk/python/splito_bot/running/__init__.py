"""Parts of the programs that run a bot: `splito-bot serve` (push) and `splito-bot connect` (pull)."""
