"""A push bot on Python's standard library alone, as its author would write it from `openapi/bot.yaml`.

    SECRET=whsec_... python strict_bot.py PORT

It checks every signature by the Standard Webhooks specification and never takes a message id twice. It plays the first
legal move. `GET /tally`, which the arena never asks, tells how many asks it took and why it refused the others.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

KEY = base64.b64decode(os.environ.get("SECRET", "").removeprefix("whsec_"))
TOLERANCE = 300  # seconds
INFO = {
    "name": "Strict",
    "author": "nobody",
    "version": "1",
    "games": ["splito", "splitit", "splitter"],
    "concurrency": 8,
}


class Memory:
    """All message ids that ever came, and a tally of what became of them."""

    def __init__(self) -> None:
        self._lock, self._ids = Lock(), set[str]()
        self.tally = Counter[str]()

    def note(self, what: str) -> None:
        with self._lock:
            self.tally[what] += 1

    def is_new(self, message_id: str) -> bool:
        with self._lock:
            if message_id in self._ids:
                return False
            self._ids.add(message_id)
            return True


MEMORY = Memory()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/tally":
            self._say(200, dict(MEMORY.tally))
        elif refusal := self._refusal(b""):
            self._refuse(refusal)
        else:
            self._say(200, INFO)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if refusal := self._refusal(body):
            self._refuse(refusal)
            return
        message = json.loads(body)
        if self.path == "/challenge":
            self._say(200, {"answer": sign(f"splito-challenge.{message['challenge']}".encode())})
        else:
            MEMORY.note("asks")
            self._say(200, {"ask": message["id"], "index": 0})

    def _refusal(self, body: bytes) -> str:
        """Return why the message must not be taken; nothing if it may be."""
        message_id, stamp = self.headers.get("webhook-id", ""), self.headers.get("webhook-timestamp", "0")
        expected = "v1," + sign(f"{message_id}.{stamp}.".encode() + body)
        signatures = self.headers.get("webhook-signature", "").split()
        if not any(hmac.compare_digest(expected, given) for given in signatures):
            return "wrong signature"
        if abs(time.time() - int(stamp)) > TOLERANCE:
            return "stale"
        return "" if MEMORY.is_new(message_id) else "replayed"

    def _refuse(self, why: str) -> None:
        MEMORY.note(why)
        self._say(401, {"status": 401, "title": why, "code": "refused", "detail": why})

    def _say(self, status: int, body: Any) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (as http.server calls it)
        """Say nothing."""


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # connections that may wait; the default of 5 is less than the concurrency


def sign(content: bytes) -> str:
    return base64.b64encode(hmac.digest(KEY, content, hashlib.sha256)).decode()


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
