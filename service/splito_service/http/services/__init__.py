"""What the routes of each concept work with: one Struct per concept, opened when a server process starts."""
