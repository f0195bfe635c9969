"""The house players. They know the engine and nothing else, and are registered by entry point like anybody's."""
