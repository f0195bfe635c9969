"""The built-in bots. They import only the engine, and are found by the entry point `splito.bots` like any other bot."""
