"""Commands for authors of bots: create a bot, serve it, check it, send it a logged ask again."""
