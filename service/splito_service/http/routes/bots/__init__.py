"""Endpoints of registered bots: the bot, its checks, and the asks of pull bots."""
