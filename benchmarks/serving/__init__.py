"""Benchmarks of the service: requests, event streams, memory, recovery."""
