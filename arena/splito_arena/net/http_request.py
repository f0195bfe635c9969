"""Requests of the HTTP client: their target, and their bytes."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TypeAlias

import msgspec

OURS = frozenset(["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "content-type"])
"""Headers that only the client itself sets."""
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t\x20-\x7e\x80-\xff]*")
PATH = re.compile(r"/[\x21-\x7e]*")
HOST = re.compile(r"[0-9A-Za-z._:-]+")

Origin: TypeAlias = tuple[str, str, int, bool]


class Target(msgspec.Struct, frozen=True, dict=True):
    """The target of calls. `host` is the bot's name for the Host header and TLS, `address` the IP that was checked."""

    host: str
    address: str
    port: int
    tls: bool
    path: str

    @cached_property
    def origin(self) -> Origin:
        """Return the key by which connections are shared."""
        return (self.host, self.address, self.port, self.tls)

    @cached_property
    def posting(self) -> bytes:
        """Return the first lines of a POST."""
        return _first_lines("POST", self)


def write_request(method: str, target: Target, headers: Mapping[str, str] | bytes, body: bytes = b"") -> bytes:
    """Return the bytes of a request. Headers may be given as encoded lines.

    Raise ValueError for unsafe headers or paths.
    """
    lines = headers if isinstance(headers, bytes) else _lines(headers)
    if method == "POST":
        return b"%b%bContent-Length: %d\r\n\r\n%b" % (target.posting, lines, len(body), body)
    return b"%b%b\r\n" % (_first_lines(method, target), lines)


def _lines(headers: Mapping[str, str]) -> bytes:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    if not all(HEADER.fullmatch(line) for line in lines) or not OURS.isdisjoint(map(str.lower, headers)):
        raise ValueError(f"the headers {sorted(headers)} cannot be sent")
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1")


def _first_lines(method: str, target: Target) -> bytes:
    if not PATH.fullmatch(target.path) or not HOST.fullmatch(target.host):
        raise ValueError(f"{target.path!r} of {target.host!r} cannot be called")
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == (443 if target.tls else 80) else f":{target.port}"
    kind = "Content-Type: application/json\r\n" if method == "POST" else ""
    return (
        f"{method} {target.path} HTTP/1.1\r\nHost: {host}{port}\r\n"
        f"{kind}Accept: application/json\r\nAccept-Encoding: identity\r\n"
    ).encode("ascii")
