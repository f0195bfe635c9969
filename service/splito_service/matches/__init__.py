"""Live matches: model, storage in Redis, schemas, seat tokens, and the moves of bots and clocks."""
