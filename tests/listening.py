"""A server for tests that leaves nothing behind: no task, and no connection that is only about to be closed.

What `asyncio` itself waits for when a server ends is not the same in all versions of Python.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

LIMIT = 20.0
"""Seconds in which all clients must have disconnected at the end."""

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@asynccontextmanager
async def listening(serve: Serve, *, cut: bool = True, **where: Any) -> AsyncGenerator[asyncio.Server]:
    """`where` is for `asyncio.start_server`. In the end those who are still there are `cut` off, or else waited for."""
    served: list[asyncio.Task[None]] = []
    over = asyncio.Event()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if over.is_set():
            writer.transport.abort()
        else:
            served.append(asyncio.create_task(_serve(serve, reader, writer)))

    server = await asyncio.start_server(accept, **where)
    try:
        yield server
    finally:
        server.close()
        over.set()
        async with asyncio.timeout(LIMIT):
            await _end(served, cut)


async def _serve(serve: Serve, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A client may go at any time."""
    with suppress(OSError, asyncio.IncompleteReadError):
        try:
            await serve(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()  # what is not sent yet may never be
            raise
        finally:
            writer.close()
            await writer.wait_closed()


async def _end(served: Sequence[asyncio.Task[None]], cut: bool) -> None:
    """Raises what a server failed with."""
    await asyncio.sleep(0)  # a task that is cancelled before its first step closes nothing
    for task in served:
        if cut:
            task.cancel()
    if served:
        await asyncio.wait(served)
    for task in served:
        if not task.cancelled():
            task.result()
