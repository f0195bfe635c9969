"""The command `splito`. It draws what the engine says; it decides nothing about rules."""
