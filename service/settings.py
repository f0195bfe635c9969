"""What can be set from outside, all of it by environment variables: `redis_url` is `SPLITO_REDIS_URL`, and so on.

Fails loudly: a name that nobody knows or a value that cannot be is an error, never a silent default.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import msgspec
from msgspec import Struct
from platformdirs import user_data_path

from engine.errors import BadSetting

Durability: TypeAlias = Literal["everysec", "always"]

PREFIX = "SPLITO_"
SCHEMES = ("redis", "rediss", "unix")
HIDDEN = "***"


def default_data() -> Path:
    return user_data_path("splito-arena", appauthor=False)


class Settings(Struct, frozen=True, kw_only=True):
    """`TABLE` has what each of them means."""

    redis_url: str | None = None
    data: Path = msgspec.field(default_factory=default_data)
    durability: Durability = "everysec"


class Line(Struct, frozen=True):
    """A setting as it is shown: nothing secret in it."""

    name: str
    value: str | None
    default: str | None
    meaning: str


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Raises `BadSetting` with the name at fault as its `field`."""
    values: dict[str, Any] = {}
    fields = {variable(field): field for field in TABLE}
    for name in sorted(name for name in environ if name.startswith(PREFIX)):
        if name not in fields:
            raise BadSetting(f"there is no setting {name} (there are {', '.join(fields)})", field=name)
        try:
            values[fields[name]] = TABLE[fields[name]].read(environ[name])
        except ValueError as error:
            raise BadSetting(f"{name}: {error}", field=name) from None
    return Settings(**values)


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


def masked(url: str) -> str:
    """The address with its passwords hidden."""
    parts = urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    pairs = [
        (key, HIDDEN if "password" in key.lower() else value)
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
    ]
    netloc = f"{name}{colon}{HIDDEN if colon else ''}{at}{place}"
    return parts._replace(netloc=netloc, query=urlencode(pairs, safe="*/")).geturl()


def _read_url(text: str) -> str:
    """What is wrong is said without the text: there may be a password in it."""
    try:
        good = _is_address(urlsplit(text))
    except ValueError:
        good = False
    if not good:
        forms = "redis://host:6379/0, rediss://user:password@host:6379/0 or unix:///path/to/socket"
        raise ValueError(f"it must be like {forms}, and what is special in a password must be percent-encoded")
    return text


def _is_address(parts: SplitResult) -> bool:
    """Nor may a bare `/`, `?` or `#` in a password have moved the rest of it to where it would be shown."""
    if parts.scheme not in SCHEMES or parts.fragment or "@" in parts.query:
        return False
    if parts.scheme == "unix":
        return len(parts.path) > 1 and "@" not in parts.path
    database = parts.path.strip("/")
    return bool(parts.hostname) and parts.port != 0 and (not database or database.isdecimal())


def _read_folder(text: str) -> Path:
    if not text:
        raise ValueError("it must be a folder")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(error) from error


def _read_durability(text: str) -> Durability:
    for choice in get_args(Durability):
        if text == choice:
            return choice
    raise ValueError(f"it must be {' or '.join(get_args(Durability))}, not {text!r}")


class Setting(NamedTuple):
    read: Callable[[str], object]
    """What it refuses, it refuses with a `ValueError`."""
    meaning: str
    show: Callable[[Any], str] = str


TABLE: Mapping[str, Setting] = {
    "redis_url": Setting(_read_url, "The Redis 7+ or Valkey to use; without it, the program starts its own.", masked),
    "data": Setting(_read_folder, "The folder in which its own server keeps its data."),
    "durability": Setting(
        _read_durability,
        "Its own server writes to disk everysec (if it is killed, the last 2 s may be lost) or always (slower;"
        " nothing is lost).",
    ),
}
"""By the field of `Settings`."""
