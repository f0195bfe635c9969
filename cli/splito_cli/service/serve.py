"""`splito serve`: the HTTP service on this machine, for one person's evening or behind a proxy."""

import os
import sys
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_cli.arguments import Host, Json, Port
from splito_cli.terminal.screen import headline, screen
from splito_service.settings import Settings, read_settings, variable

EXAMPLES = (
    "splito serve",
    "splito serve --port 0 --json",
    "splito serve --dev --play 1",
    "SPLITO_HOUSE_LADDER=1 splito serve --play 1",
    "SPLITO_REDIS_URL=redis://localhost:6379 splito serve --host 0.0.0.0 --workers 4",
)
Workers: TypeAlias = Annotated[
    int, Parameter(help="The number of processes that answer requests. A process that dies is replaced.")
]
Play: TypeAlias = Annotated[
    int, Parameter(help="The number of processes that play tournaments, as `splito worker` does.")
]


class Ready(msgspec.Struct, frozen=True):
    """The JSON that `--json` prints."""

    url: str
    redis: str


def serve(  # noqa: PLR0913 (options of the command)
    *,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = 1,
    play: Play = 0,
    dev: bool = False,
    json: Json = False,
) -> None:
    """Serve matches over HTTP until Ctrl-C or SIGTERM.

    Without `SPLITO_REDIS_URL` it starts a Redis of its own, with its data in the folder `SPLITO_DATA`; services that
    use the same folder share it and see the same matches. `splito settings` lists all settings. Warnings go to stderr.
    The JSON is one line, printed when the service is ready.

    Parameters
    ----------
    dev
        Development mode: every owner may hold ranked tournaments, bots may live on this machine and in private
        networks, and health checks come every 5 seconds. The same as `SPLITO_DEV=1`, which workers of their own need
        too.
    """
    from splito_service.http.serve import open_service  # noqa: PLC0415 (other commands do without POSIX)
    from splito_service.processes.group import log_to_stderr  # noqa: PLC0415 (as below)

    if dev:
        os.environ[variable("dev")] = "1"  # for the processes of the service too
    settings = read_settings(os.environ)
    log_to_stderr()
    with open_service(settings, host, port, workers, play) as service:
        if not json:
            screen().print(_page(service.url, _redis(settings, service.redis_url)))
        if service.await_ready():
            _tell_ready(Ready(service.url, service.redis_url), json)
        service.run()
    if not json:
        screen().print("Stopped.")


def _tell_ready(ready: Ready, json: bool) -> None:
    if json:
        sys.stdout.write(msgspec.json.encode(ready).decode() + "\n")
        sys.stdout.flush()
    else:
        screen().print(Text("Ready.", "bold green"))


def _redis(settings: Settings, url: str) -> str:
    own = f"its own, data in {settings.data}, durability {settings.durability}"
    return own if settings.redis_url is None else url


def _page(url: str, redis: str) -> RenderableType:
    facts = Table.grid(padding=(0, 2, 0, 0))
    for name, value in (("docs", f"{url}/docs"), ("Redis", redis), ("stop", "Ctrl-C")):
        facts.add_row(Text(name, "dim"), Text(value, overflow="fold"))
    return Group(headline("Splito Arena", url), Padding(facts, (0, 0, 0, 2), expand=False))
