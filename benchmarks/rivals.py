"""What the arena is compared with: wrk, which does nothing but send and count, and a bare loop of aiohttp."""

import asyncio
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import aiohttp

from benchmarks.server import HOST

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
    """Answers a second."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "body").write_bytes(body)
        script = Path(folder) / "post.lua"
        script.write_text(SCRIPT.format(body=Path(folder) / "body"), "ascii")
        words = ["-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "-s", str(script)]
        command = [shutil.which("wrk") or "wrk", *words, f"http://{HOST}:{port}/ask"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 (our own words)
    found = RATE.search(said)
    if found is None or FAILED.search(said):
        raise RuntimeError(f"wrk could not do it: {said}")
    return float(found[1])


async def aiohttp_loop(port: int, body: bytes, connections: int, seconds: float) -> float:
    """Answers a second, each of them read."""
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
