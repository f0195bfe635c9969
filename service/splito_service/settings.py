"""Settings of the service, read from environment variables: `redis_url` is `SPLITO_REDIS_URL`, and so on.

An unknown name or an invalid value is an error, never a silent default.
"""

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec import Struct
from platformdirs import user_data_path

from splito_engine.errors import BadSetting
from splito_service.redis_address import masked, read_redis_address

Durability: TypeAlias = Literal["everysec", "always"]

PREFIX = "SPLITO_"
DEVELOPMENT: Mapping[str, Any] = {"organisers": ("*",), "allow_private_bots": True, "health_seconds": 5}
"""Defaults in development mode."""
HOUR = 3600  # seconds; the longest time limit that a setting may have


def default_data() -> Path:
    return user_data_path("splito-arena", appauthor=False)


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of the service; `TABLE` has their meanings."""

    redis_url: str | None = None
    data: Path = msgspec.field(default_factory=default_data)
    durability: Durability = "everysec"
    rate: int = 6000
    create_rate: int = 120
    bot_matches: int = 16
    behind_proxy: int = 0
    connections: int = 256
    streams: int = 128
    idle_seconds: int = 30
    body_seconds: int = 20
    stall_seconds: int = 30
    results_mb: int = 64
    health_seconds: int = 60
    allow_private_bots: bool = False
    nameservers: tuple[str, ...] = ()
    house_ladder: bool = False
    organisers: tuple[str, ...] = ()
    dev: bool = False
    match_days: int = 30
    idle_days: int = 30
    open_days: int = 3
    max_matches: int = 20_000
    max_finished: int = 200_000
    tournament_days: int = 365
    cancelled_days: int = 30
    owner_days: int = 365
    empty_owner_days: int = 30
    max_owners: int = 100_000
    key_days: int = 365
    hook_days: int = 30
    moderation_days: int = 730
    sweep_seconds: int = 300


class Line(Struct, frozen=True):
    """A setting as it is shown to the operator, with passwords hidden."""

    name: str
    value: str | None
    default: str | None
    meaning: str


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Return the settings of an environment. Raise `BadSetting`, with the variable as `field`, for a wrong one."""
    values: dict[str, Any] = {}
    fields = {variable(field): field for field in TABLE}
    for name in sorted(name for name in environ if name.startswith(PREFIX)):
        if name not in fields:
            raise BadSetting(f"there is no setting {name}: use one of {', '.join(fields)}", field=name)
        try:
            values[fields[name]] = TABLE[fields[name]].read(environ[name])
        except ValueError as error:
            raise BadSetting(f"{name}: {error}", field=name) from None
    return Settings(**{**(DEVELOPMENT if values.get("dev") else {}), **values})


def variable(field: str) -> str:
    return PREFIX + field.upper()


def describe(settings: Settings) -> list[Line]:
    default = Settings()

    def shown(source: Settings, field: str) -> str | None:
        value = getattr(source, field)
        return None if value is None else TABLE[field].show(value)

    return [
        Line(variable(field), shown(settings, field), shown(default, field), row.meaning)
        for field, row in TABLE.items()
    ]


def _read_url(text: str) -> str:
    read_redis_address(text)
    return text


def _read_folder(text: str) -> Path:
    if not text:
        raise ValueError("it must be the path of a folder, and is empty")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(error) from error


def _read_durability(text: str) -> Durability:
    for choice in get_args(Durability):
        if text == choice:
            return choice
    raise ValueError(f"it must be {' or '.join(get_args(Durability))}, not {text!r}")


def _read_count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise ValueError(f"it must be a whole number from 0 to 999999999, not {text!r}")
    return int(text)


def _read_seconds(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:9]) <= HOUR or len(text) > 4:
        raise ValueError(f"it must be a number of seconds from 1 to {HOUR}, not {text!r}")
    return int(text)


def _read_proxies(text: str) -> int:
    if not text.isdecimal() or len(text) > 1:
        raise ValueError(f"it must be a number from 0 to 9, not {text!r}")
    return int(text)


