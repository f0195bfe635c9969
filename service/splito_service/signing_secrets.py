"""Secrets that the arena shares with the recipients of its requests, and the form of its public keys."""

import msgspec


class Secrets(msgspec.Struct, frozen=True):
    """Secrets of one recipient. While its owner rotates them, requests are signed with both."""

    current: str
    previous: str | None = None

    def __repr__(self) -> str:
        return "Secrets(...)"


PREFIX = "whpk_"
PATTERN = f"^{PREFIX}[A-Za-z0-9+/]{{43}}=$"
