"""The OpenAPI document of a bot: operations, examples and text."""
