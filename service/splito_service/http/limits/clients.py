"""Names of clients for limits: the address that connected, or the address that the trusted proxies saw.

IPv6 addresses are counted by their /64 network, because one customer usually has at least that many.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network
from typing import Any

CLIENT = "splito.client"
"""The key of a request's scope that holds the name of its client."""
LOCAL = "local"
"""The name of a client without an address."""
FORWARDED = b"x-forwarded-for"
LONGEST = 64
"""Characters of an address, port included; anything longer is none."""
GROUP = 64
"""Bits of an IPv6 address that name a client."""


def client_name(scope: Any, proxies: int) -> str:
    """Return the name of the client behind so many trusted proxies; the peer's own if they name no address."""
    client = scope["client"]
    peer = (address_name(client[0]) if client else None) or LOCAL
    if not proxies:
        return peer
    seen = _forwarded(scope["headers"], proxies)
    return (address_name(seen) if seen else None) or peer


@lru_cache(maxsize=8192)
def address_name(text: str) -> str | None:
    """Return an IPv4 address or the /64 network of an IPv6 address, without its port; None if `text` is neither."""
    host = _without_port(text.strip().strip('"'))
    try:
        return str(IPv4Address(host))
    except AddressValueError:
        pass
    try:
        found = IPv6Address(host.partition("%")[0])
    except AddressValueError:
        return None
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found) >> GROUP << GROUP, GROUP)))


def _without_port(text: str) -> str:
    """`192.0.2.1:80`, `[2001:db8::1]:80` and `[2001:db8::1]` have brackets or a port that a bare address lacks."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    host, colon, _ = text.partition(":")
    return host if colon and "." in host else text


def _forwarded(headers: Iterable[tuple[bytes, bytes]], place: int) -> str | None:
    """Return the entry that is `place` from the end of all `X-Forwarded-For` lines; None if there are fewer.

    Every proxy appends the address that it saw, so only the last entries were written by proxies that are trusted.
    """
    lines = [value for name, value in headers if name == FORWARDED]
    for line in reversed(lines):
        entries = line.rsplit(b",", place)
        if len(entries) >= place:
            entry = entries[-place].strip()
            return entry.decode("latin-1") if len(entry) <= LONGEST else None
        place -= len(entries)
    return None
