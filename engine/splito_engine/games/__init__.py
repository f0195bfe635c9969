"""The built-in games. Each is a package that satisfies `splito_engine.game.Game` and imports none of the others."""
