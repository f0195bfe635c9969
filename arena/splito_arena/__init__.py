"""Who plays whom, and who is better. The arena knows games and bots only through the engine's protocols."""
