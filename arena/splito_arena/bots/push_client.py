"""Client for one bot at its address: it signs every request and connects only to allowed addresses.

A name is looked up when it is first needed, and again now and then, while connections go on to the address that was
checked last; DNS can therefore never redirect a call in between. A forbidden address in a DNS answer stops the calls, a
missing answer does not. The time of a call begins when the name is known, because look-ups are the arena's own delay;
without a DNS answer the call ends with `LookupFailed`, which is not a fault of the bot.
"""

import asyncio
import base64
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import time
from typing import TypeVar

import msgspec

from splito_arena.bots.names import fault_of
from splito_arena.errors import BadAddress, LookupFailed
from splito_arena.faults import Fault, cut
from splito_arena.match.messages import BotInfo, Challenge, ChallengeMet
from splito_arena.net.allowed_addresses import Lookup, ask_dns, read_address, resolve
from splito_arena.net.http_client import Call, Caller
from splito_arena.net.http_request import Target, write_request
from splito_arena.net.http_response import Reply
from splito_arena.net.signing import Key, read_secret, signed_lines
from splito_engine.errors import GameError

LIMIT = 5.0
"""Seconds for requests other than asks: info, challenge, notice."""
FRESH = 60.0
"""Seconds after which a name is looked up again."""
PATIENCE = 20.0  # seconds for a look-up, waiting for it to begin included; `splito_arena.net.resolver` ends it sooner
CHALLENGE = "splito-challenge."

T = TypeVar("T")


