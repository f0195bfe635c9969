"""`splito tournament` with a service that is none of ours, or means harm."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.arena.net.servers import Serve, read_request
from tests.cli.conftest import Splito
from tests.cli.serving import served
from tests.cli.tournament.test_page import LINE, PROGRESS

HOSTILE = "\x1b[2J[red]x\x07\u202e"
OVER = b"id: 1-1-finished\nevent: over\ndata: OVER\n\n"


def false_service(name: str, events: bytes = OVER, standings: Any = None) -> Serve:
    """Return a false service with one tournament and one bot, both of that name."""
    progress = {**msgspec.to_builtins(PROGRESS), "state": "finished", "reason": name}
    lines = [{**msgspec.to_builtins(LINE), "name": name, "bot": name}]
    tables = {"tournament": "0" * 24, "blocks": 1, "lines": lines} if standings is None else standings
    over = json.dumps({"progress": progress, "leaders": lines}).encode()
    held = {"id": name, "name": name, "progress": progress, "entrants": [{"bot": name, "name": name, "gone": name}]}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _ = await read_request(reader)
        path = head[0].split()[1]
        kind, body = b"application/json", json.dumps(tables if path.endswith(b"/standings") else held).encode()
        if path.endswith(b"/events"):
            kind, body = b"text/event-stream", events.replace(b"OVER", over)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (kind, len(body)) + body)
        await writer.drain()

    return serve


def test_names_from_the_service_do_not_control_the_terminal(splito: Splito, tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    cup.touch()
    with served(false_service(HOSTILE)) as url:
        where = ("--url", url, "--key", "k")
        runs = [
            splito("tournament", "run", str(cup), *where),
            splito("tournament", "watch", "x", *where),
            splito("tournament", "state", "x", "paused", *where),
        ]
    for run in runs:
        assert run.code == 0
        assert "[red]x" in run.out, "and nothing in it is markup"
        assert all(letter.isprintable() for letter in (run.out + run.err).replace("\n", ""))


@pytest.mark.parametrize(
    ("events", "standings"),
    [
        (b"event: over\ndata: {}\n\n", None),
        (b"event: progress\ndata: \xff\n\n", None),
        (OVER, []),
        (OVER, {"tournament": "x", "blocks": -1}),
    ],
)
def test_a_malformed_answer_of_the_service_is_reported_with_the_command_that_watches_again(
    events: bytes, standings: Any, splito: Splito
) -> None:
    with served(false_service("x", events, standings)) as url:
        run = splito("tournament", "watch", "x", "--url", url)
    back, said = run.err.splitlines()
    assert (run.code, run.out) == (2, "")
    assert back.endswith(f"To watch it again: splito tournament watch x --url {url}")
    assert said.startswith(f"splito: unreachable: {url} does not answer as the service does: ")


def test_events_of_unknown_kinds_are_ignored(splito: Splito) -> None:
    with served(false_service("x", b"event: news\ndata: ?\n\n" + OVER)) as url:
        assert splito("tournament", "watch", "x", "--url", url).code == 0
