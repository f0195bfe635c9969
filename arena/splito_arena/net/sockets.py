"""Sockets of the HTTP client: opened, shut down, and the faults that their errors mean."""

import ipaddress
import socket
import ssl
from contextlib import suppress
from errno import EACCES, EADDRNOTAVAIL, EAFNOSUPPORT, EHOSTUNREACH, EINVAL, ENETDOWN, ENETUNREACH, EPERM

from splito_arena.faults import Fault
from splito_arena.net.http_request import Target

NO_WAY = frozenset([EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL, EACCES, EPERM])
"""Error numbers of connecting that blame the address rather than the arena."""


def open_socket(target: Target) -> socket.socket:
    """Return a socket for the target that does not block. Raise `Fault` for a bad address or port."""
    try:
        version = ipaddress.ip_address(target.address).version
    except ValueError as error:
        raise Fault("bad-address", f"{target.address!r} is not an IP address") from error
    if not 0 < target.port < 65536:
        raise Fault("bad-address", f"{target.port} is not a port")
    made = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6)
    made.setblocking(False)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def shut(connected: socket.socket) -> None:
    """Shut the socket down, because uvloop may keep it open for long after an abandoned handshake."""
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def explained(error: OSError) -> Exception:
    """Return the `Fault` for an error of connecting; the error itself if the arena caused it, such as too many open
    files.
    """
    if isinstance(error, ssl.SSLCertVerificationError):
        return Fault("bad-address", error.verify_message)
    if isinstance(error, ssl.SSLError):
        return Fault("bad-http", f"no TLS ({error.reason})")
    if isinstance(error, ConnectionRefusedError):
        return Fault("refused")
    if isinstance(error, ConnectionError):
        return Fault("reset", "while connecting")
    if isinstance(error, TimeoutError):
        return Fault("time-out", "while connecting")
    return Fault("bad-address", error.strerror or "") if error.errno in NO_WAY else error