class BotClient:
    """The client for one bot, used in the event loop of its caller."""

    def __init__(
        self, caller: Caller, url: str, key: Key | None, allow_private: bool, lookup: Lookup = ask_dns
    ) -> None:
        self.clock, self.url = caller.clock, url
        self._caller, self._key = caller, key
        self._place = read_address(url, any_port=allow_private)
        self._allow_private, self._lookup = allow_private, lookup
        self._found: str | Exception | None = None
        self._fresh_until = -inf
        self._looking: asyncio.Task[None] | None = None
        self._waiting: set[asyncio.Task[None]] = set()
        self._targets: dict[tuple[str, str], Target] = {}

    async def info(self) -> BotInfo:
        """Return the bot's info. Raise `Fault` if it cannot be read, or its name is not visible."""
        info = _decode(await self._fetch(Letter("info", new_message_id(), method="GET")), BotInfo)
        if fault := fault_of(info.name):
            raise Fault("wrong-schema", f"{fault} - at `$.name`")
        return info

    async def prove(self) -> None:
        """Send a challenge. Raise `Fault` if the bot does not prove that it knows its secret."""
        if self._key is None:
            raise ValueError("a bot without a secret cannot prove anything")
        challenge = secrets.token_urlsafe(32)
        body = msgspec.json.encode(Challenge(challenge))
        met = _decode(await self._fetch(Letter("challenge", new_message_id(), body)), ChallengeMet)
        expected = [proof(secret, challenge) for secret in self._key.secrets]
        if not any(hmac.compare_digest(met.answer.encode(), one.encode()) for one in expected):
            raise Fault("wrong-schema", "the challenge was not met: start the bot with the secret of its registration")

    def tell(self, what: str, body: bytes) -> None:
        """Send a notice and ignore its outcome."""
        self.send(Letter(what, new_message_id(), body), Told(_ignore))

    @property
    def is_signed(self) -> bool:
        """True if requests to the bot are signed."""
        return self._key is not None

    @property
    def is_known(self) -> bool:
        """True if calls can be sent at once, because an address has been found and checked."""
        return isinstance(self._found, str)

    async def find(self) -> None:
        """Look the name up unless its address is known.

        Raise `Fault` for a bad address, `LookupFailed` without a DNS answer.
        """
        if not self.is_known:
            self._refresh()
            await self._looked_up()
        if isinstance(self._found, Exception):
            raise self._found

    def send(self, letter: "Letter", call: Call) -> None:
        """Send at once if the address is known, else after the look-up; the time limit begins when it is sent."""
        self.send_all([(letter, call)])

    def send_all(self, letters: "Sequence[tuple[Letter, Call]]") -> None:
        self._refresh()
        if isinstance(self._found, str):
            self._go(letters, self._found, self.clock())
            return
        for letter, call in letters:
            waiting = asyncio.create_task(self._wait(letter, call))
            self._waiting.add(waiting)
            waiting.add_done_callback(self._waiting.discard)

    async def sent(self, letter: "Letter") -> Reply | Exception:
        """Send a letter and return its outcome."""
        found: asyncio.Future[Reply | Exception] = asyncio.get_running_loop().create_future()

        def done(outcome: Reply | Exception) -> None:
            if not found.done():  # the waiting task may have been cancelled
                found.set_result(outcome)

        self.send(letter, Told(done))
        return await found

    def _refresh(self) -> None:
        """Start a look-up if the known address is too old, or there is none."""
        if self._looking is None and self.clock() > self._fresh_until:
            self._looking = asyncio.create_task(self._look_up())

    async def _looked_up(self) -> None:
        while self._looking is not None:
            await asyncio.shield(self._looking)

    async def _wait(self, letter: "Letter", call: Call) -> None:
        await self._looked_up()
        if isinstance(self._found, str):
            self._go([(letter, call)], self._found, self.clock())
        else:
            call.hear(self._found or Fault("bad-address"))

    def _go(self, letters: "Sequence[tuple[Letter, Call]]", address: str, begun: float) -> None:
        now, key = int(time()), self._key
        for letter, call in letters:
            body, lines = letter.body, letter.headers
            try:
                target = self._targets.get((letter.what, address)) or self._target(letter.what, address)
                if lines is None:
                    lines = b"" if key is None else signed_lines(key, letter.id, now, body)
                request = write_request(letter.method, target, lines, body)
            except (GameError, ValueError) as error:  # an error of the arena, which the call must hear too
                asyncio.get_running_loop().call_soon(call.hear, error)  # the callback may send again
            else:
                self._caller.call(call, target, request, begun + letter.limit)

    async def _look_up(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                self._found = await resolve(self._place, self._allow_private, self._lookup)
        except BadAddress as error:
            self._found = Fault("bad-address", error.message)
        except (LookupFailed, TimeoutError) as error:
            if not isinstance(self._found, str):
                silent = LookupFailed(f"{self._place.host} could not be looked up in time")
                self._found = error if isinstance(error, LookupFailed) else silent
        except Exception as error:  # noqa: BLE001 (every call must get an outcome)
            self._found = error
        finally:
            self._fresh_until = self.clock() + FRESH if isinstance(self._found, str) else -inf
            self._looking = None

    async def _fetch(self, letter: "Letter") -> bytes:
        outcome = await self.sent(letter)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome.body

    def _target(self, what: str, address: str) -> Target:
        place = self._place
        path, mark, query = place.path.partition("?")
        target = Target(place.host, address, place.port, place.tls, f"{path.rstrip('/')}/{what}{mark}{query}")
        self._targets[what, address] = target
        return target


class Letter(msgspec.Struct, frozen=True, gc=False):
    """A message to a bot: the path below its address, the message id, the body and the time limit in seconds."""

    what: str
    id: str
    body: bytes = b""
    limit: float = LIMIT
    method: str = "POST"
    headers: Mapping[str, str] | None = None
    """Headers in place of the signature, to check whether the bot rejects them."""


class Told(Call):
    """A call that passes its outcome to a function."""

    __slots__ = ("_done",)

    def __init__(self, done: Callable[[Reply | Exception], None]) -> None:
        self._done = done

    def hear(self, outcome: Reply | Exception) -> None:
        self._done(outcome)


def _ignore(_: Reply | Exception) -> None:
    """Ignore the outcome of a notice."""


def new_message_id() -> str:
    """Return the `webhook-id` of a new message: 128 bits from the system's random source.

    Nothing is kept between two calls, because a forked process would share it: a bot that refuses replays would then
    refuse the messages of every worker shift but the first.
    """
    return secrets.token_hex(16)


def proof(secret: str, challenge: str) -> str:
    digest = hmac.digest(read_secret(secret), (CHALLENGE + challenge).encode(), "sha256")
    return base64.b64encode(digest).decode()


def _decode(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise Fault("wrong-schema", cut(str(error), 300)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Fault("bad-json", cut(str(error), 300)) from None
