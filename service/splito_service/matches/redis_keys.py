"""Redis keys of matches."""

from splito_service.matches.model import Status

DUE = "due"
LIVE = "matches:live"
"""Redis key of all open or running matches, by creation time."""
ENDED = "matches:ended"
"""Redis key of all finished matches, by the time of their end."""


def match_keys(match_id: str, *parts: str) -> list[str]:
    """Return the Redis keys of a match. The braces put all of them into one hash slot."""
    key = f"match:{{{match_id}}}"
    return [f"{key}:{part}" if part else key for part in parts]


def shelf(game: str, status: Status) -> str:
    """Return the Redis key of the listed matches of a game in this state."""
    return f"matches:{game}:{status}"
