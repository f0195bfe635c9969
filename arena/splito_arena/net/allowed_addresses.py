"""Rules for the bot addresses that the arena may call.

Any owner may register a URL, and the arena calls it from inside its network. A URL is therefore read strictly, by one
grammar and without repairs, and its name is resolved once: the client connects to the very address that was checked, so
that a second DNS answer cannot lead elsewhere. Redirects would undo this and must not be followed.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import idna
import msgspec

from splito_arena.errors import BadAddress
from splito_arena.net.resolver import ask_dns

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Lookup = Callable[[str, int], Awaitable[Sequence[str]]]

PORTS = frozenset({80, 443, *range(3000, 4000), *range(8000, 9000)})
DEVELOPMENT = (
    "an arena for development allows this machine, private networks and all ports, if its operator starts it with"
    " `splito serve --dev` or SPLITO_ALLOW_PRIVATE_BOTS=1"
)
LONGEST_URL = 2000
LONGEST_NAME = 253

_AUTHORITY = r"^[^/?#]*//[^/?#]*"
_TRICKS = (
    (r"[\s\\]", "leave out spaces, line breaks and backslashes"),
    (r"#", "leave out the fragment, from # on"),
    (rf"{_AUTHORITY}@", "leave out the name and password before @"),
    (rf"{_AUTHORITY}%", "write the host as it is, without percent signs or a zone"),
)
_URL = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9a-f:.]+\]|[^\[\]/?:]+)"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>[/?](?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?",
    re.ASCII | re.IGNORECASE,
)
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
# Browsers and C libraries read hosts with this ending as IPv4 addresses, in different ways: 127.1, 0x7f.1, 2130706433.
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


_PRIVATE = _networks("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
# These tables decide instead of `is_global` and `is_private`, because those differ between versions of Python. They
# hold all that IANA's registries of special addresses list within IPv4 and 2000::/3.
_NEVER = _networks(
    *("0.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "192.0.0.0/24", "198.18.0.0/15", "224.0.0.0/3"),
    *("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),  # documentation
    *("192.88.99.0/24", "2002::/16", "2001::/23"),  # tunnels that carry an IPv4 address: 6to4, Teredo
    *("168.63.129.16/32", "fd00:ec2::254/128", "fd20:ce::254/128"),  # metadata of Azure, AWS and Google
)
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


class Place(msgspec.Struct, frozen=True):
    """The address of a bot. `host` is a name in ASCII or an IP without brackets; `path` includes the query."""

    host: str
    port: int
    tls: bool
    path: str


def read_address(url: str, *, any_port: bool = False) -> Place:
    """Return the address in a URL. Raise `BadAddress` if two URL parsers might read it differently.

    `any_port` is for development, as `allow_private` is.
    """
    _refuse_tricks(url)
    found = _URL.fullmatch(url)
    if found is None:
        raise _bad(f"cannot read {url!r}: write it as https://host/path or http://host:port/path, in plain characters")
    tls = found["scheme"].lower() == "https"
    port = int(found["port"] or (443 if tls else 80))
    if port not in PORTS and not (any_port and port < 65536):
        raise _bad(f"port {port} is not called: use 80, 443, 3000 to 3999 or 8000 to 8999; {DEVELOPMENT}")
    return Place(host=_read_host(found["host"]), port=port, tls=tls, path="/" + (found["path"] or "").removeprefix("/"))


def check_literal(place: Place, allow_private: bool) -> None:
    """Raise `BadAddress` for an IP address that may not be called. A name is checked when it is looked up."""
    if _is_literal(place.host) and not _may_call(place.host, allow_private):
        raise _not_public(place, allow_private)


async def resolve(place: Place, allow_private: bool, lookup: Lookup = ask_dns) -> str:
    """Return the one IP to connect to; TLS and the Host header go on using `place.host`.

    Raise `BadAddress` if the name has no address, or if any of its addresses is not public; pass on the errors of
    `lookup`. `allow_private` is for development: it adds loopback and private networks only.
    """
    answers = [place.host] if _is_literal(place.host) else await _answers(place, lookup)
    if not answers or not all(_may_call(answer, allow_private) for answer in answers):
        raise _not_public(place, allow_private)
    return str(ip_address(answers[0]))


def _not_public(place: Place, allow_private: bool) -> BadAddress:
    """Return the error of a host that may not be called.

    The message is the same for unknown and internal names, because owners must not be able to map our network.
    """
    if allow_private:
        return _bad(f"{place.host} has no address that may be called: use a public one, or one of a private network")
    public = f"{place.host} has no public address, or not only such: use a host that all the Internet can reach"
    return _bad(f"{public}; {DEVELOPMENT}")


def _bad(message: str) -> BadAddress:
    return BadAddress(message, field="url")


def _refuse_tricks(url: str) -> None:
    if len(url) > LONGEST_URL:
        raise _bad(f"the address has {len(url)} characters: use at most {LONGEST_URL}")
    for pattern, advice in _TRICKS:
        if re.search(pattern, url):
            raise _bad(f"cannot call {url!r}: {advice}")
    if not url.isprintable():
        raise _bad(f"cannot call {url!r}: leave out invisible and control characters")


def _read_host(written: str) -> str:
    if written.startswith("["):
        return _read_literal(written[1:-1])
    name = _in_ascii(written).removesuffix(".")
    if _NUMERIC.fullmatch(name):
        return _read_literal(written.removesuffix("."))
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise _bad(f"{written!r} is not a host name: use letters, digits and hyphens between dots")
    return name


def _read_literal(written: str) -> str:
    try:
        return str(ip_address(written))
    except ValueError as error:
        raise _bad(f"{written!r} is not an IP address: write four decimal numbers, or IPv6 in brackets") from error


def _in_ascii(name: str) -> str:
    """Return the name in ASCII by IDNA 2008 as browsers apply it.

    ASCII names pass, because real ones break its hyphen rules.
    """
    if name.isascii():
        return name.lower()
    try:
        return idna.encode(name, uts46=True).decode()
    except UnicodeError as error:
        raise _bad(f"{name!r} is not an international host name: check its spelling") from error


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _answers(place: Place, lookup: Lookup) -> Sequence[str]:
    try:
        return await lookup(place.host, place.port)
    except (OSError, UnicodeError):
        return ()


def _may_call(answer: str, allow_private: bool) -> bool:
    if "%" in answer or not _is_literal(answer):
        return False
    address = ip_address(answer)
    return _is_public(address) or (allow_private and _within(address, _PRIVATE) and not _within(address, _NEVER))


def _is_public(address: Address) -> bool:
    """True for a public address.

    IPv6 is public within 2000::/3, which excludes mapped IPv4; NAT64 counts as what it wraps.
    """
    if _within(address, _PRIVATE) or _within(address, _NEVER):
        return False
    if isinstance(address, IPv4Address) or address in _UNICAST:
        return True
    return address in _NAT64 and _is_public(IPv4Address(address.packed[-4:]))


def _within(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address in network for network in networks)
