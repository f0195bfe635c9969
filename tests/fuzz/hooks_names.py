"""Names of the environment variables through which the test configures the hooks, which run in schemathesis."""

TABLES = "FUZZ_TABLES"
"""The variable with the name of the file with the matches to begin with: JSON, from path to tokens."""
OWNER = "FUZZ_OWNER"
"""The variable with the name of the file with the owner to be: JSON, the key, the ids of the bots, one of a bot that
polls and is ready, and those of tournaments and experiments."""
SERVICE = "FUZZ_SERVICE"
"""The variable with the address of the service."""
ANSWERS = "FUZZ_ANSWERS"
"""The variable with the name of the file that gets a line for every answer: method, path and status."""
