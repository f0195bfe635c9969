"""A service where bots ask for their asks, as small as one can be: it hands out, takes answers, and fails by script."""

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any, ClassVar, NamedTuple
from urllib.parse import parse_qs, urlsplit

import msgspec

LIMIT = 30.0


class Reply(NamedTuple):
    """Instead of what would be answered; the status 0 is to hang up."""

    status: int
    body: Mapping[str, Any] | None = None
    retry_after: str | None = None


class Poll(NamedTuple):
    bot: str
    wait: int
    limit: int
    authorization: str | None


class Handed(NamedTuple):
    """An answer as it came."""

    path: str
    body: bytes


class Desk:
    def __init__(self) -> None:
        self.url = ""
        self.polls: list[Poll] = []
        self.answers: Queue[Handed] = Queue()
        self.replies: dict[str, list[Reply]] = {"GET": [], "PUT": []}
        """Answers to the next requests, by method."""
        self.repeated = False
        """Whether what was handed out is handed out again and again, until it is answered."""
        self.held = 0
        """The number of a poll, from 1, whose answer is on its way until another poll comes."""
        self._asks: list[bytes] = []
        self._changed = threading.Condition()
        self._closed = False

    def put(self, *asks: bytes) -> None:
        with self._changed:
            self._asks += asks
            self._changed.notify_all()

    def next_answer(self) -> Handed:
        return self.answers.get(timeout=LIMIT)

    def poll(self, poll: Poll) -> bytes:
        with self._changed:
            self.polls.append(poll)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._asks or self._closed, poll.wait)
            found, rest = self._asks[: poll.limit], self._asks[poll.limit :]
            self._asks = self._asks if self.repeated else rest
            if len(self.polls) == self.held:
                assert self._changed.wait_for(lambda: len(self.polls) > self.held or self._closed, LIMIT)
        return b'{"asks":[%b]}' % b",".join(found)

    def take(self, handed: Handed) -> None:
        with self._changed:
            self._asks = [] if self.repeated else self._asks
        self.answers.put(handed)

    def wait_for_polls(self, number: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.polls) >= number, LIMIT)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Handler(BaseHTTPRequestHandler):
    desk: ClassVar[Desk]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        poll = Poll(query["bot"], int(query["wait"]), int(query["limit"]), self.headers["authorization"])
        if not self.scripted():
            self.send(200, self.desk.poll(poll))

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if not self.scripted():
            self.desk.take(Handed(self.path, body))
            self.send(200, b"{}")

    def scripted(self) -> bool:
        if not self.desk.replies[self.command]:
            return False
        reply = self.desk.replies[self.command].pop(0)
        if reply.status == 0:
            self.close_connection = True
        else:
            self.send(reply.status, msgspec.json.encode(reply.body), reply.retry_after)
        return True

    def send(self, status: int, body: bytes, retry_after: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        with suppress(ConnectionError):  # who was told to stop does not wait for what there is to decide
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name it has)
        pass


@contextmanager
def open_desk() -> Generator[Desk]:
    desk = Desk()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"desk": desk}))
    desk.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield desk
    finally:
        desk.close()
        server.shutdown()
        thread.join()
        server.server_close()
