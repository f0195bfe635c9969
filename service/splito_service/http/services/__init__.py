"""Services of the routes: one Struct per concept, opened when a server process starts."""
