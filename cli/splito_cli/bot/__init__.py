"""Commands for authors of bots: begin a bot, serve it, check it, send a logged ask again."""
