"""Bots over HTTP beside the command under test: in a thread with an event loop of its own."""

import asyncio
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread

from tests.arena.net.servers import HOST, Serve, bot


@contextmanager
def served(serve: Serve) -> Generator[str]:
    """Return the URL of the server; its clients must have gone when the context is left."""
    url: Future[str] = Future()
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        async with bot(serve) as target:
            url.set_result(f"http://{HOST}:{target.port}")
            await over.wait()

    thread = Thread(target=loop.run_until_complete, args=[run()])
    thread.start()
    try:
        yield url.result(20)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(20)
        loop.close()
