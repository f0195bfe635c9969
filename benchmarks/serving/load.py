"""Load: connections that each hold a conversation, as fast as they are answered or at a steady pace.

A conversation is a generator that yields a request and is sent the answer:

    def look_twice(request: bytes) -> Talk:
        first = yield request
        second = yield request

It may pause between two runs, and then continues.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from math import inf
from time import perf_counter, process_time
from typing import NamedTuple, TypeAlias, cast

from msgspec import Struct, field

HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
BODILESS = (204, 304)


class Answer(NamedTuple):
    status: int
    head: bytes
    body: bytes


Talk: TypeAlias = Generator[bytes, Answer, None]


def once(requests: Iterable[bytes]) -> Talk:
    """Send these requests one after the other, whatever the answers are."""
    for request in requests:  # noqa: UP028 (`yield from` would send the answers to the iterable)
        yield request


def repeat(requests: Sequence[bytes]) -> Talk:
    """Send these requests in turn, for ever."""
    return once(cycle(requests))


class Talker:
    """A conversation, and the answer that it gets next."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self.heard: Answer | None = None

    def say(self) -> bytes | None:
        """Return the next request; None if there is none."""
        try:
            return next(self._talk) if self.heard is None else self._talk.send(self.heard)
        except StopIteration:
            return None


class Run(Struct):
    """The result of a run."""

    seconds: float = 0.0
    busy: float = 0.0
    """Seconds of CPU time that the load itself used."""
    latencies: list[float] = field(default_factory=list[float])
    """Seconds from the writing of each request to the last byte of its answer."""
    statuses: Counter[int] = field(default_factory=Counter[int])
    finished: int = 0
    """Number of conversations that have ended."""

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds


class Load:
    """A set of connections, created by `connected`."""

    def __init__(self, lines: list["Line"]) -> None:
        self._lines = lines

    async def run(self, talkers: Iterable[Talker], seconds: float = inf, rate: float = inf) -> Run:
        """Run each conversation on its own connection until the time is over or all have ended, at this total rate."""
        run, begin, used = Run(), perf_counter(), process_time()
        pairs = list(zip(self._lines, talkers, strict=False))
        pause = len(pairs) / rate
        ends = [
            line.start(talker, run, begin + seconds, begin + pause * place / len(pairs), pause)
            for place, (line, talker) in enumerate(pairs)
        ]
        await asyncio.gather(*ends)
        run.seconds, run.busy = perf_counter() - begin, process_time() - used
        return run

    async def ask(self, request: bytes) -> Answer:
        """Send one request outside of all conversations."""
        talker = Talker(once([request]))
        await self._lines[0].start(talker, Run(), inf, 0, 0)
        if talker.heard is None:
            raise ConnectionError("no answer")
        return talker.heard

    @property
    def size(self) -> int:
        return len(self._lines)


@asynccontextmanager
async def connected(host: str, port: int, connections: int) -> AsyncGenerator[Load]:
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(Line, host, port) for _ in range(connections)]
    try:
        yield Load([line for _, line in made])
    finally:
        for transport, _ in made:
            transport.close()
        await asyncio.gather(*(line.gone.wait() for _, line in made))


class Line(asyncio.Protocol):
    """One connection. It has one request under way at a time."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self._answers = Answers()
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transport is no subclass, but has all methods

    def start(self, talker: Talker, run: Run, until: float, due: float, pause: float) -> asyncio.Future[None]:
        """Finish when the time is over and the last request answered, or when no conversation goes on."""
        self._talker, self._run, self._until, self._due, self._pause = talker, run, until, due, pause
        self._end = self._loop.create_future()
        self._go_on()
        return self._end

    def _go_on(self) -> None:
        """Pass the answer to the conversation at once; its next request may have to wait."""
        now = perf_counter()
        if now >= self._until:
            self._finish()
        elif (request := self._talker.say()) is None:
            self._run.finished += 1
            self._finish()
        elif now < self._due:
            self._loop.call_later(self._due - now, self._write, request)
        else:
            self._write(request)

    def _write(self, request: bytes) -> None:
        self._due += self._pause
        self._sent = perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        for answer in self._answers.feed(data):
            self._run.latencies.append(perf_counter() - self._sent)
            self._run.statuses[answer.status] += 1
            self._talker.heard = answer
            self._go_on()

    def _finish(self) -> None:
        if self._end is not None and not self._end.done():
            self._end.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        if self._end is not None and not self._end.done():
            self._end.set_exception(exc or ConnectionResetError("the server has closed the connection"))


class Answers:
    """Parser that splits the bytes of a server into answers, wherever the network has split them."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Answer]:
        """Return the answers that are complete now. Raise `ValueError` for one without a length."""
        data = self._rest + data if self._rest else data
        found: list[Answer] = []
        begin = 0
        while (end := data.find(HEAD_END, begin)) >= 0:
            status, end = int(data[begin + 9 : begin + 12]), end + len(HEAD_END)
            stop = end + _length(data, begin, end, status)
            if stop > len(data):
                break
            found.append(Answer(status, data[begin:end], data[end:stop]))
            begin = stop
        self._rest = data[begin:]
        return found


def _length(data: bytes, begin: int, end: int, status: int) -> int:
    if status in BODILESS:
        return 0
    if told := LENGTH.search(data, begin, end):
        return int(told[1])
    raise ValueError(f"an answer without a length: {data[begin:end]!r}")
