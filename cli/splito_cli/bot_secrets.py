"""Secrets that requests to bots are signed with, from the command line or a file."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter

from splito_arena.net.signing import PREFIX, read_secret
from splito_engine.errors import BadOption

SecretPairs: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help=f"The secret for requests to one of the URLs, as in `--secret http://localhost:8001={PREFIX}...`; "
        "several are possible.",
        show_default=False,
    ),
]
SecretFile: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help=f'A TOML file with secrets, which other users cannot see: `"http://localhost:8001" = "{PREFIX}..."`.'
    ),
]


def read_secrets(pairs: Sequence[str], file: Path | None, words: Sequence[str]) -> dict[str, str]:
    """Return the secrets by URL. Raise `BadOption` for a secret on the command line whose bot does not play."""
    found = {} if file is None else _read_file(file)
    for pair in pairs:
        url, sign, rest = pair.partition(f"={PREFIX}")
        if not sign or url not in words:
            raise BadOption(f"--secret wants one of the URLs that play, = and its secret: {PREFIX}...", field="secret")
        found[url] = PREFIX + rest
    for secret in found.values():
        read_secret(secret)
    return found


def _read_file(path: Path) -> dict[str, str]:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), dict[str, str])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadOption(f"{path} has no secrets by URL: {type(error).__name__}", field="secrets") from None
