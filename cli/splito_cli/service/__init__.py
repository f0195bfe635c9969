"""Commands for operators of a service: serve, workers, keys, pruning, settings, OpenAPI documents."""
