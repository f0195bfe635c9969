"""The HTTP service, its storage in Redis, and the RQ workers that play tournaments."""
