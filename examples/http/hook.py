"""A receiver of webhooks: prints each event once, and answers the challenge that proves its address.

    SPLITO_HOOK_SECRET=whsec_... python examples/http/hook.py 8090

The secret is in the answer to `POST /v1/hooks`. When the receiver runs, call `POST /v1/hooks/{hook}/proof`: the arena
sends its challenge, and events after that. docs/webhooks.md explains webhooks.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from splito_bot.hooks import Receiver
from splito_bot.signing import BadSignature

LARGEST = 1_000_000
"""Most bytes that are read of a body; events are far smaller."""


def serve(port: int, secret: str) -> None:
    """Print the events of a webhook until Ctrl-C."""
    receiver = Receiver(secret)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), LARGEST))
            try:
                received = receiver.receive(dict(self.headers), body)
            except BadSignature as error:
                self.send_error(401, str(error))
                return
            if received.event is not None:
                print(json.dumps(received.event), flush=True)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(received.answer)))
            self.end_headers()
            self.wfile.write(received.answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as the base class has it)
            """Log nothing, because the standard output is for events."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8090, os.environ["SPLITO_HOOK_SECRET"])
