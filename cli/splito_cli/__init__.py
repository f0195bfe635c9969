"""The command `splito`. It shows the results of the engine and decides nothing about rules."""