def _read_organisers(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if words == ("*",) or all(re.fullmatch(r"[0-9a-v]{24}", one) for one in words):
        return words
    raise ValueError(f"it must be ids of owners, with commas between them, or * for every owner, not {text!r}")


def _read_nameservers(text: str) -> tuple[str, ...]:
    places = tuple(word.strip() for word in text.split(",") if word.strip())
    try:
        for place in places:
            _check_nameserver(place)
    except ValueError:
        forms = "192.0.2.1, 192.0.2.1:5353, 2001:db8::1 or [2001:db8::1]:5353"
        raise ValueError(f"it must be IP addresses like {forms}, with commas between them, not {text!r}") from None
    return places


def _check_nameserver(place: str) -> None:
    """Raise `ValueError` unless it is an IP address, perhaps with a port."""
    host, port = place, "53"
    if place.count(":") == 1 or "]:" in place:
        host, _, port = place.rpartition(":")
    ip_address(host.removeprefix("[").removesuffix("]"))
    if not (port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(port)


def _read_switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"it must be 0 or 1, not {text!r}")
    return text == "1"


def _show_switch(on: bool) -> str:
    return "1" if on else "0"


class Setting(NamedTuple):
    read: Callable[[str], object]
    """Function that reads the value. Raise `ValueError` for a bad value."""
    meaning: str
    show: Callable[[Any], str] = str


TABLE: Mapping[str, Setting] = {
    "redis_url": Setting(
        _read_url,
        "Address of the Redis 7+ or Valkey server, or of its Sentinels; if unset, the program starts a server itself.",
        masked,
    ),
    "data": Setting(_read_folder, "Folder in which the server that the program starts keeps its data."),
    "durability": Setting(
        _read_durability,
        "How the server that the program starts writes to disk: everysec (if it is killed, the last 2 s may be lost) or"
        " always (slower; nothing is lost).",
    ),
    "rate": Setting(
        _read_count,
        "Maximum of requests per client and minute, ten times as many for polling bots; 0 for no limit.",
    ),
    "create_rate": Setting(
        _read_count,
        "Maximum of matches, owners, keys, bots, checks, tournaments and experiments that one client may create per"
        " minute; 0 for no limit.",
    ),
    "bot_matches": Setting(
        _read_count,
        "Maximum of running matches among bots alone per client; 0 for no limit.",
    ),
    "behind_proxy": Setting(
        _read_proxies,
        "Number of your own proxies before the service, 0 to 9: a client is identified by the address that the"
        " outermost proxy wrote into X-Forwarded-For, which is the address at this place from the end.",
    ),
    "connections": Setting(
        _read_count,
        "Maximum of connections and open requests per client in each process; 0 for half of the capacity of the"
        " process, which is the maximum in any case.",
    ),
    "streams": Setting(
        _read_count,
        "Maximum of event streams, long-polls and dumps among the open requests of a client; 0 for no limit.",
    ),
    "idle_seconds": Setting(
        _read_seconds,
        "Seconds after which a connection is closed if no request, or only a part of its head, has arrived.",
    ),
    "body_seconds": Setting(_read_seconds, "Seconds in which the body of a request must arrive."),
    "stall_seconds": Setting(
        _read_seconds,
        "Seconds after which a connection is closed if its client does not read the answer; the client of an event"
        " stream can reconnect and resume it.",
    ),
    "results_mb": Setting(
        _read_count,
        "Megabytes of computed results of tournaments (tables, exports, reports) that each process keeps in memory.",
    ),
    "health_seconds": Setting(_read_count, "Seconds between two health checks of a registered bot; 0 for none."),
    "allow_private_bots": Setting(
        _read_switch,
        "1 for development only: bots and webhooks may have loopback and private addresses and any port, so any client"
        " can make the service call them.",
        _show_switch,
    ),
    "nameservers": Setting(
        _read_nameservers,
        "DNS servers that look up the names of bots and webhooks: IP addresses with or without a port, separated by"
        " commas; if empty, those of /etc/resolv.conf.",
        ",".join,
    ),
    "house_ladder": Setting(
        _read_switch,
        "1 to hold a ladder for each game, with the house bots and all bots that may play ranked; workers play it.",
        _show_switch,
    ),
    "organisers": Setting(
        _read_organisers,
        "Ids of the owners who may hold ranked tournaments, enter all bots that are open to organisers, and moderate,"
        " separated by commas; if empty, only the arena itself may; * for every owner, who can then choose rated"
        " opponents, but not moderate.",
        ",".join,
    ),
    "dev": Setting(
        _read_switch,
        "1 for development mode, like `splito serve --dev`: unless set otherwise, every owner is an organiser, bots"
        " may have private addresses, and health checks come every 5 seconds. Checks allow more time, because bots and"
        " arena share a machine.",
        _show_switch,
    ),
    "match_days": Setting(_read_count, "Days for which finished matches are kept; 0 to keep them for ever."),
    "idle_days": Setting(_read_count, "Days without a move after which a match is removed; 0 for never."),
    "open_days": Setting(
        _read_count,
        "Days without a player joining or leaving after which a match with open seats is removed; 0 for never.",
    ),
    "max_matches": Setting(
        _read_count, "Maximum of open and running matches; further matches are refused; 0 for no limit."
    ),
    "max_finished": Setting(
        _read_count, "Maximum of finished matches that are kept; the oldest are removed first; 0 for no limit."
    ),
    "tournament_days": Setting(
        _read_count,
        "Days for which finished tournaments and experiments are kept; 0 to keep them for ever. Ratings stay.",
    ),
    "cancelled_days": Setting(
        _read_count,
        "Days for which cancelled tournaments and experiments are kept; 0 to keep them for ever. Ratings stay.",
    ),
    "owner_days": Setting(
        _read_count, "Days without use of any key after which an owner is removed with bots and webhooks; 0 for never."
    ),
    "empty_owner_days": Setting(
        _read_count, "Days as in OWNER_DAYS for an owner without bot, webhook and running tournament; 0 for never."
    ),
    "max_owners": Setting(_read_count, "Maximum of owners; further owners are refused; 0 for no limit."),
    "key_days": Setting(_read_count, "Days without use after which a key is removed; 0 for never."),
    "hook_days": Setting(_read_count, "Days after which a disabled webhook is removed; 0 for never."),
    "moderation_days": Setting(
        _read_count, "Days for which the moderation log keeps an action; 0 for ever. Bans hold until they are lifted."
    ),
    "sweep_seconds": Setting(
        _read_count,
        "Seconds between two removals of expired data, like `splito prune`, by one of the processes; 0 for none.",
    ),
}
"""Reader, meaning and text form of each setting, by its field in `Settings`."""
