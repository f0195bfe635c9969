"""Parts of a page with plots: the template, the scripts, and the policy that forbids everything else."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from typing import Any

import msgspec

from splito_arena.reports.plots import Plot


def figure(plot: Plot) -> str:
    return (
        f'<section aria-labelledby="{plot.id}-title"><h2 id="{plot.id}-title">{plot.title}</h2>\n'
        f'<figure><figcaption>{plot.note}</figcaption><div class="plot" id="{plot.id}"></div></figure></section>'
    )


@cache
def content_policy() -> str:
    """Return the content security policy of the page: its own two scripts by their hashes, and nothing else.

    Styles may be inline, because plotly.js writes them into the page.
    """
    hashes = f"{_hashed(plotly_script())} {_hashed(asset('report.js'))}"
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {hashes}"


def as_text(drawn: Sequence[Plot]) -> str:
    """Return the plots as JSON in which no tag can end and no comment begin."""
    return msgspec.json.encode(drawn).decode().replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill the template in one pass, so that inserted text is never replaced again."""
    return re.sub(r"{{(\w+)}}", lambda found: parts[found[1]], template)


def _hashed(script: str) -> str:
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


@cache
def plotly_script() -> str:
    """Return plotly.js. Plotly has no types, and is imported only when a report is made."""
    offline: Any = import_module("plotly.offline")
    return str(offline.get_plotlyjs())


@cache
def asset(name: str) -> str:
    return (files("splito_arena.reports") / "pages" / name).read_text("utf-8")
