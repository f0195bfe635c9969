"""`make demo`: a ranked tournament, held as an organiser would hold it.

Everything is real: the service with its own Redis, a worker, four house bots that each run as an HTTP server, owner
keys, proofs, checks, and a tournament through the API. The program stops all of it at the end; the report stays.
`python examples/demo.py 2` plays two blocks at each table: it is quicker, but the intervals are wider.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import create_server
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

SPLITO = str(Path(sys.executable).with_name("splito"))
REPORT = Path("demo-report.html")
BOTS = (("Ada", "planner"), ("Grace", "greedy"), ("Hedy", "greedy"), ("Joan", "random"))
"""Names and house bots. Two are the same bot, so the intervals of these two should overlap."""
CUP = """
name = "Demo cup"
game = "splito"
players = 3
ranked = true
bots = {bots}

[clock]  # ten times the default, because everything shares one machine
turn_ms = 10000
bank_ms = 50000

[format]
kind = "round-robin"
blocks = {blocks}
"""
BLOCKS = 12
"""Number of blocks per table."""
PATIENCE = 120.0
"""Longest wait for one answer or for the end of a process, in seconds."""
CHECKING = 600.0  # seconds for all checks; checks that a busy machine spoils are repeated within this time
TRIES = 3  # of a check that was lost

Ask = Callable[..., Any]


class Bot(NamedTuple):
    id: str
    name: str
    ask: Ask
    """Function that sends requests to the service with the key of the bot's owner."""


def main(blocks: int = BLOCKS) -> None:
    begun = time.monotonic()
    signal.signal(signal.SIGTERM, _end)
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        environ = {**os.environ, "SPLITO_DATA": str(folder / "redis"), "SPLITO_DEV": "1"}
        say("Starting a service with its own Redis, in development mode, and a worker")
        url = stack.enter_context(started(["serve", "--port", "0", "--json"], environ))["url"]
        stack.enter_context(started(["worker", "--json"], environ))
        say(f"The service is ready: {url}/docs")
        key = new_owner(url, "the organiser")
        say("Registering four house bots, each with its own owner and HTTP server, and proving their addresses")
        bots = [register(url, stack, label, bot, environ) for label, bot in BOTS]
        say("Checking the bots, because ranked play needs a pass")
        check(bots)
        cup = folder / "cup.toml"
        cup.write_text(CUP.format(bots=json.dumps([bot.id for bot in bots]), blocks=blocks), "utf-8")
        words = ["tournament", "run", str(cup), "--url", url, "--key", key, "--report", str(REPORT)]
        say(f"splito tournament run cup.toml --url {url} --key ... --report {REPORT}")
        subprocess.run([SPLITO, *words], check=True)
    say(f"Everything is stopped, after {time.monotonic() - begun:.0f} s. The report: {REPORT.absolute()}")
    print("\nNext: `make serve` starts a service that keeps running; docs/tournaments.md explains tournaments.")


def _end(_number: int, _frame: object) -> None:
    """Exit on SIGTERM, so that the `with` blocks stop all started processes."""
    sys.exit(143)


def say(what: str) -> None:
    print(f"\n▶ {what}", flush=True)


@contextmanager
def started(words: Sequence[str], environ: dict[str, str]) -> Generator[dict[str, Any]]:
    """Run a command in the background; yield the line of JSON that it prints when it is ready."""
    process = subprocess.Popen([SPLITO, *words], env=environ, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            raise SystemExit(f"splito {' '.join(words)} ended with code {process.wait()}")
        yield json.loads(line)
    finally:
        process.terminate()
        process.wait(PATIENCE)
        if process.stdout:
            process.stdout.close()


def asking(url: str, key: str | None = None) -> Ask:
    """Return a function that sends a request to the service and returns the answer."""
    place = urlsplit(url)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def ask(method: str, path: str, body: object = None) -> Any:
        connection = HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            found = json.loads(answer.read() or b"null")
        finally:
            connection.close()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {found}")
        return found

    return ask


def new_owner(url: str, name: str) -> str:
    """Return the key of a new owner."""
    return asking(url)("POST", "/v1/owners", {"name": name})["key"]


def register(url: str, stack: ExitStack, name: str, bot: str, environ: dict[str, str]) -> Bot:
    """Register a bot, start it with the secret of its registration, and prove its address."""
    port, ask = free_port(), asking(url, new_owner(url, f"{name}'s owner"))
    made = ask("POST", "/v1/bots", {"name": name, "kind": "push", "url": f"http://127.0.0.1:{port}"})
    words = ["bot", "serve", bot, "--port", str(port), "--name", name, "--batch", "16", "--json"]
    stack.enter_context(started(words, {**environ, "SPLITO_BOT_SECRET": made["secret"]}))
    bot_id = made["bot"]["id"]
    ask("POST", f"/v1/bots/{bot_id}/proof")
    print(f"  ✓ {name} plays as {bot}, at port {port}", flush=True)
    return Bot(bot_id, name, ask)


def check(bots: Sequence[Bot]) -> None:
    """Check all bots at once, then check each bot that has not passed again alone, because the machine may be busy.

    A check that was lost says nothing about its bot, so it is repeated.
    """
    for bot in failed(bots):
        again, tries = failed([bot]), 1
        while again and again[bot]["state"] == "lost" and tries < TRIES:
            again, tries = failed([bot]), tries + 1
        if again:
            raise SystemExit(verdict(bot, again[bot]))


def failed(bots: Sequence[Bot]) -> dict[Bot, dict[str, Any]]:
    """Check the bots; return the failed and lost checks by bot."""
    found: dict[Bot, dict[str, Any]] = {}
    begun = {bot: bot.ask("POST", f"/v1/bots/{bot.id}/checks", {})["id"] for bot in bots}
    until = time.monotonic() + CHECKING
    while begun:
        for bot, check_id in tuple(begun.items()):
            told = bot.ask("GET", f"/v1/bots/{bot.id}/checks/{check_id}")
            if told["state"] != "running":
                print(f"  {verdict(bot, told)}", flush=True)
                if not told["passed"]:
                    found[bot] = told
                del begun[bot]
        if begun and time.monotonic() > until:
            raise SystemExit(f"not checked within {CHECKING:g} s: {', '.join(bot.name for bot in begun)}")
        time.sleep(0.2)
    return found


def verdict(bot: Bot, told: dict[str, Any]) -> str:
    if told["passed"]:
        return f"✓ {bot.name} has passed, in {told['total']} steps"
    if told["report"] is None:
        return f"✗ {bot.name} could not be checked: {told['reason']}"
    rows: list[dict[str, Any]] = [row for row in told["report"]["rows"] if row["outcome"] == "failed"]
    lines = [f"{row['check']} ({row['title']}): {what(row)}" for row in rows]
    return "\n      ".join([f"✗ {bot.name} has not passed", *lines])


def what(row: dict[str, Any]) -> str:
    """Return the findings of a check, and how to correct them."""
    found = [" ".join(filter(None, [one["where"] and f"{one['where']}:", one["what"]])) for one in row["findings"]]
    advice = dict.fromkeys(one["advice"] for one in row["findings"])
    return "; ".join([*found, *advice]) or row["found"]


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
