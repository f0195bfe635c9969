"""`splito arena`: your bots at an arena on one page."""
