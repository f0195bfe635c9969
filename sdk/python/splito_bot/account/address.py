"""Addresses of services, as a person types them."""

import ipaddress
import re
from urllib.parse import urlsplit

from splito_bot.account.trouble import Trouble

FORM = re.compile(
    r"(?i:https?)://(\[[0-9a-fA-F.]*:[0-9a-fA-F:.]*\]|[^\s:/?#@\[\]\\]+)(:[0-9]*)?(/[\w./~%+-]*)?", re.ASCII
)
SCHEME = re.compile(r"(?i:[a-z][a-z0-9+.-]*)://")
WRITE = "write https://host or http://host:port"


def read_address(text: str) -> str:
    """Return the address of a service, without a slash at its end. Raise `Trouble` with the right form.

    The message quotes no address that may hold a key or a password.
    """
    if _is_address(text):
        return text.rstrip("/")
    if "key-" in text or "@" in text:
        raise Trouble("bad-option", "this is no address of a service: it must hold no key and no password", WRITE)
    guess = f"{_scheme(text)}://{text}"
    if not SCHEME.match(text) and _is_address(guess):
        raise Trouble("bad-option", f"{text!r} is no address of a service: it has no scheme", f"write {guess}")
    raise Trouble("bad-option", f"{text!r} is no address of a service", WRITE)


def same_address(one: str, other: str) -> bool:
    """True if both texts are the same address; the case of scheme and host does not matter."""
    return _canonical(one) == _canonical(other)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text if FORM.fullmatch(text) else "")
        _ = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError:
        return False
    return bool(parts.hostname)


def _scheme(text: str) -> str:
    """Return the scheme that the address probably has: `http` on this machine and in private networks."""
    host = urlsplit(f"//{text}").hostname if "[" not in text or "]" in text else None
    try:
        private = ipaddress.ip_address(host or "").is_private
    except ValueError:
        private = host == "localhost"
    return "http" if private else "https"


def _canonical(text: str) -> tuple[str, str | None, int | None, str]:
    parts = urlsplit(text)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port, parts.path.rstrip("/")
