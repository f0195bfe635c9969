"""The terminal: consoles and tables, the dialogue of `splito play`, its words in three languages, looks of games."""
