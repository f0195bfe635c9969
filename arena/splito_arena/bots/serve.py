"""A function as a bot that an arena calls: what it answers to each request of the contract, whoever carries that.

It is asked one thing after the other, with the very `Ask` that it would get as a plugin; so a bot of the house plays
over HTTP as it does at a table of this machine.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from splito_arena.bots.in_process import as_answer
from splito_arena.bots.push_client import proof
from splito_arena.errors import BadSignature
from splito_arena.faults import cut
from splito_arena.match.messages import AnswerOf, BotInfo, Challenge, ChallengeMet, Noted, messages_of
from splito_arena.net.signing import Seen, read_secret, verify
from splito_engine.errors import BadDeck
from splito_engine.files import no_files
from splito_engine.match import Turn
from splito_engine.player import Ask, Choose
from splito_engine.registry import find_game

MAX_SEEN = 1_000_000
"""Ids of messages against repetition: more than come in the ten minutes in which they count."""
PROBLEM = "application/problem+json"

log = logging.getLogger("splito.bot")


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


class Refusal(Exception):
    """Why a request is not answered as it wants to be."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(status, code, detail)
        self._status, self._code, self._detail = status, code, detail

    @property
    def response(self) -> Response:
        problem = {
            "type": "about:blank",
            "title": HTTPStatus(self._status).phrase,
            "status": self._status,
            "detail": self._detail,
            "code": self._code,
        }
        return Response(self._status, msgspec.json.encode(problem), PROBLEM)


class Answering:
    """With secrets, of which the newest comes first, only who signs with one of them is answered.

    With the id of the bot, only requests that were signed for this bot are answered.
    """

    def __init__(
        self,
        choose: Choose,
        info: BotInfo,
        secrets: Sequence[str] = (),
        now: Callable[[], float] = time.time,
        bot_id: str = "",
    ) -> None:
        for secret in secrets:
            read_secret(secret)
        self.info = info
        self._choose, self._secrets, self._now, self._bot_id = choose, secrets, now, bot_id
        self._seen = Seen(MAX_SEEN)

    @property
    def signed(self) -> bool:
        return bool(self._secrets)

    def respond(self, request: Request) -> Response:
        try:
            answer = _route(request)
            self._admit(request)
            with no_files():
                return Response(200, answer(self, request))
        except Refusal as refusal:
            return refusal.response
        except BadSignature as error:
            return Refusal(401, error.code, error.message).response
        except BadDeck as error:
            return Refusal(400, error.code, error.message).response
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return Refusal(
                400, "bad-request", f"the body is not as the contract has it: {cut(str(error), 300)}"
            ).response

    def tell_info(self, _: Request) -> bytes:
        return msgspec.json.encode(self.info)

    def ask(self, request: Request) -> bytes:
        return self._decide(_decoder(self._game(request.body), "Ask")(request.body))

    def batch(self, request: Request) -> bytes:
        """Who fails is left out, so that the others count."""
        first = msgspec.json.decode(request.body, type=_Batch).asks[0]
        asks = _decoder(self._game(first), "Asks")(request.body).asks
        if len(asks) > self.info.batch:
            raise Refusal(400, "too-many", f"{len(asks)} asks at once, and {self.info.batch} is what `info` says")
        return b'{"answers":[%b]}' % b",".join(filter(None, map(self._tried, asks)))

    def note(self, _: Request) -> bytes:
        """Functions are not told."""
        return msgspec.json.encode(Noted())

    def meet(self, request: Request) -> bytes:
        """By the secret that the request is signed with."""
        if not self._secrets:
            raise Refusal(409, "no-secret", "no secret is known here: start the bot with --secret")
        challenge = msgspec.json.decode(request.body, type=Challenge).challenge
        signer = next(secret for secret in self._secrets if self._is_by(secret, request))
        return msgspec.json.encode(ChallengeMet(proof(signer, challenge)))

    def _admit(self, request: Request) -> None:
        if self._secrets:
            now = self._now()
            message_id = verify(self._secrets, request.headers, request.body, now, recipient=self._bot_id)
            self._seen.admit(message_id, now)

    def _is_by(self, secret: str, request: Request) -> bool:
        try:
            verify([secret], request.headers, request.body, self._now())
        except BadSignature:
            return False
        return True

    def _game(self, body: bytes | msgspec.Raw) -> str:
        game = msgspec.json.decode(body, type=_Tag).game
        if game not in self.info.games:
            raise Refusal(400, "unknown-game", f"{game!r} is none of the games that this bot plays")
        return game

    def _tried(self, sent: Any) -> bytes:
        try:
            return self._decide(sent)
        except Refusal:
            return b""

    def _decide(self, sent: Any) -> bytes:
        """What is illegal is for the arena to say: it asks again."""
        try:
            said = as_answer(self._choose(ask_in(sent)))
            answer = AnswerOf[Any](ask=sent.id, move=said.move, nudge=said.nudge, debug=said.debug)
            return msgspec.json.encode(answer)
        except (Exception, SystemExit) as error:  # anybody's code runs here
            log.exception("the answer to %s failed", sent.id)
            raise Refusal(500, "crashed", cut(f"{type(error).__name__}: {error}", 300)) from None


def ask_in(sent: Any) -> Ask:
    """What a function is asked, from an ask that came over the wire."""
    return Ask(
        game=sent.__struct_config__.tag,
        seat=sent.seat,
        players=sent.players,
        view=sent.view,
        moves=tuple(sent.moves),
        seed=sent.seed,
        match=sent.match,
        turn=sent.turn,
        nudges=sent.nudges,
        turns=tuple(_turn_in(turn) for turn in sent.history),
        time=sent.time,
        last=sent.last,
        rejected=sent.rejected,
    )


def _turn_in(turn: Any) -> Turn:
    talk = {revealed.seat: revealed.nudge for revealed in turn.moves if revealed.nudge is not None}
    return Turn({revealed.seat: revealed.move for revealed in turn.moves}, talk)


class _Tag(msgspec.Struct):
    game: str


class _Batch(msgspec.Struct):
    asks: Annotated[list[msgspec.Raw], Meta(min_length=1)]


class Route(NamedTuple):
    method: str
    answer: Callable[[Answering, Request], bytes]


ROUTES = {
    "info": Route("GET", Answering.tell_info),
    "ask": Route("POST", Answering.ask),
    "batch": Route("POST", Answering.batch),
    "start": Route("POST", Answering.note),
    "end": Route("POST", Answering.note),
    "challenge": Route("POST", Answering.meet),
}


def _route(request: Request) -> Callable[[Answering, Request], bytes]:
    """The paths stand at the end of the address, so a bot may live at any base."""
    last = request.path.partition("?")[0].rpartition("/")[2]
    if last not in ROUTES:
        raise Refusal(404, "not-found", f"there is nothing at {request.path!r}: the paths are {', '.join(ROUTES)}")
    method, answer = ROUTES[last]
    if request.method != method:
        raise Refusal(405, "not-allowed", f"{last} is asked for by {method}")
    if request.body and not _is_json(request.headers):
        raise Refusal(415, "bad-type", "send application/json, without any Content-Encoding")
    return answer


def _is_json(headers: Mapping[str, str]) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" and headers.get("content-encoding", "identity") == "identity"


@cache
def _decoder(game: str, message: str) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(getattr(messages_of(find_game(game)), message)).decode
