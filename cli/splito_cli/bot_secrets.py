"""Secrets that requests to bots are signed with: one form for all commands.

A secret is `whsec_...`; `URL=whsec_...` is for one of several bots; `@FILE` reads the same from a file, one per line.
Without `--secret` they come from an environment variable, separated by commas.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from splito_arena.errors import BadSecret
from splito_arena.net.signing import PREFIX, read_secret
from splito_engine.errors import BadOption

VARIABLE = "SPLITO_BOT_SECRET"
Secrets: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help=f"The secret of the bot: `{PREFIX}...`; `URL={PREFIX}...` if several bots have a URL; or `@FILE` for a "
        f"file with one such line each. Several are possible. Better: set {VARIABLE}, with commas between several, or "
        "name a file, because other users can see command lines.",
        show_default=False,
    ),
]


def read_secrets(given: Sequence[str], urls: Sequence[str]) -> dict[str, str]:
    """Return the secrets by URL. Raise `BadOption` for a secret on the command line whose bot is not called.

    A secret without a URL is for all bots that have none of their own.
    """
    named = dict[str, str]()
    for url, secret in _pairs(given):
        named.setdefault(url, secret)  # the first of several is the newest
    called = [word for word in urls if "://" in word]
    if given and not any(one.startswith("@") for one in given) and not {*named} - {""} <= {*called}:
        raise BadOption(f"--secret names a URL that no bot here has: write URL={PREFIX}...", field="secret")
    if given and not called:
        raise BadOption("a secret is for a bot at an address: nothing is sent to a function", field="secret")
    return {url: named.get(url, named.get("", "")) for url in called if url in named or "" in named}


def bare_secrets(given: Sequence[str]) -> list[str]:
    """Return the secrets of a bot that is served here, the newest first. Raise `BadOption` for one with a URL."""
    pairs = list(_pairs(given))
    if any(url for url, _ in pairs):
        raise BadOption(f"a bot that is served has no URL yet: write {PREFIX}... alone", field="secret")
    return [secret for _, secret in pairs]


def _pairs(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield URL and secret of each one given; the URL is empty for a secret without one."""
    for text in _texts(given or [os.environ.get(VARIABLE, "")]):
        url, _, rest = text.partition(PREFIX)
        if PREFIX not in text or (url and not url.endswith("=")):
            raise BadSecret(f"a secret is {PREFIX}... or URL={PREFIX}..., or @FILE for a file of them", field="secret")
        read_secret(PREFIX + rest)
        yield url.removesuffix("="), PREFIX + rest


def _texts(given: Sequence[str]) -> Iterator[str]:
    for one in given:
        lines = _lines(Path(one[1:])) if one.startswith("@") else one.split(",")
        yield from (text.strip() for text in lines if text.strip() and not text.startswith("#"))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"{path} cannot be read for secrets: {type(error).__name__}", field="secret") from None
