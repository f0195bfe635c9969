"""Addresses of Redis (`SPLITO_REDIS_URL`), read by one grammar of our own.

`urllib.parse` is not used, because each version of Python accepts and refuses other hosts. redis-py can read every
address that this module accepts, in all versions of Python.

    redis[s]://[user[:password]@]host[:port][/database][?options]
    unix://[user[:password]@]/path/to/socket[?options]
    redis+sentinel://[user[:password]@]host[:port][,host[:port]...]/master-name[/database][?options]
"""

import re
from ipaddress import IPv6Address
from urllib.parse import parse_qsl, urlencode

import msgspec

SENTINEL = "redis+sentinel"
SENTINEL_PORT = 26379
REDIS_PORT = 6379
HIDDEN = "***"
FORMS = (
    "redis://host:6379/0, rediss://user:password@host:6379/0, unix:///path/to/socket"
    f" or {SENTINEL}://host:26379,host:26379/master-name/0"
)

_OTHER = r"\x00-\x20\x7f-\U0010ffff"  # every character that is not a visible ASCII character
_CONTROL = r"\x00-\x1f\x7f"
# A password with a bare /, ?, # or bracket ends too early, and then an @ is left over; so an @ elsewhere is refused.
_URL = re.compile(
    r"(?P<scheme>redis|rediss|unix|redis\+sentinel)://"
    rf"(?:(?P<user>[^/?#\[\]{_OTHER}]*)@)?"
    rf"(?P<places>[^/?#@{_OTHER}]*)"
    rf"(?P<path>/[^?#@{_CONTROL}]*)?"
    rf"(?:\?(?P<query>[^#@{_CONTROL}]*))?"
)
_PLACE = re.compile(r"(?P<host>\[[^\[\]]+\]|[^\[\]:]+)(?::(?P<port>[1-9][0-9]{0,4}))?", re.ASCII)
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?", re.ASCII | re.IGNORECASE)  # Docker's names have _
_ZONE = re.compile(r"[a-z0-9_.-]+", re.ASCII | re.IGNORECASE)


class RedisAddress(msgspec.Struct, frozen=True):
    """The parts of an address of Redis. `user`, `path` and `query` are as written, percent signs included."""

    scheme: str
    user: str
    """User and password with the `:` between them; empty if the address has none."""
    places: tuple[tuple[str, int], ...]
    """Hosts and ports: one of the server, one of each Sentinel, none for a socket."""
    path: str
    query: str

    @property
    def has_sentinels(self) -> bool:
        return self.scheme == SENTINEL

    @property
    def master(self) -> str:
        """The name by which the Sentinels know the server, as written."""
        return self.path.removeprefix("/").partition("/")[0]

    @property
    def server_url(self) -> str:
        """For Sentinels: user, database and options of the server, as an address that redis-py reads."""
        user = f"{self.user}@" if self.user else ""
        return f"redis://{user}/{self.path.removeprefix('/').partition('/')[2]}?{self.query}"


def read_redis_address(url: str) -> RedisAddress:
    """Return the parts of an address. Raise `ValueError` for an invalid one, without quoting a password in it."""
    found = _URL.fullmatch(url)
    address = None if found is None else _address(found)
    if address is None:
        raise ValueError(f"it must be like {FORMS}; special characters of a password must be percent-encoded")
    return address


def masked(url: str) -> str:
    """Return the address with its passwords hidden. Raise `ValueError` if it is invalid."""
    found = _URL.fullmatch(url)
    if found is None:
        raise ValueError(f"it must be like {FORMS}")
    name, colon, _ = (found["user"] or "").partition(":")
    user = "" if found["user"] is None else f"{name}{colon}{HIDDEN if colon else ''}@"
    pairs = [
        (key, HIDDEN if "password" in key.lower() else value)
        for key, value in parse_qsl(found["query"] or "", keep_blank_values=True)
    ]
    query = f"?{urlencode(pairs, safe='*/')}" if pairs else ""
    return f"{found['scheme']}://{user}{found['places']}{found['path'] or ''}{query}"


def _address(found: re.Match[str]) -> RedisAddress | None:
    scheme, user, path, query = found["scheme"], found["user"] or "", found["path"] or "", found["query"] or ""
    places = _places(scheme, found["places"])
    return None if places is None or not _is_path(scheme, path) else RedisAddress(scheme, user, places, path, query)


def _places(scheme: str, text: str) -> tuple[tuple[str, int], ...] | None:
    """Return the hosts and ports; None if one of them, or how many they are, is wrong."""
    if scheme == "unix":
        return None if text else ()
    usual = SENTINEL_PORT if scheme == SENTINEL else REDIS_PORT
    places = [_place(one, usual) for one in (text.split(",") if scheme == SENTINEL else [text])]
    good = tuple(place for place in places if place is not None)
    return good if len(good) == len(places) else None


def _place(text: str, usual: int) -> tuple[str, int] | None:
    found = _PLACE.fullmatch(text)
    host = None if found is None else _host(found["host"])
    port = usual if found is None or found["port"] is None else int(found["port"])
    return (host, port) if host is not None and port < 65536 else None


def _host(text: str) -> str | None:
    if text.startswith("["):
        bare, percent, zone = text[1:-1].partition("%")
        try:
            IPv6Address(bare)
        except ValueError:
            return None
        return None if percent and not _ZONE.fullmatch(zone) else text[1:-1].lower()
    return text.lower() if _NAME.fullmatch(text) else None


def _is_path(scheme: str, path: str) -> bool:
    if scheme == "unix":
        return len(path) > 1
    if scheme == SENTINEL:
        name, _, database = path.removeprefix("/").partition("/")
        return bool(name) and _is_database(database)
    return _is_database(path.strip("/"))


def _is_database(text: str) -> bool:
    return re.fullmatch("[0-9]*", text) is not None
