"""Endpoints of tournaments, experiments, their results, and the leaderboard."""
