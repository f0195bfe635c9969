"""One connection to Redis, shared by all tasks of a process.

Commands are written in the order of the calls; all commands of one tick of the event loop are written together. Redis
answers in the same order, so an answer belongs to the oldest call without an answer. redis-py opens the connection
(address, TLS, password, database, Sentinels) and then hands over its socket, because its own calls cost several times
as much.

No command is ever repeated, because it is unknown whether Redis has executed the commands of a lost connection. Their
callers get `Unavailable`, and the next call opens a new connection.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import hiredis
from redis.asyncio.connection import DefaultParser
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import MasterDownError, NoScriptError, ReadOnlyError, RedisError

from splito_service.errors import Unavailable
from splito_service.storage.connect import connect, has_sentinels
from splito_service.storage.trouble import refusal, trouble_of

Word: TypeAlias = bytes | str | int | float

CONNECT_LIMIT = 2.0
"""Time limit in seconds to connect, log in and select the database."""
ANSWER_LIMIT = 5.0
"""Time limit of an answer in seconds. A late answer closes the connection, with all calls that wait on it."""
SCANNED = 1000
"""Number of fields that are read in one step of a scan."""
PAUSE = 0.1
"""Seconds after a failed try to connect in which no further try is made."""

DEMOTED = (ReadOnlyError, MasterDownError)
"""Answers of a server that is no longer the master."""

_hiredis: Any = hiredis  # Any, because its type annotations are missing or wrong
_parser: Any = DefaultParser


class Link:
    """The connection of a process to Redis, for one event loop. It connects with the first call, and again after a
    loss.

    It is not for commands that block (BLPOP), because all other calls would wait; nor for commands that change the
    state of the connection (SELECT, MULTI, SUBSCRIBE).
    """

    def __init__(self, url: str, *, connect_limit: float = CONNECT_LIMIT, answer_limit: float = ANSWER_LIMIT) -> None:
        """Make a link. Raise the error of redis-py, mostly `ValueError`, if the address is invalid."""
        self._client = connect(url)  # kept, because the connection finds the master through its pool
        self._connection: Any = self._client.connection_pool.make_connection()
        self._connection.protocol = 2  # because in RESP3 an answer may be a map or a push message
        self._has_sentinels = has_sentinels(url)
        self._connect_limit = connect_limit
        self._answer_limit = answer_limit
        self._wire: Connection | None = None
        self._opening: asyncio.Task[Connection] | None = None
        self._not_before = 0.0
        self._closed = False

    async def call(self, *words: Word) -> Any:
        """Return the answer to one command. Raise the errors of redis-py; an error inside a list is an item of it."""
        wire = self.wire or await self.open_wire()
        return await wire.send(words)

    async def fields(self, key: str) -> dict[bytes, bytes]:
        """Return all fields of a hash."""
        flat: list[bytes] = await self.call("HGETALL", key)
        return dict(zip(flat[::2], flat[1::2], strict=True))

    async def scanned_fields(self, key: str) -> dict[bytes, bytes]:
        """Return all fields of a large hash, read in small steps; fields that change meanwhile may be missing."""
        found, cursor = dict[bytes, bytes](), b"0"
        while True:
            cursor, flat = await self.call("HSCAN", key, cursor, "COUNT", SCANNED)
            found |= zip(flat[::2], flat[1::2], strict=True)
            if cursor == b"0":
                return found

    @property
    def wire(self) -> "Connection | None":
        """Return the open connection; None if there is none."""
        return self._wire if self._wire is not None and self._wire.lost is None else None

    def script(self, source: str) -> "Script":
        return Script(self, source)

    async def aclose(self) -> None:
        """Close the link for good. Calls that wait for an answer raise `Unavailable`."""
        self._closed = True
        if self._opening is not None:
            await asyncio.gather(
                self._opening, return_exceptions=True
            )  # because no other caller may be left that takes its error
        if self._wire is not None:
            self._wire.drop(ConnectionAbortedError("the client was closed"))
            await self._wire.gone.wait()
        await self._connection.disconnect(nowait=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def open_wire(self) -> "Connection":
        """Return an open connection.

        All callers wait for the same try, and a caller that is cancelled does not end it.
        """
        now = asyncio.get_running_loop().time()
        if self._closed:
            raise Unavailable("this process has closed its connection to Redis, because it stops")
        if self._opening is None or (self._opening.done() and now >= self._not_before):
            self._opening = asyncio.create_task(self._open())
        try:
            wire = await asyncio.shield(self._opening)
        except (RedisError, OSError) as error:
            raise Unavailable(trouble_of(error).summary) from error
        if wire.lost is not None:
            raise Unavailable("the connection to Redis was lost as soon as it was open: try again") from wire.lost
        return wire

    async def _open(self) -> "Connection":
        try:
            async with asyncio.timeout(self._connect_limit):
                await self._connection.disconnect(
                    nowait=True
                )  # because redis-py does not know that the last connection is lost
                await self._connection.connect()
                if self._has_sentinels:
                    await self._check_role()
                self._wire = Connection(self._connection, self._answer_limit)
        except BaseException:
            self._not_before = asyncio.get_running_loop().time() + PAUSE
            await self._connection.disconnect(nowait=True)
            raise
        return self._wire

    async def _check_role(self) -> None:
        """Raise if the server is not the master, because Sentinels may name a server that was replaced."""
        await self._connection.send_command("ROLE")
        if (await self._connection.read_response())[0] != b"master":
            raise RedisConnectionError("this server is not the master")


class Script:
    """A Lua script, loaded into Redis when it is needed. Made by `Link.script`."""

    def __init__(self, link: Link, source: str) -> None:
        self._link = link
        self._source = source
        self._digest = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, keys: Sequence[str | bytes] = (), args: Sequence[Word] = ()) -> Any:
        try:
            wire = self._link.wire or await self._link.open_wire()
            return await wire.send(("EVALSHA", self._digest, len(keys), *keys, *args))
        except NoScriptError:
            return await self._link.call("EVAL", self._source, len(keys), *keys, *args)


class Connection(asyncio.Protocol):
    """One connection, from the moment redis-py hands it over until it is lost.

    It ignores a request of the transport to pause, because its buffers are bounded: they contain one command per
    waiting caller, and no command older than the limit.
    """

    def __init__(self, connection: Any, limit: float) -> None:
        self.lost: Exception | None = None
        self.gone = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._limit = limit
        self._reader = hiredis.Reader(replyError=_parser.parse_error)
        self._waiting: deque[tuple[asyncio.Future[Any], float]] = deque()
        self._unsent: list[bytes] = []
        self._transport: asyncio.Transport = connection._writer.transport  # noqa: SLF001 (redis-py has no other way)
        if self._transport.is_closing():
            raise RedisConnectionError("the server closed the connection")
        self._transport.set_protocol(self)
        self._timer = self._loop.call_later(limit, self._check_age)

    def send(self, words: tuple[Word, ...]) -> asyncio.Future[Any]:
        packed: bytes = _hiredis.pack_command(
            words
        )  # comes first, because it raises `TypeError` for an invalid argument
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(packed)
        answer = self._loop.create_future()
        self._waiting.append((answer, self._loop.time()))
        return answer

    def _flush(self) -> None:
        if self.lost is None:
            self._transport.write(b"".join(self._unsent))
        self._unsent.clear()

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
            while (
                found := self._reader.gets()
            ) is not False:  # False means that no complete answer has arrived; RESP2 has no False
                answer, _ = self._waiting.popleft()
                if isinstance(found, RedisError):
                    self._refuse(answer, found)
                elif not answer.done():  # done if its caller was cancelled
                    answer.set_result(found)
        except (
            hiredis.ProtocolError,
            IndexError,
        ) as error:  # the peer is not Redis, or has sent an answer without a call
            self.drop(error)

    def _refuse(self, answer: asyncio.Future[Any], error: RedisError) -> None:
        if isinstance(error, DEMOTED):
            self._loop.call_soon(self.drop, error)  # later, so that the other answers of the same packet are delivered
        if answer.done():
            return
        trouble = refusal(error)
        answer.set_exception(error if trouble is None else _unavailable(trouble.summary, error))

    def _check_age(self) -> None:
        """Close the connection if the oldest call is overdue; one timer serves all calls."""
        now = self._loop.time()
        due = (self._waiting[0][1] if self._waiting else now) + self._limit
        if due <= now:
            self.drop(TimeoutError(f"no answer in {self._limit:g} s"))
        else:
            self._timer = self._loop.call_at(due, self._check_age)

    def drop(self, cause: Exception) -> None:
        self.lost = self.lost or cause
        self._timer.cancel()
        self._transport.abort()
        while self._waiting:
            answer, _ = self._waiting.popleft()
            if not answer.done():
                answer.set_exception(_unavailable("the connection to Redis was lost: try again", cause))

    def connection_lost(self, exc: Exception | None) -> None:
        self.drop(exc or ConnectionResetError("the server closed the connection"))
        self.gone.set()


def _unavailable(message: str, cause: Exception) -> Unavailable:
    error = Unavailable(message)
    error.__cause__ = cause
    return error
