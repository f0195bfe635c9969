"""The HTTP server of the bot, from Python's standard library alone; the arena calls it.

    python server.py

Environment: HOST, PORT and SPLITO_BOT_SECRET (several with commas). See docs/bot-contract.md of the arena.
"""

import json
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

from my_bot import ABOUT, choose_all
from signatures import Gate, Refusal

MAX_BODY = 16 * 1024 * 1024  # bytes
FIELDS = {"game", "id", "moves", "seat", "seed", "view"}
"""Fields of an ask that the bot needs; the contract has more."""


class Server(ThreadingHTTPServer):
    """The bot at an address; every connection has a thread."""

    daemon_threads = True
    request_queue_size = 128  # connections that may wait

    def __init__(self, host: str, port: int, gate: Gate) -> None:
        super().__init__((host, port), Handler)
        Handler.gate = gate
        self.url = f"http://{host}:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """The requests of one connection."""

    gate = Gate([])
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 75  # seconds without a request, longer than the arena keeps a connection

    def do_GET(self) -> None:
        self._respond({"info": lambda _: ABOUT})

    def do_POST(self) -> None:
        self._respond({"ask": self._ask, "batch": self._batch, "challenge": self._challenge})

    def _respond(self, routes: dict[str, Callable[[bytes], Any]]) -> None:
        """Answer a request. Only the last part of its path counts, so a bot may live at any base."""
        try:
            body = self._body()
            name = self.path.partition("?")[0].rpartition("/")[2]
            if name not in routes:
                raise Refusal(404, "not-found", f"there is nothing at {self.command} {self.path!r}")
            self.gate.admit(self._headers(), body, time.time())
            self._send(200, "application/json", routes[name](body))
        except Refusal as refusal:
            self._refuse(refusal)
        except ConnectionError:  # the arena gave the ask up
            self.close_connection = True
        except Exception as error:  # a bot may raise anything, and the next ask needs the server
            traceback.print_exc()
            self._refuse(Refusal(500, "crashed", f"{type(error).__name__}: {error}"))

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,12}", length) or int(length) > MAX_BODY:
            self.close_connection = True  # the rest of the request is not read
            raise Refusal(413, "too-large", f"a body has at most {MAX_BODY} bytes, and a Content-Length")
        return self.rfile.read(int(length))

    def _ask(self, body: bytes) -> Any:
        return answers([read(body)])[0]

    def _batch(self, body: bytes) -> Any:
        asks = getattr(read(body), "asks", [])
        if len(asks) > ABOUT["batch"]:
            raise Refusal(400, "too-many", f"this bot takes at most {ABOUT['batch']} asks in one request")
        return {"answers": answers(asks)}

    def _challenge(self, body: bytes) -> Any:
        return {"answer": self.gate.proof(self._headers(), body, str(getattr(read(body), "challenge", "")))}

    def _refuse(self, refusal: Refusal) -> None:
        print(f"refused {self.command} {self.path!r}: {refusal.detail}", file=sys.stderr)
        problem = {"type": "about:blank", "title": refusal.code, "status": refusal.status}
        problem |= {"code": refusal.code, "detail": refusal.detail}
        self._send(refusal.status, "application/problem+json", problem)

    def _send(self, status: int, kind: str, message: Any) -> None:
        body = json.dumps(message).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing for requests that succeed."""


def read(body: bytes) -> Any:
    """Return a message whose fields are attributes: `ask.view.zones`."""
    try:
        message = json.loads(body, object_hook=lambda fields: SimpleNamespace(**fields))
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "bad-request", f"the body does not match the contract: {error}") from error
    if not isinstance(message, SimpleNamespace):
        raise Refusal(400, "bad-request", "the body does not match the contract: it is no object")
    return message


def answers(asks: list[Any]) -> list[dict[str, Any]]:
    """Return an answer to each ask: the index of the chosen move."""
    for ask in asks:
        if FIELDS - getattr(ask, "__dict__", {}).keys():
            raise Refusal(400, "bad-request", f"an ask has at least the fields {', '.join(sorted(FIELDS))}")
        if ask.game not in ABOUT["games"]:
            raise Refusal(400, "unknown-game", f"this bot does not play {ask.game}")
    chosen = choose_all(asks)
    return [{"ask": ask.id, "index": ask.moves.index(move)} for ask, move in zip(asks, chosen, strict=True)]


def main() -> None:
    """Serve the bot until Ctrl-C or SIGTERM."""
    secrets = [secret.strip() for secret in os.environ.get("SPLITO_BOT_SECRET", "").split(",") if secret.strip()]
    try:
        server = Server(os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8001")), Gate(secrets))
    except (OSError, ValueError) as error:
        sys.exit(f"{error}: check SPLITO_BOT_SECRET, HOST and PORT")
    print(f"{ABOUT['name']} {ABOUT['version']} listens at {server.url}; Ctrl-C stops it", file=sys.stderr)
    if not secrets:
        print("WARNING: without SPLITO_BOT_SECRET, every program that reaches this address may ask it", file=sys.stderr)
    stop = threading.Event()

    def end(*_: object) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stop.wait()
    server.shutdown()


if __name__ == "__main__":
    main()
