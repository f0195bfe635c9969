"""The games of the house. Each is a package that satisfies `splito_engine.game.Game`; none knows another."""
