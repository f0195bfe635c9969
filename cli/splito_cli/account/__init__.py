"""Commands of an account at an arena: log in, register bots, and let them play. The work is done by the SDK."""
