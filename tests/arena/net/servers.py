"""Servers that speak as a test wants them to, well or badly: real sockets, and HTTP written by hand."""

import asyncio
import datetime as dt
import socket
import ssl
import struct
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from splito_arena.net.http_request import Target
from tests.listening import Serve, listening

LONG = 20.0
HOST = "127.0.0.1"
NAME = "bot.example"
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
GOOD = JSON + b"Content-Length: 2\r\n\r\n{}"
NO_FIN = struct.pack("ii", 1, 0)


@asynccontextmanager
async def bot(
    serve: Serve, context: ssl.SSLContext | None = None, host: str = HOST, dies: asyncio.Event | None = None
) -> AsyncGenerator[Target]:
    """Serve a bot until its last client has gone; a call leaves no connection behind unless it is to be kept.

    After the event `dies` the server accepts no new client and serves those that it has.
    """
    async with listening(serve, cut=False, host=host, port=0, ssl=context) as server:
        dying = asyncio.create_task(_close(server, dies or asyncio.Event()))
        try:
            yield Target(NAME, host, server.sockets[0].getsockname()[1], tls=context is not None, path="/move")
        finally:
            dying.cancel()
            await asyncio.wait([dying])


async def _close(server: asyncio.Server, when: asyncio.Event) -> None:
    await when.wait()
    server.close()


def nobody() -> int:
    """Return a port at which no server listens."""
    with socket.create_server((HOST, 0)) as found:
        return found.getsockname()[1]


async def read_request(reader: asyncio.StreamReader) -> tuple[list[bytes], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
    lengths = [int(line.partition(b" ")[2]) for line in head if line.startswith(b"Content-Length: ")]
    return head, await reader.readexactly(sum(lengths))


def answer(body: bytes) -> bytes:
    return JSON + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        _, body = await read_request(reader)
        writer.write(answer(body))


def says(*parts: bytes) -> Serve:
    """Answers so, and then waits for the client to go."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0)
        await reader.read()

    return serve


def closes_after(*parts: bytes) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"".join(parts))

    return serve


def half_closes_after(*parts: bytes) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"".join(parts))
        writer.write_eof()
        await reader.read()

    return serve


def repeats(start: bytes, part: bytes, pause: float = 0.0) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        while not (reader.at_eof() or writer.is_closing()):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)

    return serve


async def resets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_FIN)
    writer.transport.abort()


async def ignores(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def hangs_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


@cache
def certificate(name: str) -> bytes:
    """Return a self-signed certificate of a host or an IP address, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([_general(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + made.public_bytes(Encoding.PEM)


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def serving(name: str) -> ssl.SSLContext:
    """For a server that has the certificate of this name."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    with TemporaryDirectory() as folder:
        path = Path(folder, "both.pem")
        path.write_bytes(certificate(name))
        context.load_cert_chain(path)
    return context


def trusting(name: str) -> ssl.SSLContext:
    """For a client that believes this certificate, and no other."""
    return ssl.create_default_context(cadata=certificate(name).decode())


class Later:
    """A clock for a caller: the time, some of which can be skipped."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.skipped
