"""The routes of a bot's server: signatures are checked, messages decoded, and problems answered as the contract says.

Only the last part of a path counts, so a bot may live at any base: `https://bots.example/owl/ask` is `ask`.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

import msgspec

from splito_bot.bot import Bot, Crashed
from splito_bot.contract import Challenge, ChallengeMet, Ended, Noted, Started, read, split_asks
from splito_bot.messages import Problem
from splito_bot.running.threads import Threads
from splito_bot.signing import (
    BadSecret,
    BadSignature,
    Seen,
    ed25519,
    meet_challenge,
    read_secret,
    verify,
    verify_ed25519,
)

MAX_SEEN = 1_000_000
"""Message ids that are remembered against replays: more than come in the ten minutes in which they count."""

T = TypeVar("T")


class Request(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    """Their names in lower case."""
    body: bytes


class Response(NamedTuple):
    status: int
    body: bytes
    kind: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    refusal: "Refusal | None" = None
    """The refusal that the response tells, for the log; None if the request was carried out."""


class Refusal(Exception):
    """A request that is refused, with the status and the problem of the answer."""

    def __init__(self, status: int, code: str, detail: str, *headers: tuple[str, str]) -> None:
        super().__init__(status, code, detail)
        self.status, self.code, self.detail, self.headers = status, code, detail, headers

    @property
    def response(self) -> Response:
        title = HTTPStatus(self.status).phrase
        problem = Problem(type="about:blank", title=title, status=self.status, detail=self.detail, code=self.code)
        return Response(self.status, msgspec.json.encode(problem), "application/problem+json", self.headers, self)


class Gate:
    """The check that a request comes from the arena. Without secrets and public key, every request is admitted.

    With a public key only an Ed25519 signature counts, and the secrets are used for the challenge alone. The public key
    needs the id of the bot too, because the arena signs for all bots with one key. With a bot id, only messages to that
    bot are admitted.
    """

    def __init__(
        self,
        secrets: Sequence[str] = (),
        public_key: str | None = None,
        clock: Callable[[], float] = time.time,
        bot_id: str = "",
    ) -> None:
        for secret in secrets:
            read_secret(secret)
        if public_key is not None:
            ed25519(public_key)
            if not bot_id:
                raise BadSecret("a public key needs the id of the bot too, to refuse requests to other bots")
        self._secrets, self._public_key, self._clock, self._bot_id = secrets, public_key, clock, bot_id
        self._seen = Seen(MAX_SEEN)

    @property
    def is_open(self) -> bool:
        return not self._secrets and self._public_key is None

    def admit(self, request: Request) -> None:
        if self.is_open:
            return
        now = self._clock()
        if self._public_key is not None:
            message_id = verify_ed25519(self._public_key, request.headers, request.body, now, recipient=self._bot_id)
        else:
            message_id = verify(self._secrets, request.headers, request.body, now, recipient=self._bot_id)
        self._seen.admit(message_id, now)

    def proof(self, request: Request, challenge: str) -> str:
        """Return the answer to a challenge, made with the secret that signed the request, or else the first secret."""
        if not self._secrets:
            raise Refusal(409, "no-secret", "this bot has no secret: start it with --secret")
        signers = [secret for secret in self._secrets if self._is_by(secret, request)]
        return meet_challenge((signers or self._secrets)[0], challenge)

    def _is_by(self, secret: str, request: Request) -> bool:
        try:
            verify([secret], request.headers, request.body, self._clock())
        except BadSignature:
            return False
        return True


class Routes:
    def __init__(self, bot: Bot, gate: Gate, threads: Threads) -> None:
        self._bot, self._gate, self._threads = bot, gate, threads

    async def respond(self, request: Request) -> Response:
        try:
            handle = _handler(request)
            self._gate.admit(request)
            return Response(200, await handle(self, request))
        except Refusal as refusal:
            return refusal.response
        except BadSignature as error:
            return Refusal(401, error.code, error.detail).response
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return Refusal(400, "bad-request", f"the body does not match the contract: {error}").response
        except Crashed as error:
            return Refusal(500, "crashed", f"the bot has failed: {error}").response

    async def info(self, _: Request) -> bytes:
        return msgspec.json.encode(self._bot.info)

    async def ask(self, request: Request) -> bytes:
        ask = self._known(self._bot.read(request.body))
        return await self._threads.run(lambda: self._bot.answer(ask))

    async def batch(self, request: Request) -> bytes:
        asks = [self._known(self._bot.read(ask)) for ask in split_asks(request.body)]
        if len(asks) > self._bot.info.batch:
            raise Refusal(
                400, "too-many", f"{len(asks)} asks in one request; the `batch` of this bot is {self._bot.info.batch}"
            )
        return await self._threads.run(lambda: self._all(asks))

    async def start(self, request: Request) -> bytes:
        return await self._tell(self._bot.start, read(request.body, Started))

    async def end(self, request: Request) -> bytes:
        return await self._tell(self._bot.end, msgspec.json.decode(request.body, type=Ended))

    async def challenge(self, request: Request) -> bytes:
        challenge = msgspec.json.decode(request.body, type=Challenge).challenge
        return msgspec.json.encode(ChallengeMet(self._gate.proof(request, challenge)))

    def _known(self, ask: Any) -> Any:
        if ask.game not in self._bot.info.games:
            raise Refusal(400, "unknown-game", f"this bot does not play the game {ask.game!r}")
        return ask

    def _all(self, asks: Sequence[Any]) -> bytes:
        """Return the answers. An ask at which the bot fails is left out, so that the others count."""
        answers: list[bytes] = []
        failed: Crashed | None = None
        for ask in asks:
            try:
                answers.append(self._bot.answer(ask))
            except Crashed as error:
                failed = error
        if failed and not answers:
            raise failed
        return b'{"answers":[%b]}' % b",".join(answers)

    async def _tell(self, told: Callable[[T], None], notice: T) -> bytes:
        await self._threads.run(lambda: told(notice))
        return msgspec.json.encode(Noted())


class Route(NamedTuple):
    method: str
    handle: Callable[[Routes, Request], Awaitable[bytes]]


ROUTES = {
    "info": Route("GET", Routes.info),
    "ask": Route("POST", Routes.ask),
    "batch": Route("POST", Routes.batch),
    "start": Route("POST", Routes.start),
    "end": Route("POST", Routes.end),
    "challenge": Route("POST", Routes.challenge),
}


def _handler(request: Request) -> Callable[[Routes, Request], Awaitable[bytes]]:
    last = request.path.partition("?")[0].rpartition("/")[2]
    if last not in ROUTES:
        raise Refusal(404, "not-found", f"there is nothing at {request.path!r}: the paths are {', '.join(ROUTES)}")
    route = ROUTES[last]
    if request.method != route.method:
        raise Refusal(405, "not-allowed", f"{last} needs the method {route.method}", ("Allow", route.method))
    if request.body and not _is_json(request.headers):
        raise Refusal(415, "bad-type", "send application/json, without any Content-Encoding")
    return route.handle


def _is_json(headers: Mapping[str, str]) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" and headers.get("content-encoding", "identity") == "identity"
