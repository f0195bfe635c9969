"""The games of the house. Each is a package that satisfies `engine.game.Game`; none knows another."""
