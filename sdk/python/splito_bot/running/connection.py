"""One connection to the bot's server: requests are read and answered one after the other.

h11 parses HTTP. This module limits how large a request may be and how long it may take to arrive.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import TypeAlias

import h11

from splito_bot.running.request_log import RequestLog
from splito_bot.running.routes import Refusal, Request, Response

MAX_BODY = 16 * 1024 * 1024
"""Bytes of a request. A batch of 64 asks near the end of long matches has some five million."""
PATIENCE = 75.0
"""Seconds in which the whole next request must have arrived."""
LINGER = 1.0
"""Seconds for which the rest of a refused request is read, because the client might miss the answer otherwise."""
CHUNK = 65536

Respond: TypeAlias = Callable[[Request], Awaitable[Response]]


class Connection:
    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, respond: Respond, log: RequestLog
    ) -> None:
        self._reader, self._writer, self._respond, self._log = reader, writer, respond, log
        self._sender = str((writer.get_extra_info("peername") or ("an unknown address",))[0])
        self._request = "a request"
        """Method and path of the request that arrives, for the log."""
        self._http = h11.Connection(h11.SERVER)
        self._last = False
        self.idle = True
        """True if no request is being answered."""

    async def run(self) -> None:
        with suppress(ConnectionError, TimeoutError):
            try:
                await self._talk()
            finally:
                self._writer.close()
                await self._writer.wait_closed()

    def finish(self) -> None:
        """Close the connection after the request that is being answered."""
        self._last = True

    async def _talk(self) -> None:
        while (request := await self._next_request()) is not None:
            self.idle = False
            response = await self._respond(request)
            if response.refusal is not None:
                self._note(response.refusal)
            await self._send(response, with_body=request.method != "HEAD")
            self.idle = True
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _next_request(self) -> Request | None:
        """Return the next request; None if the client is gone, or its request was refused."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._receive()
        except h11.RemoteProtocolError as error:
            await self._refuse(Refusal(error.error_status_hint, "bad-request", f"this is not HTTP/1.1: {error}"))
        except Refusal as refusal:
            await self._refuse(refusal)
        except TimeoutError:
            if self._http.their_state is h11.SEND_BODY or self._http.trailing_data[0]:
                detail = f"the request did not arrive completely within {PATIENCE:g} s"
                self._log.refused(self._sender, self._request, 0, "too-slow", detail)
        return None

    def _note(self, refusal: Refusal) -> None:
        self._log.refused(self._sender, self._request, refusal.status, refusal.code, refusal.detail)

    async def _receive(self) -> Request | None:
        head, body, self._request = None, bytearray(), "a request"
        while True:
            event = await self._next_event()
            match event:
                case h11.Request():
                    head, self._request = event, f"{event.method.decode()} {event.target.decode()}"
                case h11.Data():
                    body += event.data
                    if len(body) > MAX_BODY:
                        raise Refusal(413, "too-large", f"no more than {MAX_BODY} bytes are read")
                case h11.EndOfMessage() if head is not None:
                    headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
                    return Request(head.method.decode(), head.target.decode(), headers, bytes(body))
                case _:
                    return None

    async def _next_event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
            self._http.receive_data(await self._reader.read(CHUNK))
        return event

    async def _send(self, response: Response, *, with_body: bool = True) -> None:
        headers = [("Content-Type", response.kind), ("Content-Length", str(len(response.body))), *response.headers]
        if self._last:
            headers.append(("Connection", "close"))
        reason = HTTPStatus(response.status).phrase
        parts = (
            self._http.send(h11.Response(status_code=response.status, headers=headers, reason=reason.encode())),
            self._http.send(h11.Data(data=response.body if with_body else b"")),
            self._http.send(h11.EndOfMessage()),
        )
        await self._write(b"".join(part for part in parts if part))

    async def _refuse(self, refusal: Refusal) -> None:
        self.finish()
        self._note(refusal)
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        await self._send(refusal.response)
        if self._writer.can_write_eof():
            self._writer.write_eof()
        async with asyncio.timeout(LINGER):
            while await self._reader.read(CHUNK):
                pass

    async def _write(self, sent: bytes | None) -> None:
        self._writer.write(sent or b"")
        await self._writer.drain()
