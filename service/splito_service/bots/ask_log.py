"""Log of asks: the questions to registered bots and their answers, for the owners, bounded in number and in time.

Each ask has one row, and below the row the request and the response of every try. Headers are not stored, because they
contain the signatures.
"""

import asyncio
import zlib
from collections.abc import Callable
from functools import partial
from time import time

import msgspec

from splito_arena.faults import cut, visible
from splito_arena.match.seat import Exchange
from splito_service.bots.ask_model import Logged, Row, Try
from splito_service.ids import first_id, new_id
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

MOST_ASKS = 2000
"""Number of asks that the log of a bot keeps."""
MOST_TRIES = 8
"""Number of tries that the log keeps of an ask: the last ones."""
WEEK = 7 * 24 * 3600
LONGEST = 65_536
"""Length in bytes at which a logged response is cut."""
LONGEST_REFUSAL = 4096
"""The same for a response with another status than 200."""
ANSWERED = 200


class Log:
    """The logs of asks in Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._note, self._page = link.script(source("bots/ask_log")), link.script(source("bots/ask_logged"))
        self._notes: set[asyncio.Task[None]] = set()

    def writer(self, bot: str, game: str) -> Callable[[Exchange], None]:
        """Return a function that logs the exchanges of a bot in the background, for a caller that cannot wait."""
        return partial(self._write_soon, bot, game)

    async def write(self, bot: str, game: str, exchange: Exchange) -> None:
        row = Row(
            match=exchange.match,
            game=game,
            turn=exchange.turn,
            seat=exchange.seat,
            elapsed_ms=exchange.elapsed_ms,
            fault=exchange.fault,
            status=exchange.status,
        )
        tried = Try(
            request=_text(exchange.request),
            response=_response(exchange),
            debug=exchange.debug,
            elapsed_ms=exchange.elapsed_ms,
            fault=exchange.fault,
            status=exchange.status,
        )
        packed = zlib.compress(msgspec.json.encode(tried))
        kept = [first_id(time() - WEEK), MOST_ASKS, MOST_TRIES, WEEK]
        arguments = [exchange.id, new_id(), msgspec.json.encode(row), packed, *kept]
        await self._note([_log(bot), _noted(bot, exchange.id)], arguments)

    async def page(self, bot: str, cursor: str | None, limit: int) -> list[Logged]:
        """Return rows of the log, newest first, from before the row with the id `cursor`."""
        found = await self._page([_log(bot)], [cursor or "", limit, len(first_id(0))])
        return [Logged(row_id.decode(), ask.decode(), _row(row)) for row_id, ask, row in found if row]

    async def get(self, bot: str, ask_id: str) -> Logged | None:
        flat = await self._link.call("HGETALL", _noted(bot, ask_id))
        if not flat:
            return None
        fields = dict(zip(flat[::2], flat[1::2], strict=True))
        numbers = sorted(int(name) for name in fields if name.isdigit())
        tries = tuple(_try(zlib.decompress(fields[b"%d" % number])) for number in numbers)
        return Logged(fields[b"id"].decode(), ask_id, _row(fields[b"row"]), tries)

    async def aclose(self) -> None:
        """Wait until all pending rows are written."""
        await asyncio.gather(*self._notes, return_exceptions=True)

    def _write_soon(self, bot: str, game: str, exchange: Exchange) -> None:
        note = asyncio.create_task(self.write(bot, game, exchange))
        self._notes.add(note)
        note.add_done_callback(self._written)

    def _written(self, note: asyncio.Task[None]) -> None:
        """Write the row; drop it if Redis is unavailable, because a match does not wait for its log."""
        self._notes.discard(note)
        if not note.cancelled():
            note.exception()


def _text(raw: bytes) -> str:
    return cut(raw.decode("utf-8", "replace"), LONGEST)


def _response(exchange: Exchange) -> str:
    """Return the response; one that is no answer without control characters, because people alone read it."""
    said = _text(exchange.response)
    return said if exchange.status in (None, ANSWERED) else cut(visible(said), LONGEST_REFUSAL)


def _log(bot: str) -> str:
    return f"log:{bot}"


def _noted(bot: str, ask_id: str) -> str:
    return f"log:{bot}:{ask_id}"


_row = msgspec.json.Decoder(Row).decode
_try = msgspec.json.Decoder(Try).decode
