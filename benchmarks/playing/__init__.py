"""Benchmarks of the rules, of the arena and of its tournaments."""
