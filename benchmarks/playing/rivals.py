"""Programs that the arena is compared with: wrk, which only sends and counts, a bare loop of aiohttp, and the least
work that a Python program can do.
"""

import asyncio
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, time

import aiohttp
from httptools import HttpResponseParser

from benchmarks.serving.server import HOST
from splito_arena.bots.push_client import new_message_id
from splito_arena.net.http_request import Target, write_request
from splito_arena.net.signing import Key, new_secret, signed_lines

SCRIPT = """
wrk.method = "POST"
wrk.path = "/ask"
wrk.headers["Content-Type"] = "application/json"
local file = io.open("{body}", "rb")
wrk.body = file:read("*a")
"""
RATE = re.compile(r"Requests/sec:\s+([\d.]+)")
FAILED = re.compile(r"Non-2xx|Socket errors")


def has_wrk() -> bool:
    return shutil.which("wrk") is not None


def wrk(port: int, body: bytes, connections: int, seconds: float) -> float:
    """Return the answers per second of wrk."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "body").write_bytes(body)
        script = Path(folder) / "post.lua"
        script.write_text(SCRIPT.format(body=Path(folder) / "body"), "ascii")
        words = ["-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "-s", str(script)]
        command = [shutil.which("wrk") or "wrk", *words, f"http://{HOST}:{port}/ask"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = RATE.search(said)
    if found is None or FAILED.search(said):
        raise RuntimeError(f"wrk could not do it: {said}")
    return float(found[1])


async def aiohttp_loop(port: int, body: bytes, connections: int, seconds: float) -> float:
    """Return the answers per second of aiohttp, each of them read."""
    count, end = 0, perf_counter() + seconds
    url, headers = f"http://{HOST}:{port}/ask", {"Content-Type": "application/json"}

    async def one(session: aiohttp.ClientSession) -> None:
        nonlocal count
        while perf_counter() < end:
            async with session.post(url, data=body, headers=headers) as response:
                await response.json()
            count += 1

    begun = perf_counter()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:
        await asyncio.gather(*(one(session) for _ in range(connections)))
    return count / (perf_counter() - begun)


class Least(asyncio.Protocol):
    """Client that signs and sends the same ask over and over, and parses the answers, but does nothing else."""

    def __init__(self, target: Target, body: bytes, key: Key) -> None:
        self.count = 0
        self._target, self._body, self._key = target, body, key
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # pyright: ignore[reportAttributeAccessIssue] (uvloop's is one in all but name)
        self._send()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, _: bytes) -> None:
        """Ignore the answer."""

    def on_message_complete(self) -> None:
        self.count += 1
        self._send()

    def _send(self) -> None:
        if self._transport is not None:
            lines = signed_lines(self._key, new_message_id(), int(time()), self._body)
            self._transport.write(write_request("POST", self._target, lines, self._body))


async def least_loop(port: int, body: bytes, connections: int, seconds: float) -> float:
    """Return the answers per second."""
    loop = asyncio.get_running_loop()
    target, key = Target("bot", HOST, port, tls=False, path="/ask"), Key(new_secret())
    opened = [await loop.create_connection(lambda: Least(target, body, key), HOST, port) for _ in range(connections)]
    begun, before = perf_counter(), sum(one.count for _, one in opened)
    await asyncio.sleep(seconds)
    rate = (sum(one.count for _, one in opened) - before) / (perf_counter() - begun)
    for transport, _ in opened:
        transport.abort()
    return rate
