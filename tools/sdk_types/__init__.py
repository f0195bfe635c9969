"""Generator of the SDK's message types: it writes `splito_bot/schemas` from the documents in `openapi/`."""
